#include <gtest/gtest.h>

#include <cluster/world_token.hpp>
#include <nlohmann/json.hpp>
#include <token/token_json.hpp>

namespace mobula::cluster {
namespace world_token_test {

using nlohmann::json;

core::SecretKey key(std::uint8_t value) {
  core::SecretKey made;
  made.fill(std::byte{value});
  return made;
}

// Opens the token of an answer.
json opened(const std::string& answer, const core::SecretKey& with) {
  const std::string token = json::parse(answer)["tokens"][0];
  return json::parse(server::token_json(core::as_bytes(token.data(), token.size()), &with).value());
}

TEST(WorldToken, NamesAccountAndAllAddressesOnce) {
  const core::Result<std::string> answer = world_token_json(
      key(1), {"udp://192.0.2.1:7777", "tcp:192.0.2.1:7777", "wss://192.0.2.2/game", "ws:[2001:db8::1]:80"}, "anna");
  ASSERT_TRUE(answer) << answer.error().message;
  const json token = opened(*answer, key(1));
  EXPECT_EQ(token["servers"], json::parse(R"(["192.0.2.1:7777", "192.0.2.2:443", "[2001:db8::1]:80"])"));
  EXPECT_EQ(token["private"]["servers"], token["servers"]);
  EXPECT_EQ(token["private"]["user_data"], "anna");
  EXPECT_EQ(token["protocol_id"], "0x1414c55424f4d");
  EXPECT_EQ(token["expire_time"].get<std::uint64_t>() - token["create_time"].get<std::uint64_t>(), 60u);
}

TEST(WorldToken, TheAnswerNamesTheFirstWebSocket) {
  const auto websocket = [](const std::vector<std::string>& addresses) {
    json answer = json::parse(world_token_json(key(1), addresses, "anna").value());
    answer.erase("tokens");
    return answer.dump();
  };
  EXPECT_EQ(websocket({"udp:192.0.2.1:7777"}), "{}");
  EXPECT_EQ(websocket({"udp:192.0.2.1:7777", "wss://192.0.2.2/game", "ws:192.0.2.3:81"}),
            R"({"wss":"wss://192.0.2.2/game"})");
  EXPECT_EQ(websocket({"ws:[2001:db8::1]:7778"}), R"({"ws":"ws://[2001:db8::1]:7778"})");
}

TEST(WorldToken, EachLogInHasItsOwnClientId) {
  const auto id = [] {
    const json token = opened(world_token_json(key(1), {"192.0.2.1"}, "").value(), key(1));
    return token["private"]["client_id"].get<std::string>();
  };
  EXPECT_NE(id(), id());
}

TEST(WorldToken, AnotherKeyDoesNotOpenIt) {
  const json answer = json::parse(world_token_json(key(1), {"192.0.2.1"}, "anna").value());
  const std::string token = answer["tokens"][0];
  const core::SecretKey other = key(2);
  const core::Result<std::string> read = server::token_json(core::as_bytes(token.data(), token.size()), &other);
  ASSERT_FALSE(read);
  EXPECT_STREQ(read.error().reason, "wrong key");
}

TEST(WorldToken, OtherAddressesAndAccountsAreRefused) {
  EXPECT_STREQ(world_token_json(key(1), {"192.0.2.1:0"}, "anna").error().reason, "bad address");
  EXPECT_STREQ(world_token_json(key(1), {"quic:192.0.2.1:7777"}, "anna").error().reason, "bad address");
  EXPECT_STREQ(world_token_json(key(1), {"192.0.2.1"}, std::string(257, 'a')).error().reason, "bad request");
  EXPECT_FALSE(world_token_json(key(1), {}, "anna")) << "no servers";
}

TEST(WorldToken, NamesTheFirstAddressesOfMany) {
  std::vector<std::string> many;
  for (int i = 1; i <= 40; ++i) many.push_back("192.0.2." + std::to_string(i));
  many.emplace_back("ws:192.0.2.41:80");
  const json answer = json::parse(world_token_json(key(1), many, "anna").value());
  EXPECT_EQ(answer["ws"], "ws://192.0.2.41");
  const json servers = opened(answer.dump(), key(1))["servers"];
  EXPECT_EQ(servers.size(), 32u);
  EXPECT_EQ(servers.back(), "192.0.2.41:80") << "that of the WebSocket is among them";
}

}  // namespace world_token_test
}  // namespace mobula::cluster
