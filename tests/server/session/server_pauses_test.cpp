// Sessions over paths that drop large datagrams, and over pauses of either side.
#include <gmock/gmock.h>

#include <server/raw_client.hpp>
#include <server/session/server_sessions.hpp>

namespace mobula::server {
namespace {

using testing::HasSubstr;
using transport::ReasonCode;

class ServerPaths : public ServerSessions {};
class ServerPauses : public ServerSessions {};

// A tunnel that carries packets of 1,200 bytes, which the handshake needs, but not of 1,253.
TEST_F(ServerPaths, AClientPlaysOverANarrowPath) {
  using Way = transport::SimulatedNetwork::Way;
  for (const Way way : {Way::to, Way::both}) {
    village.network.set_conditions({.latency = 20 * core::millisecond});
    client::ConnectionConfig config;
    config.name = "narrow";
    Client& client = village.join(config);
    village.network.limit(client.port.from, 1172, way);
    ASSERT_TRUE(village.tick_until([&] { return client.connection.state() == Connection::State::playing; }, 200))
        << to_string(client.connection.reason());
    ASSERT_TRUE(village.tick_until([&] { return village.mirrors(client); }, 600));
    const std::uint64_t ticks = client.connection.stats().ticks;
    village.ticks(100);
    EXPECT_GT(client.connection.stats().ticks, ticks + 90) << "deltas arrive";
    EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u);
    village.remove(client);
  }
}

TEST_F(ServerPaths, AClientWithoutAWelcomeEndsWithTheCause) {
  client::ConnectionConfig config;
  config.name = "tiny";
  Client& client = village.join(config);
  village.network.limit(client.port.from, 400, transport::SimulatedNetwork::Way::to);
  ASSERT_TRUE(village.tick_until([&] { return closed(client); }, 220)) << "within eleven seconds";
  EXPECT_THAT(client.connection.reason().text, HasSubstr("large datagrams do not arrive (connect over tcp: or ws:)"));
  village.ticks(5);
  EXPECT_EQ(village.server->players(), 0u);
}

TEST_F(ServerPaths, AClientThatJoinsForAMinuteIsRefused) {
  test::RawClient raw(*village.server, 77);
  raw.datagram_bytes_max = 400;
  raw.connect(test::test_token({.client_id = 77, .servers = {test::village_address}, .timeout_seconds = 0},
                               test::test_transport().private_key, test::test_unix_time));
  ASSERT_TRUE(raw.connected());
  raw.ticks(80);  // the minute begins with the Welcome
  raw.send_message(wire::Hello{.schema_fingerprint = {}, .name = "raw"});
  raw.ticks(1150);
  EXPECT_EQ(village.server->players(), 1u);
  raw.ticks(60);
  EXPECT_EQ(village.server->players(), 0u);
  EXPECT_FALSE(raw.connected());
  EXPECT_EQ(village.server->stats().refusals.at("join timeout"), 1u);
}

// The server is stopped while its client runs on. Then it receives what waited in its socket.
TEST_F(ServerPauses, APauseOfTheServerEndsNoSession) {
  Client& client = join_and_play();
  const ecs::Entity own = client.connection.player_entity();
  for (const core::Nanoseconds pause : {3 * core::second, 9 * core::second, 15 * core::second, 60 * core::second}) {
    const core::Nanoseconds resumed = village.now + pause;
    for (; village.now < resumed; village.now += test::Village::tick_length)
      if (!closed(client)) client.connection.update(village.now, client.port);
    village.server->tick(village.now, village.server_port);  // before it reads its socket
    EXPECT_EQ(village.server->endpoint().sessions().size(), 1u) << pause;
    village.tick();
    if (closed(client)) {
      EXPECT_EQ(client.connection.reason().code, ReasonCode::timed_out);
      ASSERT_TRUE(reconnects(client)) << pause;
    }
    ASSERT_TRUE(village.tick_until([&] { return village.mirrors(client); })) << pause;
    EXPECT_EQ(client.connection.player_entity(), own);
  }
  EXPECT_EQ(game.names.size(), 1u);
  EXPECT_EQ(game.left, 0);
}

TEST_F(ServerPauses, APauseOfTheServerIsNoGracePeriod) {
  Client& client = join_and_play();
  close_pipe(client);
  village.tick();
  village.now += 600 * core::second;
  ASSERT_TRUE(reconnects(client)) << to_string(client.connection.reason());
  EXPECT_EQ(game.left, 0);
}

// Server and clients are stopped, as by a laptop's lid.
TEST_F(ServerPauses, APauseOfBothSidesIsFollowedByARejoin) {
  Client& client = join_and_play();
  const ecs::Entity own = client.connection.player_entity();
  village.now += 100 * core::second;
  ASSERT_TRUE(village.tick_until([&] { return closed(client); }));
  ASSERT_TRUE(reconnects(client)) << to_string(client.connection.reason());
  EXPECT_EQ(client.connection.player_entity(), own);
  EXPECT_EQ(game.left, 0);
}

// The client is stopped while the server runs on: 9 s are no loss, 40 s are timeout and grace period, and later it
// joins anew with a new token.
TEST_F(ServerPauses, APausedClientReconnectsOrJoinsAnew) {
  for (const core::Nanoseconds pause : {9, 11, 20, 35, 60, 600}) {
    SCOPED_TRACE(pause);
    Client& client = join_and_play("client " + std::to_string(pause));
    const std::size_t names = game.names.size();
    const ecs::Entity own = client.connection.player_entity();
    const core::Nanoseconds resumed = village.now + pause * core::second;
    while (village.now < resumed) {
      village.network.deliver(
          village.now, [&](const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
            if (to == test::village_address) village.server->receive(from, datagram, village.now, village.server_port);
          });
      village.server->tick(village.now, village.server_port);
      village.now += test::Village::tick_length;
    }
    village.tick();
    EXPECT_EQ(closed(client), pause > 10);
    if (client.connection.can_rejoin() && !reconnects(client)) {
      EXPECT_THAT(to_string(client.connection.reason()), HasSubstr("session over"));
    }
    if (closed(client)) {
      ASSERT_TRUE(client.connection.can_reconnect());
      client.connection.reconnect(test::test_token(9000 + static_cast<std::uint64_t>(pause)), village.now);
    }
    ASSERT_TRUE(village.tick_until([&] { return village.mirrors(client); }));
    EXPECT_EQ(client.connection.player_entity() == own, pause < 40);
    EXPECT_EQ(game.names.size(), names + (pause < 40 ? 0 : 1));
    EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u);
    village.remove(client);
    village.ticks(700);
  }
}

TEST_F(ServerPauses, ExpiredRejoinTokensAreNotUsed) {
  Client& client = join_and_play();
  EXPECT_EQ(client.connection.rejoin_grace(), 30 * core::second);
  close_pipe(client);
  village.ticks(2);
  EXPECT_TRUE(client.connection.can_rejoin());
  village.now += 631 * core::second;
  village.tick();
  EXPECT_FALSE(client.connection.can_rejoin());
  EXPECT_TRUE(client.connection.can_reconnect());
}

}  // namespace
}  // namespace mobula::server
