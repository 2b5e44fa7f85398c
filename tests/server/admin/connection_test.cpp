// Requests as bytes over a socket on the loopback address, and the bytes of their answers.
#include <gmock/gmock.h>

#include <mobula/server/admin/admin_server.hpp>
#include <mobula/server/admin/documents.hpp>
#include <mobula/server/admin/live.hpp>
#include <net/raw_http.hpp>

namespace mobula::server::admin {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr EmbeddedFile pages[] = {{"index.html", "<p>hello</p>"}, {"app.js", "let x;"}};

int count(std::string_view text, std::string_view part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// A server with a text, two files and a value that can be written.
class AdminConnection : public testing::Test {
 protected:
  void SetUp() override { start({}); }

  void start(std::string token) {
    AdminConfig config{.listen = transport::Address::v4(127, 0, 0, 1, 0), .routes = file_routes(pages)};
    config.routes.push_back(live_route());
    config.routes.push_back(
        {"GET", "/metrics", [](const Request&) { return Response{200, "ticks 7\n", "text/plain"}; }});
    config.routes.push_back({"PUT", "/value", [this](const Request& request) {
                               value_ = request.body;
                               return Response{200, "{}"};
                             }});
    config.bearer_token = std::move(token);
    server_ = std::move(AdminServer::start(std::move(config)).value());
  }
  [[nodiscard]] test::RawSocket connect() const { return test::RawSocket::connect(server_->local_port()); }
  // Returns all that the server sends until it closes the connection.
  [[nodiscard]] std::string exchange(std::string_view bytes) const {
    const test::RawSocket socket = connect();
    EXPECT_TRUE(socket.send(bytes));
    return socket.receive();
  }
  [[nodiscard]] std::string ask(const std::string& line, const std::string& headers = {}) const {
    return exchange(line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers + "\r\n");
  }

  std::string value_;  // read after an answer

 private:
  std::unique_ptr<AdminServer> server_;
};

TEST_F(AdminConnection, HeadHasTheHeadersOfGetAndNoBody) {
  for (const std::string target : {"/live", "/metrics", "/", "/inspector/app.js", "/nothing", "/live?x=1"}) {
    const std::string get = ask("GET " + target);
    const std::size_t end = get.find("\r\n\r\n") + 4;
    ASSERT_LT(end, get.size()) << get;
    EXPECT_THAT(get, HasSubstr("Content-Length: " + std::to_string(get.size() - end) + "\r\n"));
    EXPECT_EQ(ask("HEAD " + target), get.substr(0, end)) << target;
  }
}

TEST_F(AdminConnection, HeadKeepsTheConnectionOpen) {
  const std::string host = " HTTP/1.1\r\nHost: localhost\r\n";
  const std::string answers =
      exchange("HEAD /live" + host + "\r\nHEAD /value" + host + "\r\nGET /live" + host + "Connection: close\r\n\r\n");
  EXPECT_EQ(count(answers, "HTTP/1.1 200 OK\r\n"), 2) << answers;
  EXPECT_EQ(count(answers, "HTTP/1.1 405 "), 1) << answers;
  EXPECT_EQ(count(answers, "{"), 1) << answers;
  EXPECT_THAT(answers, EndsWith(R"({"status":"live"})"));
}

TEST_F(AdminConnection, HeadOfAPathWithoutGetIsRefused) {
  const std::string head = ask("HEAD /value");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(head, HasSubstr("Allow: PUT\r\n"));
  EXPECT_THAT(head, EndsWith("\r\n\r\n"));
}

TEST_F(AdminConnection, OptionsIsRefusedByName) {
  const std::string options = ask("OPTIONS /live");
  EXPECT_THAT(options, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(options, HasSubstr("Allow: GET, HEAD\r\n"));
  EXPECT_THAT(options, HasSubstr("OPTIONS is not served at '/live'; use GET, HEAD"));
}

}  // namespace
}  // namespace mobula::server::admin
