#include <gtest/gtest.h>

#include <mobula/net/http_client.hpp>
#include <net/raw_http.hpp>

namespace mobula::net {
namespace {

using test::CannedServer;

std::string http_answer(std::string_view status, std::string_view body) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

core::Error refusal(const core::Result<std::string>& result) {
  return result.ok() ? core::Error{"answered", *result} : result.error();
}

TEST(HttpClient, GetsTheBodyOfAnAnswer) {
  const CannedServer server(http_answer("200 OK", R"({"status":"live"})"));
  const core::Result<std::string> body = http_get(server.url("/live?now=1"));
  ASSERT_TRUE(body.ok()) << body.error().message;
  EXPECT_EQ(*body, R"({"status":"live"})");
}

TEST(HttpClient, SendsAPlainHttpRequest) {
  CannedServer server(http_answer("200 OK", ""));
  EXPECT_TRUE(http_post(server.url("/api/tokens"), R"({"count":1})").ok());
  const std::string question = server.question();
  EXPECT_TRUE(question.starts_with("POST /api/tokens HTTP/1.1\r\n")) << question;
  EXPECT_NE(question.find("Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"), std::string::npos) << question;
  EXPECT_NE(question.find("Content-Type: application/json\r\n"), std::string::npos) << question;
  EXPECT_NE(question.find("Content-Length: 11\r\n"), std::string::npos) << question;
  EXPECT_EQ(question.find("Origin"), std::string::npos) << question;
}

TEST(HttpClient, AnAddressMayEndInASlash) {
  EXPECT_EQ(url_below("http://host:7780", "/api/tokens"), "http://host:7780/api/tokens");
  EXPECT_EQ(url_below("http://host:7780/", "/api/tokens"), "http://host:7780/api/tokens");
  EXPECT_EQ(url_below("http://host/game/", "/live"), "http://host/game/live");
}

TEST(HttpClient, SendsTheBearerToken) {
  CannedServer server(http_answer("200 OK", ""));
  EXPECT_TRUE(http_post(server.url("/"), "{}", {.bearer = "0123456789abcdef"}).ok());
  const std::string question = server.question();
  EXPECT_NE(question.find("Authorization: Bearer 0123456789abcdef\r\n"), std::string::npos) << question;
}

TEST(HttpClient, AcceptsAnAnswerEndedByClose) {
  const CannedServer server("HTTP/1.0 200 OK\r\n\r\nall of it");
  const core::Result<std::string> body = http_get(server.url(""));
  ASSERT_TRUE(body.ok()) << body.error().message;
  EXPECT_EQ(*body, "all of it");
}

TEST(HttpClient, RefusalHasTheStatusAndTheServersMessage) {
  const CannedServer server(
      http_answer("404 Not Found", R"({"error":{"code":"no_tokens","message":"tokens are not handed out here"}})"));
  const core::Error error = refusal(http_post(server.url("/x"), "{}"));
  EXPECT_STREQ(error.reason, "refused");
  EXPECT_EQ(error.message, server.url("/x") + ": 404 tokens are not handed out here");
}

TEST(HttpClient, RefusalIsOneLineForAnyBody) {
  for (const auto& [body, message] : {std::pair("plain words\r\n", " plain words"),
                                      {"two\nlines", ""},
                                      {"", ""},
                                      {"{\"error\":\"x\"}", " {\"error\":\"x\"}"},
                                      {"\x1b[31m", ""}}) {
    const CannedServer server(http_answer("500 Internal Server Error", body));
    EXPECT_EQ(refusal(http_get(server.url("/"))).message, server.url("/") + ": 500" + message);
  }
  const CannedServer server(http_answer("302 Found", ""));
  EXPECT_STREQ(refusal(http_get(server.url("/"))).reason, "refused");
}

TEST(HttpClient, RefusesAnAnswerThatIsNotHttp) {
  for (const char* answer : {"", "what?\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
                             "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "HTTP/1.1 200 OK\r\n"}) {
    const CannedServer server(answer);
    EXPECT_STREQ(refusal(http_get(server.url("/"))).reason, "bad answer") << answer;
  }
  const CannedServer server("HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n");
  EXPECT_STREQ(refusal(http_get(server.url("/"))).reason, "bad answer");
}

TEST(HttpClient, RefusesATooLongAnswer) {
  for (const std::string& answer :
       {http_answer("200 OK", std::string(1001, 'x')), "HTTP/1.0 200 OK\r\n\r\n" + std::string(1001, 'x'),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n")}) {
    const CannedServer server(answer);
    const core::Error error = refusal(http_get(server.url("/"), {.answer_bytes_max = 1000}));
    EXPECT_STREQ(error.reason, "bad answer");
    EXPECT_EQ(error.message, server.url("/") + ": the answer is longer than 1000 bytes");
  }
  const CannedServer server(http_answer("200 OK", std::string(1000, 'x')));
  EXPECT_EQ(http_get(server.url("/"), {.answer_bytes_max = 1000}).value().size(), 1000u);
}

TEST(HttpClient, TimesOutIfTheAnswerStops) {
  for (const char* answer : {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nsome"}) {
    const CannedServer server(answer, true);
    const core::Error error = refusal(http_get(server.url("/"), {.timeout = 50 * core::millisecond}));
    EXPECT_STREQ(error.reason, "timed out") << answer;
    EXPECT_EQ(error.message, server.url("/") + ": no answer within 0.05 s");
  }
}

TEST(HttpClient, ReportsAnUnreachableServer) {
  std::uint16_t port = 0;
  {
    CannedServer gone("");
    port = gone.port();
  }
  EXPECT_STREQ(refusal(http_get("http://127.0.0.1:" + std::to_string(port) + "/")).reason, "not running");
  EXPECT_STREQ(refusal(http_get("http://no-such-host.invalid:1/")).reason, "unreachable");
}

TEST(HttpClient, RefusesAMalformedUrl) {
  for (const char* url : {"", "127.0.0.1:7780", "https://127.0.0.1:7780/", "http://", "http://127.0.0.1/",
                          "http://127.0.0.1:0/", "http://127.0.0.1:7780/a b", "http://127.0.0.1:7780/\r\nX: y",
                          "http://user@127.0.0.1:7780/", "http://127.0.0.1:7780/#x", "http://:7780/"}) {
    EXPECT_STREQ(refusal(http_get(url)).reason, "bad address") << url;
  }
}

}  // namespace
}  // namespace mobula::net
