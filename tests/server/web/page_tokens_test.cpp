#include <gmock/gmock.h>

#include <mobula/core/base64.hpp>
#include <mobula/server/admin/router.hpp>
#include <mobula/server/web/page_tokens.hpp>
#include <nlohmann/json.hpp>

namespace mobula::server::web {
namespace {

using admin::Request;
using admin::Response;
using nlohmann::json;

// Returns tokens that contain their request.
core::Result<std::vector<core::Bytes>> source(std::uint32_t count, std::string_view user_data) {
  const std::string text = std::to_string(count) + ' ' + std::string(user_data);
  const core::ByteView bytes = core::as_bytes(text.data(), text.size());
  return std::vector<core::Bytes>{core::Bytes(bytes.begin(), bytes.end())};
}

PageTokens tokens(TokenKind kind = TokenKind::accounts) {
  return {.kind = kind, .source = source, .origins = {"http://localhost:5173"}, .websocket = {.port = 7778}};
}

Response get(PageTokens tokens, const std::string& query = {}, const std::string& host = "localhost:8080",
             const std::optional<std::string>& origin = {}) {
  Request request;
  request.method = "GET";
  request.path = "/token";
  request.query = query;
  request.host = host;
  request.origin = origin;
  return std::get<Response>(admin::Router({page_token_route(std::move(tokens))}, {}, {"*"}).answer(request));
}

std::string token_of(const Response& response) {
  const auto bytes = core::from_base64(json::parse(response.body)["tokens"].at(0).get<std::string>());
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::string refusal(const Response& response) {
  const json error = json::parse(response.body)["error"];
  return std::to_string(response.status) + ' ' + error["code"].get<std::string>();
}

TEST(PageTokens, NamesTheWebSocketOfTheRequestedHost) {
  const PageTokens guests = tokens(TokenKind::guests);
  const auto url = [&](const std::string& host) { return json::parse(get(guests, {}, host).body)["ws"]; };
  EXPECT_EQ(url("localhost:8080"), "ws://localhost:7778");
  EXPECT_EQ(url("192.168.1.5"), "ws://192.168.1.5:7778");
  EXPECT_EQ(url("[::1]:8080"), "ws://[::1]:7778");
  EXPECT_EQ(url("Game.Example"), "ws://game.example:7778");
  EXPECT_EQ(refusal(get(guests, {}, "a b")), "400 bad_request");
  EXPECT_EQ(refusal(get(guests, {}, "\"x")), "400 bad_request");
}

TEST(PageTokens, NamesTheSecureWebSocketOfACertificate) {
  PageTokens secure = tokens();
  secure.websocket.secure = true;
  const json answer = json::parse(get(secure).body);
  EXPECT_EQ(answer["wss"], "wss://localhost:7778");
  EXPECT_FALSE(answer.contains("ws"));
  PageTokens behind = tokens();
  behind.websocket.url = "wss://game.example/game";
  EXPECT_EQ(json::parse(get(behind).body)["wss"], "wss://game.example/game");
}

TEST(PageTokens, AnAccountIsThatOfTheRequest) {
  EXPECT_EQ(token_of(get(tokens(), "user_data=anna%20b")), "1 anna b");
  EXPECT_EQ(token_of(get(tokens())), "1 ");
  EXPECT_EQ(refusal(get(tokens(), "user_data=" + std::string(257, 'x'))), "400 bad_request");
  EXPECT_EQ(refusal(get(tokens(), "user_data=a&user_data=b")), "400 bad_request");
  EXPECT_EQ(refusal(get(tokens(), "count=2")), "400 bad_request");
}

// A proxy may leave its own address in Host, or pass on the name that its clients use.
TEST(PageTokens, ClientsOfAProxyGetNoAccount) {
  EXPECT_EQ(refusal(get(tokens(), {}, "game.example")), "403 by_proxy");
  EXPECT_EQ(get(tokens(TokenKind::guests), {}, "game.example").status, 200u);
  Request request;
  request.method = "GET";
  request.path = "/token";
  request.host = "127.0.0.1:8080";
  request.by_proxy = true;
  const auto answer = [&](TokenKind kind) {
    return std::get<Response>(admin::Router({page_token_route(tokens(kind))}).answer(request));
  };
  EXPECT_EQ(refusal(answer(TokenKind::accounts)), "403 by_proxy");
  EXPECT_EQ(answer(TokenKind::guests).status, 200u);
}

TEST(PageTokens, GuestsHaveNoAccount) {
  EXPECT_EQ(token_of(get(tokens(TokenKind::guests))), "1 ");
  EXPECT_EQ(refusal(get(tokens(TokenKind::guests), "user_data=anna")), "400 bad_request");
}

TEST(PageTokens, NobodyGetsTokensWhereThereAreNone) {
  EXPECT_EQ(refusal(get(tokens(TokenKind::none))), "404 no_tokens");
}

TEST(PageTokens, ErrorsOfTheSourceAreNamed) {
  PageTokens closing = tokens();
  closing.source = [](std::uint32_t, std::string_view) -> core::Result<std::vector<core::Bytes>> {
    return core::Error{"closing", "the server is closing"};
  };
  EXPECT_EQ(refusal(get(closing)), "503 closing");
}

TEST(PageTokens, OnlyNamedOriginsMayReadThem) {
  EXPECT_EQ(get(tokens(), {}, "localhost:8080", "http://localhost:8080").status, 200u) << "its own page";
  const Response allowed = get(tokens(), {}, "localhost:8080", "http://localhost:5173");
  EXPECT_EQ(allowed.status, 200u);
  EXPECT_THAT(allowed.headers, testing::Contains(std::pair<std::string_view, std::string>("Access-Control-Allow-Origin",
                                                                                          "http://localhost:5173")));
  for (const char* origin : {"http://localhost:5174", "https://evil.example", "null", "http://127.0.0.1:8080"}) {
    const Response refused = get(tokens(), {}, "localhost:8080", origin);
    EXPECT_EQ(refusal(refused), "403 foreign_origin") << origin;
    for (const auto& [name, value] : refused.headers) EXPECT_NE(name, "Access-Control-Allow-Origin");
  }
}

}  // namespace
}  // namespace mobula::server::web
