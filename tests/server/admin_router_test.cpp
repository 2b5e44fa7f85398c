#include <gtest/gtest.h>

#include <mobula/core/log.hpp>
#include <mobula/server/admin/live.hpp>
#include <mobula/server/admin/router.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mobula::server::admin {
namespace {

Request ask(std::string_view method, std::string_view path) {
  Request request;
  request.method = method;
  request.path = path;
  request.host = "127.0.0.1:7780";
  return request;
}

Router router() {
  const auto echo = [](const Request& request) { return Response{200, '"' + std::string(request.method) + '"'}; };
  return Router({live_route(),
                 {"GET", "/thing", echo},
                 {"POST", "/thing", echo},
                 {"GET", "/broken", [](const Request&) -> Response { throw std::runtime_error("no such luck"); }},
                 {"GET", "/odd", [](const Request&) -> Response { throw 7; }}});
}

// "404 not_found: there is no '/x'"
std::string refusal(const Response& response) {
  const nlohmann::json error = nlohmann::json::parse(response.json)["error"];
  return std::to_string(response.status) + ' ' + error["code"].get<std::string>() + ": " +
         error["message"].get<std::string>();
}

TEST(AdminRouter, TheRouteOfPathAndMethodAnswers) {
  EXPECT_EQ(router().answer(ask("GET", "/live")).json, R"({"status":"live"})");
  EXPECT_EQ(router().answer(ask("GET", "/thing")).json, "\"GET\"");
  EXPECT_EQ(router().answer(ask("POST", "/thing")).json, "\"POST\"");
}

TEST(AdminRouter, APathThatNobodyServesIsNamed) {
  EXPECT_EQ(refusal(router().answer(ask("GET", "/lives"))),
            "404 not_found: there is no '/lives' (did you mean '/live'?)");
  EXPECT_EQ(refusal(router().answer(ask("DELETE", "/"))), "404 not_found: there is no '/'");
  EXPECT_EQ(refusal(router().answer(ask("GET", ""))), "404 not_found: there is no ''");
  EXPECT_EQ(router().answer(ask("GET", std::string(10'000, 'x'))).status, 404u);
  EXPECT_EQ(refusal(router().answer(ask("GET", "/\xff\"\n"))), "404 not_found: there is no '/\xef\xbf\xbd\"\n'");
}

TEST(AdminRouter, AMethodThatIsNotServedIsNamedWithThoseThatAre) {
  for (const char* method : {"HEAD", "OPTIONS", "DELETE", "get", "BREW"}) {
    const Response response = router().answer(ask(method, "/thing"));
    EXPECT_EQ(refusal(response),
              "405 method_not_allowed: " + std::string(method) + " is not served at '/thing'; use GET, POST");
    EXPECT_EQ(response.allow, "GET, POST");
  }
}

TEST(AdminRouter, PagesInBrowsersAreNotAnswered) {
  Request request = ask("GET", "/live");
  request.has_origin = true;
  EXPECT_EQ(refusal(router().answer(request)),
            "403 foreign_origin: pages in browsers are not answered: there is an Origin header");
  for (const char* host : {"", "evil.example", "evil.example:7780"}) {
    request = ask("GET", "/live");
    request.host = host;
    EXPECT_EQ(refusal(router().answer(request)),
              "403 foreign_host: the Host header must be localhost or an IP address");
  }
}

TEST(AdminRouter, AHandlerThatThrowsIsAnAnswerTooAndTheLogSaysWhy) {
  testing::internal::CaptureStderr();
  for (const char* path : {"/broken", "/odd"}) {
    EXPECT_EQ(refusal(router().answer(ask("GET", path))), "500 failed: the server could not answer; its log says why");
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("GET /broken: no such luck"), std::string::npos) << log;
}

}  // namespace
}  // namespace mobula::server::admin
