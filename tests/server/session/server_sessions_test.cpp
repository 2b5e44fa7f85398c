#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/schema/components.hpp>
#include <server/session/server_sessions.hpp>

namespace mobula::server {
namespace {

using testing::HasSubstr;
using transport::ReasonCode;

TEST_F(ServerSessions, TheGameReceivesTheBackendsIdentity) {
  client::ConnectionConfig config;
  transport::UserData user_data{};
  user_data[0] = std::byte{12};
  config.transport.token = test::test_token(4711, user_data);
  Client& client = village.join(config);
  ASSERT_TRUE(village.tick_until([&] { return village.mirrors(client); }));
  EXPECT_THAT(game.ids, testing::ElementsAre(4711));
  EXPECT_EQ(game.players.at(0).identity.client_id, 4711u);
  EXPECT_EQ(game.players.at(0).identity.user_data, user_data);
}

TEST_F(ServerSessions, TakeNamesOfAnyLanguageUpToAWholeCharacter) {
  join_and_play("Zo\xc3\xab");
  join_and_play(std::string(23, 'a') + "\xc3\xa9");
  join_and_play("a\nb");
  EXPECT_THAT(game.names, testing::ElementsAre("Zo\xc3\xab", std::string(23, 'a'), "a?b"));
}

TEST_F(ServerSessions, AClientRefusedByTheGameReceivesTheReason) {
  client::ConnectionConfig config;
  transport::UserData user_data{};
  user_data[0] = std::byte{13};
  config.transport.token = test::test_token(4711, user_data);
  Client& client = village.join(config);
  testing::internal::CaptureStderr();
  ASSERT_TRUE(village.tick_until([&] { return closed(client); }));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("banned: not thirteen"));
  EXPECT_EQ(client.connection.reason(), (transport::Reason{ReasonCode::refused, "banned: not thirteen"}));
  EXPECT_FALSE(client.connection.can_rejoin());
  EXPECT_TRUE(game.names.empty());
}

TEST_F(ServerSessions, ADisconnectedClientReconnectsAsTheSamePlayer) {
  Client& client = join_and_play();
  const ecs::Entity own = client.connection.player_entity();
  ASSERT_TRUE(loses_connection(client));
  village.ticks(100);
  EXPECT_EQ(village.server->players(), 1u) << "disconnected, within the grace period";
  EXPECT_TRUE(village.server->world().registry().valid(own));
  ASSERT_TRUE(reconnects(client)) << to_string(client.connection.reason());
  EXPECT_EQ(client.connection.player_entity(), own);
  EXPECT_EQ(game.names.size(), 1u) << "joined once";
  EXPECT_EQ(game.left, 0);
  EXPECT_EQ(rejoins(), 1u);
  // It resumes again, with a token of the second set.
  ASSERT_TRUE(loses_connection(client));
  ASSERT_TRUE(reconnects(client));
  EXPECT_EQ(rejoins(), 2u);
  EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u);
  EXPECT_EQ(client.connection.stats().rejoins, 2u);
}

TEST_F(ServerSessions, AClientWithANewAddressKeepsItsPlayer) {
  Client& client = join_and_play();
  const ecs::Entity own = client.connection.player_entity();
  // The server does not know yet that the old address is dead.
  client.port.from = transport::Address::v4(10, 2, 0, 1, 6000);
  client.connection.pipe_closed("cut", village.now);
  village.tick();
  ASSERT_TRUE(closed(client));
  EXPECT_EQ(client.connection.reason().code, ReasonCode::pipe_lost);
  ASSERT_TRUE(reconnects(client));
  EXPECT_EQ(client.connection.player_entity(), own);
  EXPECT_EQ(village.server->players(), 1u);
  village.ticks(700);
  EXPECT_EQ(game.left, 0) << "the end of the old connection does not end the player";
  EXPECT_TRUE(village.mirrors(client));
}

TEST_F(ServerSessions, CommandsAreExecutedOnceOverALostConnection) {
  using Way = transport::SimulatedNetwork::Way;
  Client& client = join_and_play();
  const auto executed = [&] { return village.server->stats().commands; };
  const auto loses_its_path_and_reconnects = [&] {
    village.server->pipe_closed(client.port.from, village.now);
    client.connection.pipe_closed("cut", village.now);
    village.network.heal(client.port.from);
    village.tick();
    return reconnects(client);
  };
  village.network.cut(client.port.from, Way::to);
  client.connection.set_command(test::move_command(41, 0));
  ASSERT_TRUE(village.tick_until([&] { return executed() == 1; }));
  EXPECT_EQ(client.connection.commands().size(), 1u) << "it received no acknowledgement, and will send it again";
  ASSERT_TRUE(loses_its_path_and_reconnects());
  EXPECT_EQ(executed(), 1u);
  EXPECT_EQ(client.connection.commands().size(), 0u);

  village.network.cut(client.port.from, Way::from);
  client.connection.set_command(test::move_command(42, 0));
  village.ticks(3);
  ASSERT_EQ(executed(), 1u) << "the command does not arrive";
  ASSERT_TRUE(loses_its_path_and_reconnects());
  EXPECT_EQ(executed(), 2u);
  const ecs::Entity own = client.connection.player_entity();
  EXPECT_EQ(village.server->world().registry().get<const demo::Health>(own).current, 42);
}

TEST_F(ServerSessions, AConnectionWithinOneTickIsIgnored) {
  struct Visitor {
    Visitor(test::Village& where, const transport::Address& from, const transport::ConnectToken& token)
        : port(where, from), endpoint({.token = token, .servers = {}, .session = {}}, where.now) {}
    test::Village::Port port;
    transport::ClientEndpoint endpoint;
  };
  Client& honest = join_and_play("bob");
  // Connects, and leaves before the next tick. Another client gets the slot within the same tick.
  const auto pass = [&](Visitor& visitor, bool leaves) {
    struct Direct : transport::Output {
      Direct(test::Village& where, Visitor& who) : village(where), visitor(who) {}
      void send(const transport::Address& /*to*/, core::ByteView datagram) override {
        village.server->receive(visitor.port.from, datagram, village.now, answers);
      }
      struct Answers : transport::Output {
        explicit Answers(Visitor& who, test::Village& where) : visitor(who), village(where) {}
        void send(const transport::Address& to, core::ByteView datagram) override {
          if (to == visitor.port.from) visitor.endpoint.receive(test::village_address, datagram, village.now);
        }
        Visitor& visitor;
        test::Village& village;
      };
      test::Village& village;
      Visitor& visitor;
      Answers answers{visitor, village};
    } direct(village, visitor);
    for (int step = 0; step < 4 && !visitor.endpoint.connected(); ++step) {
      visitor.endpoint.update(village.now, direct);
      village.now += 100 * core::millisecond;
    }
    ASSERT_TRUE(visitor.endpoint.connected());
    if (leaves) visitor.endpoint.close({ReasonCode::left, ""}, direct);
  };
  Visitor hasty(village, transport::Address::v4(10, 3, 0, 1, 1), test::test_token(501));
  Visitor next(village, transport::Address::v4(10, 3, 0, 2, 2), test::test_token(502));
  pass(hasty, true);
  pass(next, false);
  village.ticks(3);
  EXPECT_THAT(game.ids, testing::Not(testing::Contains(501u)));
  EXPECT_THAT(game.ids, testing::Contains(502u));
  EXPECT_EQ(village.server->players(), 1u);
  village.ticks(20);
  EXPECT_TRUE(village.mirrors(honest));
}

TEST_F(ServerSessions, ALostReconnectionAttemptMayBeRepeated) {
  Client& client = join_and_play();
  const ecs::Entity own = client.connection.player_entity();
  ASSERT_TRUE(loses_connection(client));
  // The first attempt reaches the server, but its answers are lost. The next one is from another address.
  client.port.from = transport::Address::v4(10, 2, 0, 1, 6000);
  client.connection.rejoin(village.now);
  village.network.cut(client.port.from, transport::SimulatedNetwork::Way::to);
  ASSERT_TRUE(village.tick_until([&] { return closed(client); }));
  EXPECT_EQ(client.connection.reason().code, ReasonCode::no_answer);
  client.port.from = transport::Address::v4(10, 2, 0, 2, 6000);
  ASSERT_TRUE(reconnects(client)) << to_string(client.connection.reason());
  EXPECT_EQ(client.connection.player_entity(), own);
  EXPECT_EQ(game.left, 0);
}

TEST_F(ServerSessions, AReconnectionWithoutHelloExtendsNoGracePeriod) {
  Client& client = join_and_play();
  close_pipe(client);
  const core::Nanoseconds lost = village.now;
  village.tick();
  village.network.set_conditions({.latency = 200 * core::millisecond});  // its Hello arrives later than its connection
  client.connection.rejoin(village.now);
  ASSERT_TRUE(village.tick_until([&] { return village.server->endpoint().sessions().size() == 1; }));
  village.network.cut(client.port.from, transport::SimulatedNetwork::Way::from);  // no Hello
  while (village.now < lost + 29 * core::second) village.tick();
  EXPECT_EQ(game.left, 0);
  while (village.now < lost + 31 * core::second) village.tick();
  EXPECT_EQ(game.left, 1);
}

TEST_F(ServerSessions, DisconnectedPlayersAreLimited) {
  DoorkeeperGame small_game;
  ServerConfig config;
  config.disconnected_max = 2;
  test::Village small(small_game, config);
  for (int i = 0; i < 4; ++i) small.join();
  ASSERT_TRUE(small.tick_until([&] { return small.server->players() == 4 && small.mirrors(*small.clients[3]); }));
  for (const auto& client : small.clients) small.server->pipe_closed(client->port.from, small.now);
  small.tick();
  EXPECT_EQ(small.server->players(), 2u);
  EXPECT_EQ(small_game.left, 2);
}

TEST_F(ServerSessions, AClosedStreamIsNoticedAtOnce) {
  Client& client = join_and_play();
  village.server->pipe_closed(client.port.from, village.now);
  village.tick();
  EXPECT_EQ(village.server->endpoint().sessions().size(), 0u);
  EXPECT_EQ(village.server->players(), 1u);
  client.connection.pipe_closed("cut", village.now);
  village.tick();
  EXPECT_TRUE(reconnects(client));
}

TEST_F(ServerSessions, AClientMayReconnectWithinThirtySeconds) {
  Client& client = join_and_play();
  const ecs::Entity own = client.connection.player_entity();
  close_pipe(client);
  const core::Nanoseconds lost = village.now;
  village.ticks(594);
  ASSERT_TRUE(reconnects(client)) << to_string(client.connection.reason());
  EXPECT_EQ(client.connection.player_entity(), own);
  EXPECT_EQ(game.left, 0);
  while (village.now < lost + 31 * core::second) village.tick();
  EXPECT_EQ(game.left, 0) << "the grace period ended with the reconnection";
}

TEST_F(ServerSessions, ADisconnectedPlayerLeavesAfterTheGracePeriod) {
  Client& client = join_and_play();
  close_pipe(client);
  const core::Nanoseconds lost = village.now;
  while (village.now < lost + 30 * core::second) village.tick();
  EXPECT_EQ(game.left, 0);
  EXPECT_EQ(village.server->players(), 1u);
  village.tick();
  EXPECT_EQ(game.left, 1);
  EXPECT_EQ(village.server->players(), 0u);
  ASSERT_TRUE(client.connection.can_rejoin());
  client.connection.rejoin(village.now);
  ASSERT_TRUE(village.tick_until([&] { return closed(client); }));
  EXPECT_THAT(client.connection.reason().text, HasSubstr("session over"));
  EXPECT_EQ(game.names.size(), 1u);
  ASSERT_TRUE(client.connection.can_reconnect());
  client.connection.reconnect(test::test_token(4712), village.now);
  ASSERT_TRUE(village.tick_until([&] { return village.mirrors(client); }));
  EXPECT_EQ(game.names.size(), 2u) << "a new player";
  EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u);
}

TEST_F(ServerSessions, ARefusalThatFollowsNoRejoinIsFinal) {
  Client& client = join_and_play();
  close_pipe(client);
  village.tick();
  transport::UserData user_data{};
  user_data[0] = std::byte{13};  // the game refuses it
  client.connection.reconnect(test::test_token(4713, user_data), village.now);
  ASSERT_TRUE(village.tick_until([&] { return closed(client); }));
  EXPECT_EQ(client.connection.reason().code, ReasonCode::refused);
  EXPECT_FALSE(client.connection.can_reconnect());
}

TEST_F(ServerSessions, ARejoinTokenOfAnotherRunStartsANewSession) {
  Client& client = join_and_play();
  DoorkeeperGame second_game;
  ServerConfig config;
  config.transport = test::test_transport();  // the same key
  config.transport.challenge_key.fill(std::byte{1});
  config.secret.fill(std::byte{2});
  village.server = std::move(*Server::start(std::move(config), second_game));
  village.server->set_unix_time(test::test_unix_time);
  ASSERT_TRUE(village.tick_until([&] { return closed(client); }));
  ASSERT_TRUE(reconnects(client)) << to_string(client.connection.reason());
  EXPECT_EQ(second_game.names.size(), 1u);
  EXPECT_EQ(rejoins(), 0u);
  EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u);
}

TEST_F(ServerSessions, AClientThatLeftOrWasKickedCannotRejoin) {
  Client& left = join_and_play();
  left.connection.close(left.port);
  village.ticks(10);
  EXPECT_FALSE(left.connection.can_rejoin());
  EXPECT_EQ(game.left, 1);

  Client& noisy = join_and_play("eve");
  game.refuse_commands = true;
  for (int i = 0; i < 200 && !closed(noisy); ++i) {
    for (int j = 0; j < 8; ++j) {
      noisy.connection.set_command(core::Bytes{std::byte{1}});
      noisy.connection.update(village.now, noisy.port);
    }
    village.tick();
  }
  ASSERT_TRUE(closed(noisy));
  EXPECT_EQ(noisy.connection.reason().code, ReasonCode::kicked);
  EXPECT_THAT(noisy.connection.reason().text, HasSubstr("too many refusals"));
  EXPECT_FALSE(noisy.connection.can_rejoin());
  EXPECT_EQ(game.left, 2);
}

TEST_F(ServerSessions, AKickedPlayerCannotReconnect) {
  Client& here = join_and_play();
  Client& away = join_and_play("bob");
  ASSERT_TRUE(loses_connection(away));
  village.ticks(20);
  ASSERT_TRUE(village.server->kick(1, "line\nbreak").ok());
  ASSERT_TRUE(village.server->kick(1, "a second time").ok()) << "it is being disconnected already";
  ASSERT_TRUE(village.server->kick(2, "idle").ok());
  EXPECT_EQ(game.left, 1) << "the disconnected player leaves at once";
  ASSERT_TRUE(village.tick_until([&] { return closed(here); }));
  EXPECT_EQ(here.connection.reason(), (transport::Reason{ReasonCode::kicked, "line?break"}));
  EXPECT_FALSE(here.connection.can_rejoin());
  village.ticks(5);
  EXPECT_EQ(game.left, 2);
  EXPECT_EQ(village.server->players(), 0u);
  ASSERT_TRUE(away.connection.can_rejoin());
  away.connection.rejoin(village.now);
  ASSERT_TRUE(village.tick_until([&] { return closed(away); }));
  EXPECT_THAT(away.connection.reason().text, HasSubstr("session over"));
  for (const std::uint32_t nobody : {0u, 1u, 2u, 77u})
    EXPECT_STREQ(village.server->kick(nobody, "").error().reason, "no such player");
}

TEST_F(ServerSessions, AKickedPlayerWithoutAPipeIsRemoved) {
  Client& client = join_and_play();
  village.server->pipe_closed(client.port.from, village.now);  // not handled before the next tick
  ASSERT_TRUE(village.server->kick(1, "rude").ok());
  village.tick();
  EXPECT_EQ(village.server->players(), 0u);
  EXPECT_EQ(game.left, 1);
}

TEST_F(ServerSessions, NothingIsEncodedForAPipeThatIsFull) {
  Client& client = join_and_play();
  game.churn = 20;
  village.full = client.port.from;
  const std::uint64_t before = village.server->stats().deltas_sent;
  village.ticks(40);
  EXPECT_EQ(village.server->stats().deltas_sent, before);
  game.churn = 0;
  Client& other = join_and_play("bob");
  game.churn = 20;
  const std::uint64_t others = other.connection.stats().deltas;
  village.ticks(40);
  EXPECT_GE(other.connection.stats().deltas, others + 30) << "other clients are not affected";
  village.full = {};
  game.churn = 0;
  EXPECT_TRUE(village.tick_until([&] { return village.mirrors(client); }));
}

TEST_F(ServerSessions, TheLogShowsWhyDatagramsAreDropped) {
  village.server->set_unix_time(test::test_unix_time + 100'000);  // the client's clock is slow
  testing::internal::CaptureStderr();
  village.join();
  village.ticks(100);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("datagrams dropped: token expired 1; the last token expired 96400 s ago, by the clock of "
                             "this machine: if it is younger, synchronise the clocks of both machines (NTP)"));
  EXPECT_EQ(log.find("datagrams dropped"), log.rfind("datagrams dropped")) << log;
}

}  // namespace
}  // namespace mobula::server
