#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/wire/messages.hpp>
#include <reflect/compile_schema.hpp>
#include <server/hamlet.hpp>
#include <server/raw_guest.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

using client::Connection;
using testing::HasSubstr;
using transport::ReasonCode;

using test::TinyGame;

class ServerTest : public testing::Test {
 protected:
  using Client = test::Village::Client;

  static bool playing(const Client& client) { return client.connection.state() == Connection::State::playing; }
  static bool closed(const Client& client) { return client.connection.state() == Connection::State::closed; }
  Client& join_and_play(const std::string& name) {
    Client& client = village.join(name);
    EXPECT_TRUE(village.tick_until([&] { return village.mirrors(client); }));
    return client;
  }
  [[nodiscard]] std::uint64_t refused(const std::string& reason) const {
    const auto found = village.server->stats().refusals.find(reason);
    return found == village.server->stats().refusals.end() ? 0 : found->second;
  }

  TinyGame game;
  test::Village village{game};
};

TEST_F(ServerTest, WorldTransformsAreCurrentAfterEachTick) {
  game.churn = 3;
  ecs::Registry& registry = village.server->world().registry();
  for (int i = 0; i < 3; ++i) {
    village.tick();
    for (const ecs::Entity entity : game.churning)
      EXPECT_EQ(registry.get<const hierarchy::WorldTransform>(entity).position,
                registry.get<const engine::Transform>(entity).position);
  }
}

TEST_F(ServerTest, AClientJoinsMirrorsAndLeaves) {
  Client& client = join_and_play("ada");
  EXPECT_THAT(game.names, testing::ElementsAre("ada"));
  EXPECT_EQ(village.server->players(), 1u);
  const ecs::Entity own = client.connection.player_entity();
  EXPECT_TRUE(village.server->world().registry().valid(own));
  EXPECT_TRUE(client.connection.mirror()->registry().valid(own)) << "the handle is the same on both sides";
  EXPECT_EQ(client.connection.ticks_per_second(), 20u);
  village.ticks(20);
  EXPECT_GT(client.connection.stats().verified_ticks, 5u);
  EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u);

  client.connection.close(client.port);
  village.ticks(5);
  EXPECT_EQ(game.left, 1);
  EXPECT_EQ(village.server->players(), 0u);
  EXPECT_FALSE(village.server->world().registry().valid(own));
}

TEST_F(ServerTest, ClientsMirrorEachOther) {
  Client& ada = join_and_play("ada");
  Client& bob = join_and_play("bob");
  ASSERT_TRUE(village.tick_until([&] { return village.mirrors(ada) && village.mirrors(bob); }));
  EXPECT_TRUE(ada.connection.mirror()->registry().valid(bob.connection.player_entity()));
  ada.connection.close(ada.port);
  const ecs::Entity gone = ada.connection.player_entity();
  village.ticks(10);
  EXPECT_FALSE(bob.connection.mirror()->registry().valid(gone));
  EXPECT_TRUE(village.mirrors(bob));
}

TEST_F(ServerTest, ACommandIsExecutedAndItsEffectMirrored) {
  Client& client = join_and_play("ada");
  client.connection.set_command(test::move_command(42, 0));
  village.ticks(10);
  EXPECT_EQ(village.server->stats().commands, 1u);
  ecs::Registry& mirrored = client.connection.mirror()->registry();
  const ecs::PoolId pool = mirrored.find_pool(core::StringId32("Health"), core::StringId32("Health"));
  const std::byte* bytes = mirrored.try_read(client.connection.player_entity(), pool);
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(core::load<demo::Health>(bytes).current, 42);
}

TEST_F(ServerTest, AMalformedCommandIsCountedAndHarmless) {
  Client& client = join_and_play("ada");
  const std::uint64_t before = village.published_hash();
  client.connection.set_command(core::Bytes(300, std::byte{0xee}));
  village.ticks(10);
  EXPECT_EQ(refused("malformed command"), 1u);
  EXPECT_EQ(village.published_hash(), before);
  EXPECT_TRUE(playing(client));
}

TEST_F(ServerTest, RefusedCommandsAreLoggedWithTheirPlayer) {
  Client& client = join_and_play("ada");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 20; ++i) {  // one second
    client.connection.set_command(core::Bytes(30, std::byte{0xee}));
    village.tick();
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("refused from player 1 \"ada\": malformed command"));
  EXPECT_GT(refused("malformed command"), 10u);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = log.find("refused of", at)) != std::string::npos; ++at) ++lines;
  EXPECT_LT(lines, refused("malformed command")) << log;
}

TEST_F(ServerTest, ExcessCommandsAreExecutedInTheNextTick) {
  Client& client = join_and_play("ada");
  for (std::size_t i = 0; i < 2 * CommandBuffer::per_tick_max; ++i) {
    client.connection.set_command(test::move_command(1, 0));
    client.connection.update(village.now, client.port);
  }
  ASSERT_TRUE(village.tick_until([&] { return village.server->stats().commands > 0; }));
  EXPECT_EQ(village.server->stats().commands, CommandBuffer::per_tick_max);
  village.ticks(1);
  EXPECT_EQ(village.server->stats().commands, 2 * CommandBuffer::per_tick_max);
  village.ticks(5);
  EXPECT_EQ(client.connection.commands().size(), 0u) << "the client received the feedback";
  EXPECT_TRUE(playing(client));
}

TEST_F(ServerTest, TheGameMayRefuseAPlayerWithAReason) {
  Client& client = village.join("nobody");
  ASSERT_TRUE(village.tick_until([&] { return closed(client); }));
  EXPECT_EQ(client.connection.reason(), (transport::Reason{ReasonCode::refused, "banned: nobody is not welcome"}));
  EXPECT_EQ(refused("banned"), 1u);
  EXPECT_EQ(village.server->players(), 0u);
  village.ticks(5);
  EXPECT_EQ(game.left, 0) << "a refused player does not leave";
}

TEST_F(ServerTest, ANameIsMadePrintableAndShort) {
  join_and_play("new\nline and much more than twenty-four characters");
  ASSERT_EQ(game.names.size(), 1u);
  EXPECT_EQ(game.names[0], "new?line and much more t");
}

TEST_F(ServerTest, AnotherSchemaIsRefusedWithTheReasonOnBothSides) {
  Client& client = village.join("ada", test::load_schema("struct Other (component) { value:int; }"));
  testing::internal::CaptureStderr();
  ASSERT_TRUE(village.tick_until([&] { return closed(client); }));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("other schema"));
  EXPECT_EQ(client.connection.reason().code, ReasonCode::refused);
  EXPECT_THAT(client.connection.reason().text, HasSubstr("other schema"));
  EXPECT_EQ(refused("other schema"), 1u);
}

TEST_F(ServerTest, AKnownSchemaIsNotSent) {
  Client& with = village.join("ada", test::game_schema());
  ASSERT_TRUE(village.tick_until([&] { return village.mirrors(with); }));
  const std::uint64_t bytes = with.connection.session().stats().bytes_received;
  Client& without = join_and_play("bob");
  EXPECT_LT(bytes + test::game_schema()->bytes().size() / 2, without.connection.session().stats().bytes_received);
}

TEST_F(ServerTest, AnotherProtocolVersionIsRefusedOnBothSides) {
  test::RawGuest raw(village);
  ASSERT_TRUE(raw.connect());
  raw.send(wire::encode(wire::Hello{.version = wire::protocol_version + 1, .schema_fingerprint = {}, .name = "ada"}));
  testing::internal::CaptureStderr();
  ASSERT_TRUE(raw.closes());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("other protocol"));
  EXPECT_EQ(raw.endpoint.reason().code, ReasonCode::other_protocol);
  EXPECT_THAT(raw.endpoint.reason().text, HasSubstr("the client " + std::to_string(wire::protocol_version + 1)));
  EXPECT_TRUE(game.names.empty());
}

TEST_F(ServerTest, AMalformedMessageClosesOnlyItsSession) {
  Client& honest = join_and_play("ada");
  test::RawGuest raw(village);
  ASSERT_TRUE(raw.connect());
  raw.send(core::Bytes(40, std::byte{0xff}));
  // Later messages are ignored, even valid ones.
  raw.send(wire::encode(wire::Hello{.version = wire::protocol_version, .schema_fingerprint = {}, .name = "eve"}));
  ASSERT_TRUE(raw.closes());
  EXPECT_EQ(raw.endpoint.reason().code, ReasonCode::protocol_error);
  EXPECT_EQ(refused("malformed message"), 1u);
  EXPECT_THAT(game.names, testing::ElementsAre("ada"));
  village.ticks(20);
  EXPECT_TRUE(playing(honest));
  EXPECT_TRUE(village.mirrors(honest));
}

TEST_F(ServerTest, AClientWithoutHelloIsDisconnected) {
  test::RawGuest raw(village);
  ASSERT_TRUE(raw.connect());
  for (int i = 0; i < 90 && !raw.endpoint.closed(); ++i) raw.tick();  // 4.5 s
  EXPECT_FALSE(raw.endpoint.closed());
  ASSERT_TRUE(raw.closes());
  EXPECT_EQ(raw.endpoint.reason().code, ReasonCode::timed_out);
  EXPECT_EQ(refused("no hello"), 1u);
}

TEST_F(ServerTest, MessagesOutOfTurnCloseTheSession) {
  const wire::Hello hello{.version = wire::protocol_version, .schema_fingerprint = {}, .name = "eve"};
  std::uint64_t client_id = 100;
  for (const std::vector<wire::Message>& said : std::vector<std::vector<wire::Message>>{
           {wire::PlayerEntity{{1, 1}}}, {hello, hello}, {hello, wire::Names{{"text"}}}}) {
    test::RawGuest raw(village, ++client_id);
    ASSERT_TRUE(raw.connect());
    for (const wire::Message& message : said) raw.send(wire::encode(message));
    ASSERT_TRUE(raw.closes());
    EXPECT_EQ(raw.endpoint.reason().code, ReasonCode::protocol_error);
    village.ticks(100);  // the transport keeps the address for a while
  }
  EXPECT_EQ(refused("out of turn"), 3u);
  EXPECT_EQ(game.left, static_cast<int>(game.names.size())) << "every player that joined has left";
  EXPECT_EQ(village.server->players(), 0u);
}

TEST_F(ServerTest, EarlyAndMalformedInputsAreHarmless) {
  test::RawGuest raw(village);
  ASSERT_TRUE(raw.connect());
  const auto rant = [&] {
    for (std::size_t size : {1u, 39u, 40u, 41u, 1000u})
      ASSERT_TRUE(raw.endpoint.session().send_unreliable(core::Bytes(size, std::byte{0xff})).ok());
    for (int i = 0; i < 10; ++i) raw.tick();
  };
  rant();
  EXPECT_EQ(village.server->stats().refusals.size(), 0u) << "inputs are ignored before Hello";
  raw.send(wire::encode(wire::Hello{.version = wire::protocol_version, .schema_fingerprint = {}, .name = "eve"}));
  for (int i = 0; i < 10; ++i) raw.tick();
  rant();
  EXPECT_EQ(refused("malformed input"), 5u);
  core::Bytes future(wire::input_bytes_max);
  future.resize(wire::encode_input({.ack = 1, .newest = 5000}, future).bytes);
  ASSERT_TRUE(raw.endpoint.session().send_unreliable(future).ok());
  for (int i = 0; i < 10; ++i) raw.tick();
  EXPECT_EQ(refused("acknowledges the future"), 1u);
  EXPECT_EQ(village.server->stats().commands, 0u);
  EXPECT_TRUE(raw.endpoint.connected());
}

TEST_F(ServerTest, GarbageDatagramsAreCountedAndHarmless) {
  Client& client = join_and_play("ada");
  core::Random random(11);
  const std::uint64_t before = village.server->endpoint().counters().datagrams;
  for (int i = 0; i < 2000; ++i) {
    core::Bytes garbage(random.below(1400));
    for (std::byte& byte : garbage) byte = static_cast<std::byte>(random.next());
    if (!garbage.empty() && random.chance(1, 2)) garbage[0] = static_cast<std::byte>(random.below(9));
    // From an unauthenticated peer, and with the client's address as the sender.
    const auto from = random.chance(1, 2) ? client.port.from : transport::Address::v4(10, 5, 5, 5, 5);
    village.server->receive(from, garbage, village.now, village.server_port);
    if (i % 100 == 0) village.tick();
  }
  EXPECT_GE(village.server->endpoint().counters().datagrams, before + 2000);
  EXPECT_GT(village.server->endpoint().counters().dropped.total(), 0u);
  village.ticks(10);
  EXPECT_TRUE(village.mirrors(client));
  EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u);
}

TEST_F(ServerTest, ASilentClientAffectsNoOther) {
  game.churn = 200;
  Client& deaf = village.join("deaf");
  ASSERT_TRUE(village.tick_until([&] { return playing(deaf); }));
  Client& honest = village.join("ada");
  village.ticks(20);
  deaf.mute = true;
  const std::uint64_t deltas = village.server->stats().deltas_sent;
  village.ticks(150);  // less than the timeout
  EXPECT_GT(village.server->stats().deltas_sent, deltas);
  EXPECT_LT(village.server->stats().deltas_sent - deltas, 150 * 16u + SentDeltas::window_max + 150);
  EXPECT_EQ(honest.connection.stats().mismatched_ticks, 0u);
  EXPECT_GE(honest.connection.stats().verified_ticks, 100u);
  game.churn = 0;
  village.ticks(10);
  EXPECT_TRUE(village.mirrors(honest));
  village.ticks(250);
  EXPECT_EQ(game.left, 0) << "the silent client timed out, and may reconnect";
  village.ticks(600);
  EXPECT_EQ(game.left, 1);
  EXPECT_TRUE(playing(honest));
}

TEST_F(ServerTest, AClientRecoversFromAnOutage) {
  game.churn = 200;
  Client& client = village.join("ada");
  village.ticks(30);
  village.network.set_conditions({.loss_ppm = 1'000'000});
  village.ticks(120);  // with several deltas per tick: more than a window
  village.network.set_conditions({});
  village.ticks(30);
  game.churn = 0;
  EXPECT_TRUE(village.tick_until([&] { return village.mirrors(client); }, 100));
  EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u);
}

TEST_F(ServerTest, AShutdownNotifiesClientsAndTheGame) {
  Client& client = join_and_play("ada");
  Client& away = join_and_play("bob");
  village.server->pipe_closed(away.port.from, village.now);
  village.tick();
  EXPECT_EQ(game.left, 0);
  village.server->shut_down(village.now, village.server_port);
  EXPECT_EQ(game.left, 2) << "the disconnected player leaves too";
  village.network.deliver(village.now,
                          [&](const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
                            if (to == client.port.from) client.connection.receive(from, datagram, village.now);
                          });
  client.connection.update(village.now, client.port);
  EXPECT_TRUE(closed(client));
  EXPECT_EQ(client.connection.reason().code, ReasonCode::shutting_down);
}

TEST_F(ServerTest, AWorldAtItsLastTickShutsDown) {
  Client& client = join_and_play("ada");
  village.server->world().registry().set_tick(ecs::ticks_max - 1);
  village.tick();
  EXPECT_FALSE(village.server->drained());
  village.tick();
  EXPECT_TRUE(village.server->drained());
  village.server->shut_down(village.now, village.server_port);
  EXPECT_FALSE(closed(client));
}

// A game with systems, which may kick a player.
class SystematicGame : public TinyGame {
 public:
  void systems(World& world, ecs::Schedule& schedule) override {
    const ecs::PhaseId phase = schedule.add_phase("healing");
    schedule.add_each<demo::Health>("heal", phase, [this](demo::Health& health) {
      order.push_back(ticks);
      health.current = 7;
    });
    schedule.add("kick", phase, [this, &world](const ecs::SystemContext&) {
      if (unwanted != 0) world.kick(unwanted, "being rude");
    });
  }
  std::vector<int> order;  // tick of each run
  std::uint32_t unwanted = 0;
};

TEST(Server, RunsAndTimesTheGamesSystemsAfterItsTick) {
  static core::Nanoseconds clock = 0;
  SystematicGame game;
  ServerConfig config;
  config.phase_clock = [] { return clock += 1000; };
  test::Village village(game, config);
  test::Village::Client& ada = village.join("ada");
  ASSERT_TRUE(village.tick_until([&] { return village.mirrors(ada); }));
  ASSERT_FALSE(game.order.empty());
  EXPECT_EQ(game.order.back(), game.ticks) << "systems run after Game::tick";
  const ecs::Schedule& schedule = village.server->schedule();
  ASSERT_EQ(schedule.systems().size(), 2u);
  EXPECT_EQ(schedule.systems()[0].name, "heal");
  EXPECT_EQ(schedule.systems()[0].times.runs, static_cast<std::uint64_t>(game.ticks));
  EXPECT_GT(schedule.systems()[0].times.total_ns, 0);
  EXPECT_EQ(schedule.phases()[0].name, "healing");
}

TEST(Server, APlayerKickedByTheGameReceivesTheReasonAndLeaves) {
  SystematicGame game;
  test::Village village(game);
  test::Village::Client& ada = village.join("ada");
  test::Village::Client& bob = village.join("bob");
  ASSERT_TRUE(village.tick_until([&] { return village.mirrors(ada) && village.mirrors(bob); }));
  game.unwanted = 1;
  ASSERT_TRUE(village.tick_until([&] { return ada.connection.state() == Connection::State::closed; }));
  EXPECT_EQ(ada.connection.reason(), (transport::Reason{ReasonCode::kicked, "being rude"}));
  EXPECT_FALSE(ada.connection.can_rejoin());
  village.ticks(5);
  EXPECT_EQ(game.left, 1);
  EXPECT_EQ(village.server->players(), 1u);
  EXPECT_EQ(village.server->stats().refusals.at("kicked"), 1u) << "repeated kicks count once";
  EXPECT_TRUE(village.mirrors(bob));
}

TEST(Server, RefusesClientsBeyondItsMaximum) {
  TinyGame game;
  ServerConfig config;
  config.transport.sessions_max = 2;
  test::Village village(game, config);
  test::Village::Client& a = village.join("a");
  test::Village::Client& b = village.join("b");
  ASSERT_TRUE(village.tick_until([&] { return village.mirrors(a) && village.mirrors(b); }));
  test::Village::Client& c = village.join("c");
  ASSERT_TRUE(village.tick_until([&] { return c.connection.state() == Connection::State::closed; }));
  EXPECT_EQ(c.connection.reason().code, ReasonCode::server_full);
  a.connection.close(a.port);
  village.ticks(60);
  test::Village::Client& d = village.join("d");
  EXPECT_TRUE(village.tick_until([&] { return village.mirrors(d); }));
  EXPECT_EQ(b.connection.state(), Connection::State::playing);
}

TEST(Server, DoesNotStartWithABadSchema) {
  class BadGame : public TinyGame {
    [[nodiscard]] core::ByteView schema() const override { return {}; }
  } game;
  const auto server = Server::start({}, game);
  ASSERT_FALSE(server.ok());
  EXPECT_STREQ(server.error().reason, "bad schema");
}

TEST(Server, SendsNoMoreDeltasPerTickThanItsBudget) {
  TinyGame game;
  game.churn = 2000;
  ServerConfig config;
  config.delta_bytes_per_tick_max = 3000;
  test::Village village(game, config);
  village.join("ada");
  for (int i = 0; i < 60; ++i) {  // from the first tick, because spawned entities cost the most
    const std::uint64_t before = village.server->stats().delta_bytes_sent;
    village.tick();
    ASSERT_LE(village.server->stats().delta_bytes_sent - before, 3000u);
  }
}

}  // namespace
}  // namespace mobula::server
