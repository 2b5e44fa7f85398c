// Requests as bytes over a socket on the loopback address, and the bytes of their answers.
#include <gmock/gmock.h>

#include <mobula/server/admin/documents.hpp>
#include <mobula/server/admin/http_server.hpp>
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

// A server with a text, two files and a value that can be written, which answers with what was written.
class AdminConnection : public testing::Test {
 protected:
  void SetUp() override { start({}); }

  void start(std::string token) {
    HttpServerConfig config{.listen = transport::Address::v4(127, 0, 0, 1, 0), .routes = file_routes(pages)};
    config.routes.push_back(live_route());
    config.routes.push_back(
        {"GET", "/metrics", [](const Request&) { return Response{200, "ticks 7\n", "text/plain"}; }});
    config.routes.push_back({"PUT", "/value", [this](const Request& request) {
                               ++writes_;
                               return Response{200, request.body};
                             }});
    config.routes.back().origins = {"http://localhost:5173"};
    config.bearer_token = std::move(token);
    server_ = std::move(HttpServer::start(std::move(config)).value());
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

  std::atomic<int> writes_ = 0;

 private:
  std::unique_ptr<HttpServer> server_;
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

TEST_F(AdminConnection, APreflightHasNoContent) {
  const std::string headers =
      "Origin: http://localhost:5173\r\nAccess-Control-Request-Method: PUT\r\nSec-Fetch-Site: same-site\r\n";
  const std::string given = ask("OPTIONS /value", headers);
  EXPECT_THAT(given, StartsWith("HTTP/1.1 204 No Content\r\n"));
  EXPECT_THAT(given, HasSubstr("Access-Control-Allow-Origin: http://localhost:5173\r\n"));
  EXPECT_THAT(given, HasSubstr("Access-Control-Allow-Methods: PUT\r\n"));
  EXPECT_THAT(given, HasSubstr("Vary: Origin\r\n"));
  EXPECT_THAT(given, testing::Not(HasSubstr("\r\nContent-")));
  EXPECT_THAT(given, EndsWith("\r\n\r\n"));
  const std::string elsewhere = ask("OPTIONS /metrics", headers);
  EXPECT_THAT(elsewhere, StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(elsewhere, testing::Not(HasSubstr("Access-Control")));
  EXPECT_EQ(writes_, 0);
}

TEST_F(AdminConnection, OptionsIsRefusedByName) {
  const std::string options = ask("OPTIONS /live");
  EXPECT_THAT(options, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(options, HasSubstr("Allow: GET, HEAD\r\n"));
  EXPECT_THAT(options, HasSubstr("OPTIONS is not served at '/live'; use GET, HEAD"));
}

TEST_F(AdminConnection, AnAbsoluteTargetNamesTheHost) {
  EXPECT_THAT(ask("GET http://localhost:7780/live"), EndsWith(R"({"status":"live"})"));
  EXPECT_THAT(ask("HEAD HTTP://[::1]:7780/live"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(ask("GET http://127.0.0.1"), EndsWith("<p>hello</p>"));
  EXPECT_THAT(ask("GET http://evil.example/live"), HasSubstr("foreign_host")) << "whatever the Host header is";
  EXPECT_THAT(ask("GET http:///live"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(ask("GET https://localhost/live"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(AdminConnection, PathsAreExact) {
  EXPECT_THAT(ask("GET /live?"), StartsWith("HTTP/1.1 200 "));
  for (const std::string path : {"/live/", "//live", "/live%2F", "live", "*"})
    EXPECT_THAT(ask("GET " + path), StartsWith("HTTP/1.1 404 ")) << path;
}

TEST_F(AdminConnection, AProbeNamesTheHostByAddressOrNeedsAToken) {
  const auto probe = [&](const std::string& headers, const std::string& version = "1.1") {
    return exchange("GET /live HTTP/" + version + "\r\nConnection: close\r\n" + headers + "\r\n").substr(9, 3);
  };
  for (const char* host : {"10.1.2.3:7780", "[::1]:7780", "LOCALHOST", "localhost:7780"})
    EXPECT_EQ(probe("Host: " + std::string(host) + "\r\n"), "200") << host;
  EXPECT_EQ(probe("Host: 127.0.0.1.:7780\r\n"), "403");
  EXPECT_EQ(probe(""), "403");
  EXPECT_EQ(probe("", "1.0"), "200") << "pages in browsers send HTTP/1.1";
  EXPECT_EQ(probe("Host: localhost\r\n", "1.0"), "200");
  start("0123456789abcdef");
  for (const char* host : {"Host: 10.1.2.3:7780\r\n", "Host: game.example\r\n", ""})
    EXPECT_EQ(probe(host, "1.0"), "200") << host;
}

// RFC 9112, 2.2. Old clients send one after the body of a request.
TEST_F(AdminConnection, AnEmptyLineBeforeARequestIsSkipped) {
  const std::string request = "GET /live HTTP/1.1\r\nHost: localhost\r\n";
  const std::string last = request + "Connection: close\r\n\r\n";
  EXPECT_THAT(exchange("\r\n" + last), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(count(exchange(request + "\r\n\r\n" + last), "HTTP/1.1 200 "), 2);
  const test::RawSocket socket = connect();
  for (const std::string& part : {std::string("\r"), "\n" + last.substr(0, 1), last.substr(1)})
    EXPECT_TRUE(socket.send(part));
  EXPECT_THAT(socket.receive(), StartsWith("HTTP/1.1 200 "));
  for (const char* other : {"\r\n\r\n", "\n", "\r\r\n", " "})
    EXPECT_THAT(exchange(other + last), StartsWith("HTTP/1.1 400 ")) << other;
}

TEST_F(AdminConnection, AHundredPipelinedRequestsHaveAHundredAnswers) {
  const std::string request = "HEAD /live HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n";
  std::string all;
  for (int i = 0; i < 99; ++i) all += request;
  const std::string answers = exchange(all + "GET /live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(count(answers, "HTTP/1.1 200 OK\r\n"), 100);
  EXPECT_EQ(count(answers, "\"live\""), 1);
}

TEST_F(AdminConnection, AClientThatWaitsToContinueIsAnswered) {
  const std::string head = "PUT /value HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-Continue\r\n";
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
  for (const auto& [length, body] : {std::pair("Content-Length: 2\r\n\r\n", "42"),
                                     std::pair("Transfer-Encoding: chunked\r\n\r\n", "2\r\n42\r\n0\r\n\r\n")}) {
    const test::RawSocket socket = connect();
    ASSERT_TRUE(socket.send(head + length));
    EXPECT_EQ(socket.receive(interim), interim);
    ASSERT_TRUE(socket.send(body));
    const std::string answer = socket.receive();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\n42"));
  }
}

TEST_F(AdminConnection, ARequestThatDoesNotWaitHasOneAnswer) {
  const std::string body = "Content-Length: 2\r\nConnection: close\r\n";
  const std::string expect = "Host: localhost\r\nExpect: 100-continue\r\n";
  for (const std::string& request :
       {"PUT /value HTTP/1.1\r\n" + expect + body + "\r\n42", "PUT /value HTTP/1.0\r\n" + expect + body + "\r\n42",
        "GET /live HTTP/1.1\r\n" + expect + "Connection: close\r\n\r\n"}) {
    const std::string answer = exchange(request);
    EXPECT_EQ(count(answer, "HTTP/1.1 "), 1) << answer;
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  }
  const std::string too_large = ask("PUT /value", "Expect: 100-continue\r\nContent-Length: 16385\r\n");
  EXPECT_THAT(too_large, StartsWith("HTTP/1.1 413 ")) << "the body is not asked for";
}

TEST_F(AdminConnection, AmbiguousLengthsAreRefused) {
  for (const char* headers :
       {"Content-Length: +2\r\n", "Content-Length: 2\r\nContent-Length: 3\r\n", "Content-Length: 2, 3\r\n",
        "Content-Length: 0x2\r\n", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n"}) {
    EXPECT_THAT(exchange("PUT /value HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) + "\r\n42"),
                StartsWith("HTTP/1.1 400 "))
        << headers;
  }
  EXPECT_EQ(writes_, 0);
}

}  // namespace
}  // namespace mobula::server::admin
