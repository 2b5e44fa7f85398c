// The web address over sockets of the loopback address, as browsers and attackers use it.
#include <gmock/gmock.h>

#include <mobula/net/http_client.hpp>
#include <mobula/server/admin/listen_address.hpp>
#include <mobula/server/host/web_address.hpp>
#include <net/raw_http.hpp>
#include <nlohmann/json.hpp>
#include <server/web/gunzip.hpp>
#include <server/web/site_files.hpp>

namespace mobula::server {
namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using web::TokenKind;

core::Result<std::vector<core::Bytes>> source(std::uint32_t count, std::string_view /*user_data*/) {
  return std::vector<core::Bytes>(count, core::Bytes(3));
}

class WebAddress : public testing::Test {
 protected:
  WebAddress() {
    folder.put("game.js", "let x;");
    config.web_root = folder.path().string();
    config.web_port = 0;
    config.ws_port = 0;
  }

  void open() {
    core::Result<std::optional<WebPlan>> planned = plan_web_address(config);
    ASSERT_TRUE(planned) << planned.error().message;
    plan = **planned;
    auto opened = open_web_address(*plan, config, {.websocket_port = 7778, .tokens = source});
    ASSERT_TRUE(opened) << opened.error().message;
    server = std::move(*opened);
  }
  [[nodiscard]] std::string reason() const {
    const core::Result<std::optional<WebPlan>> planned = plan_web_address(config);
    return planned ? "none" : planned.error().message;
  }
  // Returns the answer to a request, with its header.
  [[nodiscard]] std::string ask(const std::string& line, const std::string& headers = {},
                                const std::string& host = "localhost") const {
    const test::RawSocket socket = test::RawSocket::connect(server->local_port());
    EXPECT_TRUE(socket.send(line + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + headers + "\r\n"));
    return socket.receive();
  }
  [[nodiscard]] std::string status(const std::string& line, const std::string& headers = {},
                                   const std::string& host = "localhost") const {
    return ask(line, headers, host).substr(9, 3);
  }

  web::SiteFolder folder;
  HostConfig config;
  std::optional<WebPlan> plan;
  std::unique_ptr<admin::HttpServer> server;
};

TEST_F(WebAddress, IsOffByDefault) {
  EXPECT_EQ(HostConfig().web_port, std::nullopt);
  const auto planned = plan_web_address(HostConfig());
  ASSERT_TRUE(planned);
  EXPECT_EQ(*planned, std::nullopt);
}

TEST_F(WebAddress, ServesThePageAndItsFiles) {
  open();
  EXPECT_THAT(ask("GET /"), EndsWith("\r\n\r\n<p>the game</p>"));
  const std::string script = ask("GET /game.js?v=2");
  EXPECT_THAT(script, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(script, HasSubstr("Content-Type: text/javascript; charset=utf-8\r\n"));
  EXPECT_THAT(script, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(script, HasSubstr("Content-Security-Policy: default-src 'self'; "));
  EXPECT_THAT(script, EndsWith("\r\n\r\nlet x;"));
  const std::string head = ask("HEAD /game.js");
  EXPECT_THAT(head, HasSubstr("Content-Length: 6\r\n"));
  EXPECT_THAT(head, EndsWith("\r\n\r\n"));
  EXPECT_EQ(status("POST /game.js"), "405");
  EXPECT_EQ(status("GET /nothing"), "404");
}

TEST_F(WebAddress, ALargeFileArrivesCompressedAndPlain) {
  std::string large;
  for (int i = 0; large.size() < 3'000'000; ++i) large += std::to_string(i) + ' ';
  folder.put("large.js", large);
  open();
  const std::string plain = ask("GET /large.js");
  EXPECT_TRUE(plain.substr(plain.find("\r\n\r\n") + 4) == large);
  const std::string packed = ask("GET /large.js", "Accept-Encoding: gzip\r\n");
  EXPECT_TRUE(web::gunzip(packed.substr(packed.find("\r\n\r\n") + 4), large.size()) == large);
}

TEST_F(WebAddress, AnswersNoPathOfTheAdminPort) {
  open();
  for (const char* path : {"/api/status", "/api/tokens", "/api/openapi.json", "/metrics", "/ready", "/live",
                           "/inspector/app.js", "/api/entities", "/api/live"}) {
    EXPECT_EQ(status("GET " + std::string(path)), "404") << path;
    EXPECT_EQ(status("POST " + std::string(path)), "405") << path;
  }
  const std::string upgrade = ask("GET /api/live",
                                  "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
  EXPECT_THAT(upgrade, StartsWith("HTTP/1.1 404"));
}

TEST_F(WebAddress, GivesATokenToItsOwnPage) {
  open();
  const std::string origin = "Origin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n";
  const std::string answer = ask("GET /token?user_data=anna", origin);
  const json body = json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  EXPECT_EQ(body, json::parse(R"({"tokens": ["AAAA"], "ws": "ws://localhost:7778"})"));
  EXPECT_THAT(answer, HasSubstr("Cache-Control: no-store\r\n"));
}

TEST_F(WebAddress, PagesOfOtherOriginsGetNothing) {
  open();
  for (const char* path : {"/token", "/", "/game.js"}) {
    const std::string line = "GET " + std::string(path);
    for (const char* origin : {"http://evil.example", "null", "http://localhost:5173"}) {
      const std::string answer = ask(line, "Origin: " + std::string(origin) + "\r\n");
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 403")) << path << ' ' << origin;
      EXPECT_THAT(answer, Not(HasSubstr("Access-Control"))) << path << ' ' << origin;
    }
    EXPECT_EQ(status(line, "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: script\r\n"), "403") << path;
    EXPECT_EQ(status(line, {}, "evil.example"), "403") << path << ": a name that now points to this machine";
  }
  EXPECT_EQ(status("GET /", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: document\r\n"), "200") << "a link";
}

TEST_F(WebAddress, AccountsAreForLocalOriginsAlone) {
  config.allowed_origins = {"http://localhost:5173", "https://game.example", "*"};
  open();
  EXPECT_EQ(plan->tokens, TokenKind::accounts);
  EXPECT_EQ(status("GET /token", "Origin: http://localhost:5173\r\n"), "200");
  EXPECT_EQ(status("GET /token", "Origin: https://game.example\r\n"), "403");
  EXPECT_EQ(status("GET /token", "Origin: https://evil.example\r\n"), "403");
  EXPECT_EQ(status("GET /", {}, "game.example"), "200") << "a proxy before it has this name";
  EXPECT_EQ(status("GET /token", {}, "game.example"), "403");
  EXPECT_EQ(status("GET /token", {}, "evil.example"), "403");
  EXPECT_EQ(status("GET /game.js", "Origin: http://localhost:5173\r\n"), "403") << "files are for its own page";
}

TEST_F(WebAddress, AccountsAreNotForClientsOfAProxy) {
  open();
  const std::string line = "GET /token?user_data=anna";
  EXPECT_EQ(status(line, {}, "127.0.0.1:8080"), "200");
  for (const char* header : {"X-Forwarded-For: 10.0.0.7", "Forwarded: for=10.0.0.7", "Via: 1.1 proxy",
                             "X-Forwarded-Host: localhost", "x-forwarded-for: 127.0.0.1"})
    EXPECT_EQ(status(line, header + std::string("\r\n"), "127.0.0.1:8080"), "403") << header;
  const test::RawSocket socket = test::RawSocket::connect(server->local_port());
  EXPECT_TRUE(socket.send(line + " HTTP/1.0\r\nHost: 127.0.0.1:8080\r\n\r\n")) << "as nginx asks by default";
  EXPECT_THAT(socket.receive(), HasSubstr("\"by_proxy\""));
  config.trusted_proxies = {"10.0.0.2"};
  open();
  EXPECT_EQ(plan->tokens, TokenKind::none);
}

TEST_F(WebAddress, GuestsComeFromAllowedOrigins) {
  config.web_tokens = "guests";
  config.key_file = "shared.key";
  config.allowed_origins = {"https://game.example"};
  open();
  EXPECT_EQ(plan->tokens, TokenKind::guests);
  EXPECT_EQ(status("GET /token", "Origin: https://game.example\r\n"), "200");
  EXPECT_EQ(status("GET /token", "Origin: https://evil.example\r\n"), "403");
  EXPECT_EQ(status("GET /token?user_data=anna"), "400");
}

TEST_F(WebAddress, AccountsAreForLoopbackAddressesAlone) {
  const auto kind = [&](const std::string& ip) { return token_kind(config, admin::listen_address(ip, 8080).value()); };
  EXPECT_EQ(kind("127.0.0.1"), TokenKind::accounts);
  EXPECT_EQ(kind("::1"), TokenKind::accounts);
  for (const char* ip : {"0.0.0.0", "::", "192.168.1.5"}) EXPECT_EQ(kind(ip), TokenKind::none) << ip;
  config.key_file = "shared.key";
  EXPECT_EQ(kind("127.0.0.1"), TokenKind::none) << "a backend makes them";
  config.web_tokens = "guests";
  EXPECT_EQ(kind("0.0.0.0"), TokenKind::guests);
  config.web_tokens = "none";
  EXPECT_EQ(kind("127.0.0.1"), TokenKind::none);
}

TEST_F(WebAddress, AnAddressOfTheNetworkAnswersEveryName) {
  config.web_address = "0.0.0.0";
  open();
  EXPECT_EQ(plan->tokens, TokenKind::none);
  EXPECT_EQ(status("GET /", {}, "game.example"), "200");
  EXPECT_EQ(status("GET /token", {}, "game.example"), "404");
}

TEST_F(WebAddress, ATrustedProxyNamesTheHost) {
  const std::string page = "Origin: https://game.example\r\nX-Forwarded-Host: game.example\r\n";
  config.allowed_origins = {"https://game.example"};
  config.web_tokens = "guests";
  open();
  EXPECT_EQ(status("GET /game.js", page), "403");
  config.trusted_proxies = {"127.0.0.0/8"};
  open();
  EXPECT_EQ(status("GET /game.js", page), "200");
  EXPECT_EQ(status("GET /game.js", "Origin: https://evil.example\r\nX-Forwarded-Host: game.example\r\n"), "403");
  EXPECT_THAT(ask("GET /token", page), HasSubstr("\"ws://game.example:7778\""));
  config.public_addresses = {"game.example:7777", "wss://game.example/game"};
  open();
  EXPECT_THAT(ask("GET /token", page), HasSubstr("\"wss\":\"wss://game.example/game\""));
}

TEST_F(WebAddress, AMistakeIsNamedBeforeAnythingIsOpened) {
  config.web_root = folder.file("nothing");
  EXPECT_THAT(reason(), HasSubstr("--web-root: "));
  config.web_root.clear();
  EXPECT_THAT(reason(), HasSubstr("share/mobula/play")) << "that of the installed game";
  config.web_root = folder.path().string();
  config.web_address = "localhost";
  EXPECT_THAT(reason(), HasSubstr("--web-address: 'localhost' is not an IP address"));
  config.web_address = "127.0.0.1";
  open();
  config.web_port = server->local_port();
  EXPECT_THAT(reason(), HasSubstr("--web-port: "));
  EXPECT_THAT(reason(), HasSubstr("(0 takes any free port)"));
}

TEST_F(WebAddress, FilesAreReadAgainOrStay) {
  open();
  folder.put("index.html", "<p>another</p>");
  EXPECT_THAT(ask("GET /"), EndsWith("<p>the game</p>"));
  reload_site(*plan, config);
  EXPECT_THAT(ask("GET /"), EndsWith("<p>another</p>"));
  std::filesystem::remove(folder.path() / "index.html");
  testing::internal::CaptureStderr();
  reload_site(*plan, config);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("there is no index.html in it; the former files stay"));
  EXPECT_THAT(ask("GET /"), EndsWith("<p>another</p>"));
}

}  // namespace
}  // namespace mobula::server
