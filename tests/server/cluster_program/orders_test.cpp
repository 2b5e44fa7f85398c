#include <gtest/gtest.h>

#include <cluster/orders.hpp>
#include <mobula/core/format.hpp>

namespace mobula::cluster {
namespace orders_test {

template <class T>
std::string message(const core::Result<T>& result) {
  return result ? "" : result.error().message;
}

TEST(Orders, AWorldOrderNamesWorldAndGame) {
  const core::Result<Order> order = parse_world_order(R"({"world": "lobby-1", "game": "00ff"})");
  ASSERT_TRUE(order);
  EXPECT_EQ(order->world, "lobby-1");
  EXPECT_EQ(order->game, "00ff");
}

TEST(Orders, AMapOrderHasTheZones) {
  const core::Result<Order> order = parse_map_order(R"({"map": "land", "game": "00ff", "zones": {"zones": []}})");
  ASSERT_TRUE(order) << message(order);
  EXPECT_EQ(order->map, "land");
  EXPECT_EQ(order->game, "00ff");
  EXPECT_EQ(order->zones, R"({"zones":[]})");
  EXPECT_EQ(message(parse_map_order(R"({"map": "land", "game": "00ff", "zones": []})")), "zones: expected an object");
  EXPECT_FALSE(parse_map_order(R"({"map": "a/b", "game": "00ff", "zones": {}})").ok());
}

TEST(Orders, ASplitNamesTheZonesAndThePlace) {
  const core::Result<Order> order = parse_split_order(R"({"zone": "east", "name": "far", "z": -2.5})");
  ASSERT_TRUE(order) << message(order);
  EXPECT_EQ(order->zone, "east");
  EXPECT_EQ(order->cut.name, "far");
  EXPECT_FALSE(order->cut.across_x);
  EXPECT_EQ(order->cut.at, -2.5f);
  for (const char* const cuts : {"", R"(, "x": 1, "z": 2)"})
    EXPECT_EQ(message(parse_split_order(core::format(R"({{"zone": "east", "name": "far"{}}})", cuts))),
              "x, z: expected one of both, in metres");
  EXPECT_EQ(message(parse_split_order(R"({"zone": "east", "name": "far", "x": "1"})")), "x: expected metres");
  EXPECT_EQ(message(parse_split_order(R"({"zone": "east", "name": 1, "x": 1})")), "name: expected text");
}

TEST(Orders, AMergeNamesBothZones) {
  const core::Result<Order> order = parse_merge_order(R"({"zone": "far", "into": "east"})");
  ASSERT_TRUE(order) << message(order);
  EXPECT_EQ(order->zone, "far");
  EXPECT_EQ(order->into, "east");
  EXPECT_FALSE(parse_merge_order(R"({"zone": "far"})").ok());
}

TEST(Orders, ATokenOrderMayCreateTheWorld) {
  const core::Result<Order> plain = parse_token_order(R"({"world": "lobby", "account": "Łukasz"})");
  ASSERT_TRUE(plain) << message(plain);
  EXPECT_EQ(plain->account, "Łukasz");
  EXPECT_FALSE(plain->create);
  const core::Result<Order> creates =
      parse_token_order(R"({"world": "lobby", "account": "", "create": true, "game": "00ff"})");
  ASSERT_TRUE(creates) << message(creates);
  EXPECT_TRUE(creates->create);
  EXPECT_EQ(creates->account, "") << "a guest";
}

TEST(Orders, OtherBodiesAreRefusedWithTheMistake) {
  const std::string rule =
      " is no name; expected 1 to 64 letters, digits, '-', '_' and '.', beginning with a letter or digit";
  const std::pair<std::string, std::string> bodies[] = {
      {"", R"(expected a JSON object such as {"world": "lobby", "game": "HASH"})"},
      {"[]", R"(expected a JSON object such as {"world": "lobby", "game": "HASH"})"},
      {R"({"world": "w"})", R"(game is missing; expected an object such as {"world": "lobby", "game": "HASH"})"},
      {R"({"world": 7, "game": "g"})", "world: expected text"},
      {R"({"world": "w", "game": null})", "game: expected text"},
      {R"({"world": "", "game": "g"})", "world: ''" + rule},
      {R"({"world": "a/b", "game": "g"})", "world: 'a/b'" + rule},
      {R"({"world": "w", "game": "a b"})", "game: 'a b'" + rule},
      {R"({"world": ")" + std::string(65, 'w') + R"(", "game": "g"})",
       "world: '" + std::string(40, 'w') + "...'" + rule},
      {R"({"world": "w", "game": "g", "wrld": 1})", "there is no 'wrld' (did you mean 'world'?)"},
  };
  for (const auto& [body, expected] : bodies) {
    const core::Result<Order> order = parse_world_order(body);
    EXPECT_EQ(message(order), expected) << body;
    if (!order) EXPECT_STREQ(order.error().reason, "bad request");
  }
}

TEST(Orders, ATokenOrderIsCheckedToo) {
  const std::pair<std::string, std::string> bodies[] = {
      {R"({"world": "w"})", R"(account is missing; expected an object such as {"world": "lobby", "account": "anna"})"},
      {R"({"world": "w", "account": ["a"]})", "account: expected text"},
      {R"({"world": "w", "account": "a\u0000b"})", "account: the account has a byte of value 0, which ends its name"},
      {R"({"world": "w", "account": ")" + std::string(257, 'a') + R"("})",
       "account: the account has 257 bytes; the maximum is 256"},
      {R"({"world": "w", "account": "a", "create": 1})", "create: expected true or false"},
      {R"({"world": "w", "account": "a", "create": true})",
       "create and game: expected both to create the world if there is none, or neither"},
      {R"({"world": "w", "account": "a", "game": "g"})",
       "create and game: expected both to create the world if there is none, or neither"},
  };
  for (const auto& [body, expected] : bodies) EXPECT_EQ(message(parse_token_order(body)), expected) << body;
}

TEST(Orders, TheBodyOfADrainIsEmpty) {
  EXPECT_TRUE(check_empty(""));
  EXPECT_TRUE(check_empty("{}"));
  EXPECT_EQ(message(check_empty(R"({"seconds": 1})")), "there is no 'seconds'");
  EXPECT_FALSE(check_empty("7"));
}

}  // namespace orders_test
}  // namespace mobula::cluster
