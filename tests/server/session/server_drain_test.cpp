// Drains of a server: it admits no new clients, announces its end to the others, and is done when the time is up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <server/raw_guest.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

using client::Connection;
using testing::HasSubstr;
using transport::Reason;
using transport::ReasonCode;

class ServerDrain : public testing::Test {
 protected:
  using Client = test::Village::Client;

  Client& join_and_play(const std::string& name) {
    Client& client = village.join(name);
    EXPECT_TRUE(village.tick_until([&] { return village.mirrors(client); }));
    village.ticks(5);
    return client;
  }
  static bool closed(const Client& client) { return client.connection.state() == Connection::State::closed; }

  test::TinyGame game;
  test::Village village{game};
};

TEST_F(ServerDrain, ClientsAreNotifiedAndPlayUntilTheEnd) {
  Client& client = join_and_play("ada");
  EXPECT_FALSE(village.server->draining());
  EXPECT_FALSE(village.server->drained());
  village.server->drain("another version is coming", 5);
  EXPECT_TRUE(village.server->draining());
  ASSERT_TRUE(village.tick_until([&] { return client.connection.closing().has_value(); }));
  EXPECT_EQ(client.connection.closing()->seconds, 5u);
  EXPECT_EQ(client.connection.closing()->reason, "another version is coming");
  village.ticks(80);
  EXPECT_FALSE(village.server->drained());
  EXPECT_TRUE(village.mirrors(client));
  village.ticks(25);
  EXPECT_TRUE(village.server->drained());
  village.server->shut_down(village.now, village.server_port);
  EXPECT_EQ(game.left, 1);
  ASSERT_TRUE(village.tick_until([&] { return closed(client); }));
  EXPECT_EQ(client.connection.reason(), (Reason{ReasonCode::shutting_down, "another version is coming"}));
  EXPECT_FALSE(client.connection.can_rejoin());
}

TEST_F(ServerDrain, NewClientsAreRefused) {
  join_and_play("ada");
  test::RawGuest greeting(village);  // connected, but has not sent Hello
  ASSERT_TRUE(greeting.connect());
  village.server->drain("the end", 60);
  greeting.send(wire::encode(wire::Hello{.schema_fingerprint = {}, .name = "eve"}));
  ASSERT_TRUE(greeting.closes());
  EXPECT_EQ(greeting.endpoint.reason(), (Reason{ReasonCode::shutting_down, "closing: the end"}));
  Client& late = village.join("bob");
  ASSERT_TRUE(village.tick_until([&] { return closed(late); }));
  EXPECT_EQ(late.connection.reason(), (Reason{ReasonCode::shutting_down, "closing: the end"}));
  EXPECT_EQ(game.names.size(), 1u);
}

TEST_F(ServerDrain, ADisconnectedClientMayReconnect) {
  Client& client = join_and_play("ada");
  village.server->drain("the end", 60);
  village.server->pipe_closed(client.port.from, village.now);
  client.connection.pipe_closed("cut", village.now);
  village.tick();
  ASSERT_TRUE(client.connection.can_rejoin());
  client.connection.rejoin(village.now);
  const auto is_back = [&] { return client.connection.state() == Connection::State::playing; };
  EXPECT_TRUE(village.tick_until(is_back));
  EXPECT_EQ(village.server->stats().rejoins, 1u);
  EXPECT_TRUE(village.tick_until([&] { return village.mirrors(client); }));
}

TEST_F(ServerDrain, AJoiningClientIsNotified) {
  Client& client = village.join("ada");
  while (game.names.empty()) village.tick();  // Welcome is in flight
  village.server->drain("the end", 60);
  EXPECT_TRUE(village.tick_until([&] { return client.connection.closing().has_value(); }));
  EXPECT_TRUE(village.tick_until([&] { return village.mirrors(client); }));
}

TEST_F(ServerDrain, IsDoneAtOnceWithoutClientsOrTime) {
  village.tick();
  village.server->drain("the end", 60);
  EXPECT_TRUE(village.server->drained()) << "no client is connected";
  test::TinyGame other_game;
  test::Village other(other_game);
  Client& client = other.join("ada");
  ASSERT_TRUE(other.tick_until([&] { return other.mirrors(client); }));
  other.server->drain("the end", 0);
  EXPECT_TRUE(other.server->drained());
  other.ticks(3);
  EXPECT_FALSE(client.connection.closing().has_value()) << "the disconnect follows at once";
}

TEST_F(ServerDrain, AnUnprintableReasonIsSentAsText) {
  Client& client = join_and_play("ada");
  village.server->drain("line\nbreak " + std::string(300, 'x'), 5);
  ASSERT_TRUE(village.tick_until([&] { return client.connection.closing().has_value(); }));
  EXPECT_THAT(client.connection.closing()->reason, HasSubstr("line?break xxx"));
  village.ticks(10);
  EXPECT_FALSE(closed(client));
}

}  // namespace
}  // namespace mobula::server
