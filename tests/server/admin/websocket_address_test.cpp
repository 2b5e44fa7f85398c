#include <gtest/gtest.h>

#include <mobula/server/admin/websocket_address.hpp>

namespace mobula::server::admin {
namespace {

Request from(const std::string& host) {
  Request request;
  request.host = host;
  return request;
}

TEST(WebSocketAddress, HasTheHostOfTheRequest) {
  const WebSocketAddress plain{.port = 7778};
  EXPECT_EQ(plain.url_for(from("localhost:7780")), "ws://localhost:7778");
  EXPECT_EQ(plain.url_for(from("Game.Example")), "ws://game.example:7778");
  const WebSocketAddress secure{.port = 7778, .secure = true};
  EXPECT_EQ(secure.url_for(from("[::1]:7780")), "wss://[::1]:7778");
}

TEST(WebSocketAddress, IsThePublicUrlWhereThereIsOne) {
  const WebSocketAddress behind{.url = "wss://game.example/game", .port = 7778};
  EXPECT_EQ(behind.url_for(from("localhost")), "wss://game.example/game");
  EXPECT_EQ(behind.url_for(from("")), "wss://game.example/game");
}

TEST(WebSocketAddress, IsEmptyWithoutAPortOrAHost) {
  EXPECT_EQ(WebSocketAddress().url_for(from("localhost")), "");
  for (const char* host : {"", ":7780", "a b", "\"x"})
    EXPECT_EQ(WebSocketAddress{.port = 1}.url_for(from(host)), "") << host;
}

}  // namespace
}  // namespace mobula::server::admin
