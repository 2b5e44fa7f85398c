// The server's web address and its WebSocket, as pages of browsers use them.
#include <client/programs.hpp>
#include <mobula/net/http_client.hpp>
#include <net/raw_http.hpp>
#include <net/raw_websocket.hpp>

namespace mobula::web_programs_test {
namespace {

class WebPrograms : public Programs {
 protected:
  void SetUp() override {
    site_ = folder() / "site";
    fs::create_directories(site_);
    write(site_ / "index.html", "<p>the game</p>");
  }

  Program& serve_page(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--ws-port", "0", "--web-port", "0", "--web-root", site_.string()});
    Program& server = serve(std::move(more));
    web_ = "http://127.0.0.1:" + std::to_string(number_after(server.err(), "web address http://127.0.0.1:"));
    return server;
  }

  // Requests a token, and lets a client join with it at the WebSocket that the answer names.
  int play_with_token(const std::string& query) {
    const core::Result<std::string> answer = net::http_get(web_ + "/token" + query);
    EXPECT_TRUE(answer) << answer.error().message;
    const nlohmann::json body = nlohmann::json::parse(*answer);
    const std::string token = (folder() / "page.token").string();
    last_token_ = body["tokens"][0].get<std::string>();
    write(token, last_token_);
    return start("mobula-client", {"--connect", body["ws"], "--token", token, "--ticks", "20", "--json"}).wait();
  }

  // Requests a WebSocket with these headers. Returns the status of the answer.
  [[nodiscard]] std::string upgrade(const std::string& headers) const {
    const auto socket = test::RawSocket::connect(static_cast<std::uint16_t>(ws_port_));
    EXPECT_TRUE(socket.send(net::raw_websocket::request("/", headers)));
    return socket.receive("\r\n\r\n").substr(9, 3);
  }

  fs::path site_;
  std::string web_;
  std::string last_token_;  // in base64
};

TEST_F(WebPrograms, ATokenOfThePageAdmitsAPlayer) {
  const Program& server = serve_page();
  EXPECT_EQ(net::http_get(web_ + "/").value(), "<p>the game</p>");
  EXPECT_EQ(play_with_token("?user_data=anna"), 0) << server.err();
  EXPECT_EQ(play_with_token(""), 0) << server.err();
  EXPECT_EQ(lines_like(server.err(), " joined from ws:"), 2u);
}

TEST_F(WebPrograms, NoLogHasATokenOfThePage) {
  const Program& server = serve_page({"--log-level", "debug"});
  EXPECT_EQ(play_with_token("?user_data=anna"), 0) << server.err();
  constexpr std::size_t part = 60;
  ASSERT_GT(last_token_.size(), 2 * part);
  for (std::size_t at = part; at + part <= last_token_.size(); at += part)  // it begins with a public part
    EXPECT_THAT(server.err(), testing::Not(HasSubstr(last_token_.substr(at, part))));
}

TEST_F(WebPrograms, GuestsPlayWhereABackendHasTheKey) {
  const std::string key = new_key();
  const Program& server = serve_page({"--key-file", key, "--web-tokens", "guests"});
  EXPECT_EQ(play_with_token(""), 0) << server.err();
  EXPECT_STREQ(net::http_get(web_ + "/token?user_data=anna").error().reason, "refused");
  const Program& closed = serve_page({"--key-file", key});
  EXPECT_THAT(net::http_get(web_ + "/token").error().message, HasSubstr("makes no connect tokens")) << closed.err();
}

TEST_F(WebPrograms, PagesOfOtherOriginsAreCounted) {
  const Program& server = serve_page();
  EXPECT_EQ(upgrade("Origin: http://evil.example\r\n"), "403");
  EXPECT_EQ(upgrade("Origin: http://here:8080\r\n"), "101");
  EXPECT_EQ(upgrade(""), "101");
  EXPECT_THAT(server.err(), HasSubstr("refused a WebSocket of a page of the origin 'http://evil.example'"));
  const std::string count =
      "mobula_ended_connections_total{world=\"main\",pipe=\"websocket\",reason=\"foreign origin\"} 1\n";
  EXPECT_THAT(net::http_get(admin_ + "/metrics").value(), HasSubstr(count));
}

TEST_F(WebPrograms, FilesAreReadAgainOnRequest) {
  Program& server = serve_page();
  write(site_ / "index.html", "<p>another</p>");
  server.signal(SIGHUP);
  EXPECT_TRUE(server.logs(R"(web address: 1 file")")) << server.err();
  EXPECT_EQ(net::http_get(web_ + "/").value(), "<p>another</p>");
}

TEST_F(WebPrograms, AWebPortNeedsAWebSocket) {
  Program& server = start("mobula-server", {"--web-port", "0"});
  EXPECT_EQ(server.wait(), 2);
  EXPECT_THAT(server.err(), HasSubstr("--web-port: requires --ws-port"));
}

}  // namespace
}  // namespace mobula::web_programs_test
