#include <gtest/gtest.h>

#include <mobula/core/log.hpp>
#include <mobula/server/admin/live.hpp>
#include <mobula/server/admin/router.hpp>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mobula::server::admin {
namespace {

Request request_of(std::string_view method, std::string_view path) {
  Request request;
  request.method = method;
  request.path = path;
  request.host = "127.0.0.1:7780";
  return request;
}

Response answer(Router router, const Request& request) { return std::get<Response>(router.answer(request)); }
Response answer(Router router, std::string_view method, std::string_view path) {
  return answer(std::move(router), request_of(method, path));
}

Router router(std::string token = {}) {
  const auto echo = [](const Request& request) { return Response{200, '"' + std::string(request.method) + '"'}; };
  return Router({live_route(),
                 {"GET", "/thing", echo},
                 {"POST", "/thing", echo},
                 {"POST", "/made", echo},
                 {"PUT", "/made", echo},
                 {"GET", "/broken", [](const Request&) -> Response { throw std::runtime_error("no such luck"); }},
                 {"GET", "/odd", [](const Request&) -> Response { throw 7; }},
                 {"GET",
                  "/worlds/{world}/{thing}",
                  [](const Request& request) {
                    return Response{200, std::string(request.parameter("world")) + '|' +
                                             std::string(request.parameter("thing")) + '|' +
                                             std::string(request.parameter("limit"))};
                  },
                  {"limit", "cursor"}}},
                std::move(token));
}

// "404 not_found: there is no '/x'"
std::string refusal(const Response& response) {
  const nlohmann::json error = nlohmann::json::parse(response.body)["error"];
  return std::to_string(response.status) + ' ' + error["code"].get<std::string>() + ": " +
         error["message"].get<std::string>();
}

TEST(AdminRouter, RoutesByPathAndMethod) {
  EXPECT_EQ(answer(router(), request_of("GET", "/live")).body, R"({"status":"live"})");
  EXPECT_EQ(answer(router(), request_of("GET", "/thing")).body, "\"GET\"");
  EXPECT_EQ(answer(router(), request_of("POST", "/thing")).body, "\"POST\"");
}

TEST(AdminRouter, AnUnknownPathIsNamed) {
  EXPECT_EQ(refusal(answer(router(), request_of("GET", "/lives"))),
            "404 not_found: there is no '/lives' (did you mean '/live'?)");
  EXPECT_EQ(refusal(answer(router(), request_of("DELETE", "/"))), "404 not_found: there is no '/'");
  EXPECT_EQ(refusal(answer(router(), request_of("GET", ""))), "404 not_found: there is no ''");
  EXPECT_EQ(answer(router(), request_of("GET", std::string(10'000, 'x'))).status, 404u);
  EXPECT_EQ(refusal(answer(router(), request_of("GET", "/\xff\"\n"))),
            "404 not_found: there is no '/\xef\xbf\xbd\"\n'");
}

TEST(AdminRouter, AnUnknownMethodIsNamedWithTheAllowedOnes) {
  using Headers = std::vector<std::pair<std::string_view, std::string>>;
  for (const char* method : {"OPTIONS", "DELETE", "get", "head", "BREW"}) {
    const Response response = answer(router(), request_of(method, "/thing"));
    EXPECT_EQ(refusal(response),
              "405 method_not_allowed: " + std::string(method) + " is not served at '/thing'; use GET, HEAD, POST");
    EXPECT_EQ(response.headers, (Headers{{"Allow", "GET, HEAD, POST"}}));
  }
  const Response head = answer(router(), request_of("HEAD", "/made"));
  EXPECT_EQ(refusal(head), "405 method_not_allowed: HEAD is not served at '/made'; use POST, PUT");
  EXPECT_EQ(head.headers, (Headers{{"Allow", "POST, PUT"}}));
}

TEST(AdminRouter, HeadIsServedWhereGetIs) {
  EXPECT_EQ(answer(router(), "HEAD", "/live").body, R"({"status":"live"})");
  EXPECT_EQ(answer(router(), "HEAD", "/thing").status, 200u);
  EXPECT_EQ(answer(router(), "HEAD", "/worlds/a/b").body, "a|b|");
  EXPECT_EQ(answer(router(), "HEAD", "/nothing").status, 404u);
  EXPECT_EQ(answer(router("0123456789abcdef"), "HEAD", "/thing").status, 401u);
  EXPECT_EQ(answer(router("0123456789abcdef"), "HEAD", "/live").status, 200u);
}

TEST(AdminRouter, DecodesParametersOfPathAndQuery) {
  Request request = request_of("GET", "/worlds/a%20b/x%2Fy");
  request.query = "limit=7";
  EXPECT_EQ(answer(router(), request).body, "a b|x/y|7");
  request.query = "";
  EXPECT_EQ(answer(router(), request).body, "a b|x/y|");
  EXPECT_EQ(answer(router(), "GET", "/worlds/a").status, 404u);
  EXPECT_EQ(answer(router(), "GET", "/worlds/a/b/c").status, 404u);
  EXPECT_EQ(answer(router(), "GET", "/worlds//b").status, 404u);
  EXPECT_EQ(answer(router(), "GET", "/worlds/%zz/b").status, 404u);
}

TEST(AdminRouter, AnUnknownQueryParameterIsRefused) {
  Request request = request_of("GET", "/worlds/a/b");
  request.query = "limits=7";
  EXPECT_EQ(refusal(answer(router(), request)),
            "400 bad_request: '/worlds/a/b' has no parameter 'limits' (did you mean 'limit'?)");
  request.query = "limit=7&limit=8";
  EXPECT_EQ(refusal(answer(router(), request)), "400 bad_request: there are two values for 'limit'");
  request.query = "limit=%7";
  EXPECT_EQ(answer(router(), request).status, 400u);
}

TEST(AdminRouter, RefusesPagesOfOtherOrigins) {
  Request request = request_of("GET", "/live");
  for (const char* origin : {"http://evil.example", "null", "", "http://127.0.0.1:8080", "127.0.0.1:7780"}) {
    request.origin = origin;
    EXPECT_EQ(answer(router(), request).status, 403u) << origin;
  }
  EXPECT_EQ(refusal(answer(router(), request)),
            "403 foreign_origin: pages in browsers are answered only if this address served them; Origin or "
            "Sec-Fetch-Site names another");
  request.origin = "http://127.0.0.1:7780";
  EXPECT_EQ(answer(router(), request).status, 200u) << "the inspector's page has the same address";
  for (const char* host : {"", "evil.example", "evil.example:7780"}) {
    request = request_of("GET", "/live");
    request.host = host;
    EXPECT_EQ(refusal(answer(router(), request)),
              "403 foreign_host: the Host header must be localhost or an IP address");
  }
}

TEST(AdminRouter, OnlyTheLivenessProbeNeedsNoToken) {
  const std::string token = "0123456789abcdef";
  Request request = request_of("GET", "/thing");
  request.host = "game.example";
  for (const char* header : {"", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdefg",
                             "Basic 0123456789abcdef", "0123456789abcdef"}) {
    request.authorization = header;
    const Response response = answer(router(token), request);
    EXPECT_EQ(response.status, 401u) << header;
    EXPECT_EQ(response.headers.at(0).first, "WWW-Authenticate");
  }
  request.path = "/nothing";
  EXPECT_EQ(answer(router(token), request).status, 401u) << "paths are not revealed";
  request.path = "/live";
  EXPECT_EQ(answer(router(token), request).status, 200u);
  request.path = "/thing";
  request.authorization = "bearer 0123456789abcdef";
  EXPECT_EQ(answer(router(token), request).status, 200u);
  request.origin = "http://evil.example";
  EXPECT_EQ(answer(router(token), request).status, 403u);
}

TEST(AdminRouter, AnExceptionIsLoggedAndAnswered) {
  testing::internal::CaptureStderr();
  for (const char* path : {"/broken", "/odd"}) {
    EXPECT_EQ(refusal(answer(router(), request_of("GET", path))),
              "500 failed: internal error; see the log of the server");
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("GET /broken: no such luck"), std::string::npos) << log;
}

TEST(AdminRouter, FurtherHostsAreAnsweredByName) {
  const auto status = [](std::vector<std::string> hosts, std::string_view host) {
    Request request = request_of("GET", "/live");
    request.host = host;
    return answer(Router({live_route()}, {}, std::move(hosts)), request).status;
  };
  EXPECT_EQ(status({"game.example"}, "Game.Example:8080"), 200u);
  EXPECT_EQ(status({"game.example"}, "localhost"), 200u);
  EXPECT_EQ(status({"game.example"}, "www.game.example"), 403u);
  EXPECT_EQ(status({"game.example"}, ""), 403u);
  EXPECT_EQ(status({""}, ""), 403u);
  EXPECT_EQ(status({"*"}, "any.example"), 200u);
}

// Returns whatever path was asked for, but has a route beside it.
Router catch_all() {
  Route rest{"GET", std::string(every_other_path),
             [](const Request& request) { return Response{200, request.path + '?' + request.query}; }};
  rest.ignores_query = true;
  return Router({live_route(), std::move(rest)});
}

TEST(AdminRouter, EveryOtherPathHasARoute) {
  EXPECT_EQ(answer(catch_all(), request_of("GET", "/live")).body, R"({"status":"live"})");
  Request request = request_of("GET", "/a/%2e%2e/b");
  request.query = "v=1&v=2&%zz";
  EXPECT_EQ(answer(catch_all(), request).body, "/a/%2e%2e/b?v=1&v=2&%zz") << "as it was sent";
  EXPECT_EQ(answer(catch_all(), request_of("HEAD", "/")).status, 200u);
  EXPECT_EQ(refusal(answer(catch_all(), request_of("POST", "/x"))),
            "405 method_not_allowed: POST is not served at '/x'; use GET, HEAD");
  EXPECT_EQ(answer(catch_all(), request_of("POST", "/live")).status, 405u) << "the path has a route of its own";
}

const std::string* header_of(const Response& response, std::string_view name) {
  const auto found = std::ranges::find(response.headers, name, [](const auto& each) { return each.first; });
  return found == response.headers.end() ? nullptr : &found->second;
}

// A route that pages of one origin may use, and one beside it.
struct AdminOrigin : testing::Test {
  static constexpr const char* page = "http://localhost:5173";

  static Router make(std::string token = {}) {
    const auto echo = [](const Request& request) {
      return request.body == "bad" ? error_response(400, "bad_request", "no such luck") : Response{200, "{}"};
    };
    Route open{"POST", "/tokens", echo};
    open.origins = {page, "https://[::1]:8443"};
    return Router({open, {"POST", "/other", echo}, {"GET", "/other", echo}}, std::move(token));
  }
  static Request request(std::string_view method, std::string_view path, std::string_view origin = page) {
    Request made = request_of(method, path);
    made.origin = origin;
    made.fetch_site = "same-site";
    made.fetch_dest = "empty";
    made.asks_for_method = method == "OPTIONS";
    return made;
  }
};

TEST_F(AdminOrigin, AnOriginIsAnsweredAtItsRouteAlone) {
  const Response given = answer(make(), request("POST", "/tokens"));
  EXPECT_EQ(given.status, 200u);
  ASSERT_NE(header_of(given, "Access-Control-Allow-Origin"), nullptr);
  EXPECT_EQ(*header_of(given, "Access-Control-Allow-Origin"), page);
  EXPECT_EQ(*header_of(given, "Vary"), "Origin");
  for (const std::string_view method : {"POST", "GET", "OPTIONS"}) {
    const Response refused = answer(make(), request(method, "/other"));
    EXPECT_EQ(refused.status, 403u) << method;
    EXPECT_EQ(header_of(refused, "Access-Control-Allow-Origin"), nullptr) << method;
  }
}

TEST_F(AdminOrigin, OtherOriginsAreRefused) {
  for (const std::string_view origin : {"http://localhost:5174", "https://localhost:5173", "http://localhost:5173.evil",
                                        "http://localhost:5173/", "HTTP://LOCALHOST:5173", "null", "", "*"}) {
    for (const std::string_view method : {"POST", "OPTIONS"}) {
      const Response refused = answer(make(), request(method, "/tokens", origin));
      EXPECT_EQ(refused.status, 403u) << origin;
      EXPECT_EQ(header_of(refused, "Access-Control-Allow-Origin"), nullptr) << origin;
      EXPECT_EQ(*header_of(refused, "Vary"), "Origin");
    }
  }
}

TEST_F(AdminOrigin, APreflightIsAnsweredWithoutTheToken) {
  const Response given = answer(make("secret"), request("OPTIONS", "/tokens"));
  EXPECT_EQ(given.status, 204u);
  EXPECT_EQ(given.body, "");
  EXPECT_EQ(*header_of(given, "Access-Control-Allow-Origin"), page);
  EXPECT_EQ(*header_of(given, "Access-Control-Allow-Methods"), "POST");
  EXPECT_EQ(*header_of(given, "Access-Control-Allow-Headers"), "Authorization, Content-Type");
  EXPECT_EQ(header_of(given, "Access-Control-Allow-Credentials"), nullptr);
  Request plain = request("OPTIONS", "/tokens");
  plain.asks_for_method = false;
  EXPECT_EQ(answer(make(), plain).status, 405u) << "only a preflight";
}

TEST_F(AdminOrigin, TheWildcardPermitsEveryPageAtItsRoute) {
  Route route{"GET", "/open", [](const Request&) { return Response{200, "{}"}; }};
  route.origins = {"*"};
  const Router router({route});
  Request request = request_of("GET", "/open");
  for (const char* origin : {"https://any.example", "null"}) {
    request.origin = origin;
    const Response response = answer(router, request);
    EXPECT_EQ(response.status, 200u);
    EXPECT_EQ(*header_of(response, "Access-Control-Allow-Origin"), origin);
  }
  request.origin.reset();
  request.fetch_site = "cross-site";
  request.fetch_dest = "image";
  EXPECT_EQ(answer(router, request).status, 403u) << "a picture cannot read the answer";
}

TEST_F(AdminOrigin, APageCanReadErrors) {
  Request bad = request("POST", "/tokens");
  bad.body = "bad";
  Request without_token = request("POST", "/tokens");
  Request unknown_parameter = request("POST", "/tokens");
  unknown_parameter.query = "x=1";
  for (const auto& [response, status] :
       {std::pair(answer(make(), bad), 400u), std::pair(answer(make("secret"), without_token), 401u),
        std::pair(answer(make(), unknown_parameter), 400u),
        std::pair(answer(make(), request("PUT", "/tokens")), 405u)}) {
    EXPECT_EQ(response.status, status);
    ASSERT_NE(header_of(response, "Access-Control-Allow-Origin"), nullptr) << status;
  }
}

TEST_F(AdminOrigin, AForeignHostStaysRefused) {
  Request rebound = request("POST", "/tokens");
  rebound.host = "evil.example";
  EXPECT_EQ(answer(make(), rebound).status, 403u) << "a name that was rebound to this machine";
}

}  // namespace
}  // namespace mobula::server::admin
