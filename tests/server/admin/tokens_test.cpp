#include <gtest/gtest.h>

#include <mobula/core/base64.hpp>
#include <mobula/server/admin/tokens.hpp>
#include <nlohmann/json.hpp>

namespace mobula::server::admin {
namespace {

using nlohmann::json;

Response post(const Route& route, std::string_view body) {
  Request request;
  request.method = "POST";
  request.path = "/api/tokens";
  request.host = "localhost:7780";
  request.body = body;
  return std::get<Response>(route.handler(request));
}

// Returns tokens that contain their request.
core::Result<std::vector<core::Bytes>> source(std::uint32_t count, std::string_view user_data) {
  std::vector<core::Bytes> tokens;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string text = std::to_string(i) + ' ' + std::string(user_data);
    const core::ByteView bytes = core::as_bytes(text.data(), text.size());
    tokens.emplace_back(bytes.begin(), bytes.end());
  }
  return tokens;
}

std::string message_of(const Response& response) {
  return std::to_string(response.status) + ' ' + json::parse(response.body)["error"]["message"].get<std::string>();
}

TEST(AdminTokens, IssuesTheRequestedNumber) {
  const Route route = tokens_route(source);
  EXPECT_EQ(route.method, "POST");
  EXPECT_EQ(route.path, "/api/tokens");
  const Response response = post(route, R"({"count": 3, "user_data": "anna\u0000b"})");
  ASSERT_EQ(response.status, 200u) << response.body;
  const json tokens = json::parse(response.body)["tokens"];
  ASSERT_EQ(tokens.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(core::from_base64(tokens[i].get<std::string>()), source(3, std::string_view("anna\0b", 6)).value()[i]);
  }
  EXPECT_EQ(json::parse(post(route, R"({"count":4096})").body)["tokens"].size(), 4096u);
}

TEST(AdminTokens, NameTheWebSocketOfTheServer) {
  const std::string body = R"({"count": 1})";
  const auto answer = [&](WebSocketAddress websocket) {
    return json::parse(post(tokens_route(source, websocket), body).body);
  };
  EXPECT_EQ(answer({.port = 7778})["ws"], "ws://localhost:7778");
  EXPECT_EQ(answer({.url = "wss://game.example/game"})["wss"], "wss://game.example/game");
  for (const char* name : {"ws", "wss"}) EXPECT_FALSE(answer({}).contains(name)) << "it has none";
}

TEST(AdminTokens, AnInvalidRequestIsAnError) {
  const Route route = tokens_route(source);
  const std::string too_large = "the number is too large; expected at most 1.7976931348623157e308";
  const std::string count = "400 count: expected a whole number from 1 to 4096";
  const std::pair<std::string, std::string> cases[] = {
      {"", R"(400 expected a JSON object such as {"count": 1})"},
      {"[]", R"(400 expected a JSON object such as {"count": 1})"},
      {"{", "400 line 1, column 2: expected JSON, not the end of the text"},
      {std::string(16'000, '['), "400 line 1, column 16001: expected JSON, not the end of the text"},
      {R"({"count": 1e999})", "400 line 1, column 11: " + too_large},
      {"{\"count\": 1,\n \"user_data\": [1e999]}", "400 line 2, column 16: " + too_large},
      {R"({"count": 1} x)", "400 line 1, column 14: expected JSON, not 'x'"},
      {"{\"user_data\": \"\xff\"}", "400 line 1, column 16: expected JSON, not '\uFFFD'"},
      {R"({"count": 1, "count": 2})", R"(400 the member "count" is given twice)"},
      {"{}", "400 count is missing; expected the number of tokens"},
      {R"({"user_data":"x"})", "400 count is missing; expected the number of tokens"},
      {R"({"count":0})", count},
      {R"({"count":4097})", count},
      {R"({"count":18446744073709551616})", count},
      {R"({"count":-1})", count},
      {R"({"count":1.5})", count},
      {R"({"count":"1"})", count},
      {R"({"count":null})", count},
      {R"({"count":1,"user_data":7})", "400 user_data: expected text"},
      {R"({"count":1,"userdata":"x"})", "400 there is no 'userdata' (did you mean 'user_data'?)"},
      {R"({"count":1,"user_data":")" + std::string(257, 'x') + "\"}", "400 user_data: 257 bytes; the maximum is 256"},
  };
  for (const auto& [body, message] : cases) EXPECT_EQ(message_of(post(route, body)), message) << body.substr(0, 60);
  EXPECT_EQ(post(route, R"({"count":1,"user_data":")" + std::string(256, 'x') + "\"}").status, 200u);
}

TEST(AdminTokens, AreNotIssuedWithoutASource) {
  const Response response = post(tokens_route(nullptr), R"({"count":1})");
  EXPECT_EQ(response.status, 404u);
  EXPECT_EQ(json::parse(response.body)["error"]["code"], "no_tokens");
  EXPECT_TRUE(message_of(response).starts_with("404 this server makes no tokens")) << message_of(response);
}

TEST(AdminTokens, AFailingSourceIsAnError) {
  const Route route =
      tokens_route([](std::uint32_t, std::string_view) { return core::Error{"no address", "no address is known"}; });
  testing::internal::CaptureStderr();
  EXPECT_EQ(message_of(post(route, R"({"count":1})")), "500 no address is known");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no address is known"), std::string::npos);
}

TEST(AdminTokens, ADrainingServerIsAnError) {
  const Route route = tokens_route([](std::uint32_t, std::string_view) -> core::Result<std::vector<core::Bytes>> {
    return core::Error{"closing", "the server is closing and admits no new clients"};
  });
  EXPECT_EQ(message_of(post(route, R"({"count":1})")), "503 the server is closing and admits no new clients");
}

}  // namespace
}  // namespace mobula::server::admin
