#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <examples/demo/demo_game.hpp>
#include <mobula/core/log.hpp>
#include <reflect/compile_schema.hpp>
#include <server/hamlet.hpp>
#include <utility>

namespace mobula::client {
namespace {

using State = Connection::State;
using transport::ReasonCode;

// A server that says what it is told to, over a real transport.
class LyingServer {
 public:
  explicit LyingServer(const ConnectionConfig& config = connection_config()) : connection(config, 0) {
    endpoint_.set_unix_time(test::test_unix_time);
  }
  static ConnectionConfig connection_config() {
    ConnectionConfig config;
    config.transport.token = test::test_token(5);
    config.name = "ada";
    return config;
  }

  void tick() { frame(50 * core::millisecond); }
  void frame(core::Nanoseconds length) {
    now += length;
    for (const core::Bytes& datagram : std::exchange(client_port_.sent, {}))
      endpoint_.receive(transport::Address::v4(10, 0, 0, 9, 9), datagram, now, port_);
    for (const core::Bytes& datagram : std::exchange(port_.sent, {}))
      connection.receive(test::village_address, datagram, now);
    connection.update(now, client_port_);
    endpoint_.update(now, port_);
    transport::ServerEvent event;
    while (endpoint_.poll_event(event))
      if (event.kind == transport::ServerEvent::Kind::connected) session_ = event.session;
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  // Connected, and Hello has come.
  void meet() {
    ticks(10);
    ASSERT_NE(lane(), nullptr);
    core::Bytes bytes;
    ASSERT_TRUE(lane()->next_reliable(bytes));
    hello = std::get<wire::Hello>(wire::decode_message(bytes).value());
  }
  void say(const wire::Message& message) { ASSERT_TRUE(lane()->send_reliable(wire::encode(message)).ok()); }
  void say_raw(core::ByteView bytes) { ASSERT_TRUE(lane()->send_reliable(bytes).ok()); }
  // Four empty lists.
  static constexpr std::array empty_body{std::byte{0x21}, std::byte{0x09}};

  void send(const wire::DeltaHeader& header, core::ByteView body = empty_body) {
    core::Bytes bytes(wire::header_size(header));
    wire::write_header(header, bytes);
    bytes.insert(bytes.end(), body.begin(), body.end());
    ASSERT_TRUE(lane()->send_unreliable(bytes).ok());
  }
  // The newest input that has come.
  wire::InputDatagram input() {
    wire::InputDatagram newest;
    core::Bytes bytes;
    while (lane() != nullptr && lane()->next_unreliable(bytes)) EXPECT_TRUE(wire::decode_input(bytes, newest).ok());
    newest.commands.clear();
    return newest;
  }
  static wire::Welcome welcome() {
    const core::ByteView schema = test::game_schema()->bytes();
    return {.session = 1,
            .ticks_per_second = 20,
            .entities_max = 1000,
            .schema_fingerprint = test::game_schema()->fingerprint(),
            .schema = {schema.begin(), schema.end()},
            .resources = {}};
  }
  transport::Session* lane() { return endpoint_.find(session_); }

  core::Nanoseconds now = 0;
  Connection connection;
  wire::Hello hello;

 private:
  struct Port : transport::Output {
    void send(const transport::Address& /*to*/, core::ByteView datagram) override {
      sent.emplace_back(datagram.begin(), datagram.end());
    }
    std::vector<core::Bytes> sent;
  };
  static transport::ServerEndpointConfig server_config() { return test::test_transport(); }

  transport::ServerEndpoint endpoint_{server_config()};
  transport::SessionId session_;
  Port port_;
  Port client_port_;
};

class ConnectionTest : public testing::Test {
 protected:
  void SetUp() override {
    core::set_log_level(core::LogLevel::off);
    ASSERT_NO_FATAL_FAILURE(server.meet());
  }
  void TearDown() override { core::set_log_level(core::LogLevel::info); }
  void play() {
    server.say(LyingServer::welcome());
    server.ticks(5);
    ASSERT_EQ(server.connection.state(), State::playing);
  }
  // What makes no sense ends the connection, and both sides know why.
  void expect_failure() {
    server.ticks(5);
    EXPECT_EQ(server.connection.state(), State::closed);
    EXPECT_EQ(server.connection.reason().code, ReasonCode::protocol_error);
    EXPECT_EQ(server.lane(), nullptr);
  }

  LyingServer server;
};

TEST_F(ConnectionTest, SaysHelloWithNameAndVersion) {
  EXPECT_EQ(server.hello.version, wire::protocol_version);
  EXPECT_EQ(server.hello.name, "ada");
  EXPECT_FALSE(server.hello.schema_fingerprint);
  EXPECT_EQ(server.connection.state(), State::joining);
}

TEST_F(ConnectionTest, AcknowledgesWhatItHasApplied) {
  play();
  for (const std::uint32_t sequence : {1u, 2u, 4u, 3u, 70u, 300u}) {
    server.send({.sequence = sequence, .tick = sequence});
    server.ticks(3);
  }
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(input.newest, 300u);
  EXPECT_TRUE(input.has(0));
  EXPECT_TRUE(input.has(300 - 70));
  for (const std::uint32_t age : {1u, 100u, 229u, 231u, 255u}) EXPECT_FALSE(input.has(age)) << age;
  EXPECT_EQ(server.connection.stats().deltas, 6u);
  EXPECT_EQ(server.connection.stats().late_deltas, 1u) << "the third came after the fourth";
}

TEST_F(ConnectionTest, TakesLateDeltasOnceAndUntilTheServerHasGivenThemUp) {
  play();
  for (const std::uint32_t sequence : {40u, 9u, 9u, 8u, 40u}) server.send({.sequence = sequence, .tick = sequence});
  server.ticks(3);
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(input.newest, 40u);
  EXPECT_TRUE(input.has(40 - 9));
  EXPECT_FALSE(input.has(40 - 8)) << "late_max behind the newest";
  EXPECT_EQ(server.connection.stats().deltas, 2u);
}

TEST_F(ConnectionTest, ALateDeltaThatCannotBeAppliedIsAsGoodAsLost) {
  play();
  server.send({.sequence = 2, .tick = 2});
  server.send({.sequence = 1, .tick = 1}, core::Bytes(9, std::byte{0xff}));
  server.ticks(3);
  EXPECT_EQ(server.connection.state(), State::playing);
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(input.newest, 2u);
  EXPECT_TRUE(input.has(0));
  EXPECT_FALSE(input.has(1));
}

TEST_F(ConnectionTest, AcknowledgesNeighboursInTheirPlaces) {
  play();
  for (const std::uint32_t sequence : {1u, 2u, 4u}) server.send({.sequence = sequence, .tick = sequence});
  server.ticks(3);
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(input.newest, 4u);
  EXPECT_TRUE(input.has(0));
  EXPECT_FALSE(input.has(1));
  EXPECT_TRUE(input.has(2));
  EXPECT_TRUE(input.has(3));
  EXPECT_FALSE(input.has(4));
}

TEST_F(ConnectionTest, TellsOfAllThatItCanWhileTheServerHearsNothing) {
  play();
  for (std::uint32_t sequence = 1; sequence <= 300; ++sequence) {
    server.send({.sequence = sequence, .tick = sequence});
    server.tick();
  }
  EXPECT_GT(server.input().words, 3u);
}

// A delta that says to be complete speaks of what the server knew then: not of losses that it had not heard of.
TEST_F(ConnectionTest, IsCompleteWhenNothingIsMissingThatTheServerHadNotHeardOf) {
  play();
  const auto told = [&](std::uint32_t sequence, std::uint32_t ack, bool complete = true) {
    server.send({.sequence = sequence, .tick = sequence, .ack = ack, .complete = complete});
    server.ticks(2);
    return server.connection.complete();
  };
  EXPECT_TRUE(told(1, 0));
  EXPECT_FALSE(told(2, 0, false));
  EXPECT_TRUE(told(3, 0));
  for (std::uint32_t sequence = 5; sequence < 60; ++sequence)  // the fourth is lost, and the server hears nothing
    EXPECT_FALSE(told(sequence, 0)) << sequence;
  EXPECT_TRUE(told(60, server.input().ack)) << "it has heard, and what was lost has come again";
  EXPECT_FALSE(told(62, 0));
}

TEST_F(ConnectionTest, CountsTicksAndNotDeltas) {
  play();
  for (std::uint32_t sequence = 1; sequence <= 6; ++sequence)
    server.send({.sequence = sequence, .tick = (sequence + 2) / 3});
  server.ticks(2);
  EXPECT_EQ(server.connection.stats().deltas, 6u);
  EXPECT_EQ(server.connection.stats().ticks, 2u);
}

TEST_F(ConnectionTest, VerifiesEachAcknowledgementOnceAndSeesALie) {
  play();
  server.send({.sequence = 1, .tick = 1});
  server.ticks(3);
  const std::uint32_t ack = server.input().ack;
  ASSERT_GT(ack, 0u);
  server.send({.sequence = 2, .tick = 2, .ack = ack, .verifies = true, .hash = 0});
  server.send({.sequence = 3, .tick = 2, .ack = ack, .verifies = true, .hash = 1});
  server.ticks(2);
  EXPECT_EQ(server.connection.stats().verified_ticks, 1u);
  EXPECT_EQ(server.connection.stats().mismatched_ticks, 0u);
  server.send({.sequence = 4, .tick = 3, .ack = server.input().ack, .verifies = true, .hash = 0xbad});
  server.ticks(2);
  EXPECT_EQ(server.connection.stats().verified_ticks, 1u);
  EXPECT_EQ(server.connection.stats().mismatched_ticks, 1u);
  EXPECT_EQ(server.connection.state(), State::playing);
}

TEST_F(ConnectionTest, ADeltaThatRestsOnAnAcknowledgementThatItNeverGaveEndsIt) {
  play();
  server.send({.sequence = 1, .tick = 1, .ack = 5000});
  expect_failure();
}

TEST_F(ConnectionTest, AServerThatHasHeardNothingForLongIsStillUnderstoodWhenItHears) {
  play();
  const std::uint32_t long_ago = server.input().ack;
  server.ticks(Mirror::acknowledged_kept + 44);
  server.send({.sequence = 1, .tick = 1, .ack = long_ago});
  server.ticks(3);
  ASSERT_EQ(server.connection.state(), State::playing);
  const wire::InputDatagram heard = server.input();
  EXPECT_EQ(heard.newest, 0u) << "as good as lost";
  server.send({.sequence = 2, .tick = 2, .ack = heard.ack});
  server.ticks(3);
  EXPECT_EQ(server.input().newest, 2u);
}

TEST_F(ConnectionTest, AVerificationOfNoAcknowledgementSaysNothing) {
  play();
  server.send({.sequence = 1, .tick = 1, .ack = 0, .verifies = true, .hash = 7});
  server.ticks(2);
  EXPECT_EQ(server.connection.stats().verified_ticks + server.connection.stats().mismatched_ticks, 0u);
}

TEST_F(ConnectionTest, AMalformedMessageEndsIt) {
  server.say_raw(core::Bytes(30, std::byte{0xcc}));
  expect_failure();
}

TEST_F(ConnectionTest, AMalformedDeltaEndsItAndLeavesTheMirror) {
  play();
  server.send({.sequence = 1, .tick = 1}, core::Bytes(9, std::byte{0xff}));
  expect_failure();
  EXPECT_EQ(server.connection.mirror()->hash(), 0u);
  server.connection.mirror()->check();
}

TEST_F(ConnectionTest, ADeltaBeforeWelcomeEndsIt) {
  server.send({.sequence = 1, .tick = 1});
  expect_failure();
}

TEST_F(ConnectionTest, AServerThatSaysHelloEndsIt) {
  server.say(wire::Hello{.version = 1, .schema_fingerprint = {}, .name = ""});
  expect_failure();
}

TEST_F(ConnectionTest, TwoWelcomesEndIt) {
  play();
  server.say(LyingServer::welcome());
  expect_failure();
}

TEST_F(ConnectionTest, PrototypesAndNamesBeforeWelcomeEndIt) {
  server.say(wire::Prototypes{});
  expect_failure();
}

TEST_F(ConnectionTest, ASchemaThatIsNotTheOneNamedEndsIt) {
  wire::Welcome welcome = LyingServer::welcome();
  welcome.schema_fingerprint.bytes[0] ^= std::byte{1};
  server.say(welcome);
  expect_failure();
  EXPECT_EQ(server.connection.mirror(), nullptr);
}

// Whatever the server says of it: the program reads components as its own schema has them.
TEST_F(ConnectionTest, AnotherSchemaThanTheProgramsEndsIt) {
  ConnectionConfig config = LyingServer::connection_config();
  config.schema = test::load_schema("struct Other (component) { value:int; }");
  LyingServer other(config);
  ASSERT_NO_FATAL_FAILURE(other.meet());
  other.say(LyingServer::welcome());
  other.ticks(5);
  EXPECT_EQ(other.connection.state(), State::closed);
  EXPECT_EQ(other.connection.mirror(), nullptr);
}

TEST_F(ConnectionTest, EventsBeforeWelcomeEndIt) {
  server.say(wire::Events{});
  expect_failure();
}

// Each frame of a fast screen is an update; the server takes no more than 16 inputs in a tick.
TEST_F(ConnectionTest, HoweverOftenItIsUpdatedItSaysFourThingsInATickAtMost) {
  play();
  const std::uint32_t before = server.input().ack;
  for (int i = 0; i < 500; ++i) server.frame(2 * core::millisecond);  // 20 ticks
  server.ticks(2);
  const std::uint32_t said = server.input().ack - before;
  EXPECT_LE(said, 20 * 4u + 8);
  EXPECT_GE(said, 20 * 3u);
}

TEST_F(ConnectionTest, AfterAServerThatMadeNoSenseItCanEnterAgain) {
  server.say_raw(core::as_bytes("nonsense", 8));
  expect_failure();
  server.connection.reconnect(test::test_token(6), server.now);
  ASSERT_NO_FATAL_FAILURE(server.meet());
  play();
}

TEST_F(ConnectionTest, ABrokenSchemaEndsIt) {
  wire::Welcome welcome = LyingServer::welcome();
  welcome.schema.resize(welcome.schema.size() / 2);
  server.say(welcome);
  expect_failure();
}

TEST_F(ConnectionTest, NoSchemaAtAllEndsItForAClientWithoutOne) {
  wire::Welcome welcome = LyingServer::welcome();
  welcome.schema.clear();
  server.say(welcome);
  expect_failure();
}

TEST(Connection, ToNobodyTimesOut) {
  struct Nowhere : transport::Output {
    void send(const transport::Address&, core::ByteView) override { ++sent; }
    int sent = 0;
  } nowhere;
  ConnectionConfig config;
  config.transport.token = test::test_token(6);
  Connection connection(config, 0);
  core::Nanoseconds now = 0;
  for (; now < 60 * core::second && connection.state() != State::closed; now += 50 * core::millisecond)
    connection.update(now, nowhere);
  EXPECT_EQ(connection.state(), State::closed);
  EXPECT_EQ(connection.reason().code, ReasonCode::no_answer);
  EXPECT_GT(nowhere.sent, 10);
  EXPECT_LE(now, 12 * core::second);
  const int sent = nowhere.sent;
  connection.update(now + core::second, nowhere);
  connection.close(nowhere);
  EXPECT_EQ(nowhere.sent, sent) << "what is closed is silent";
}

TEST(Connection, MirrorsTheDemoWithoutKnowingItsComponents) {
  demo::DemoGame game;
  server::ServerConfig config;
  config.level = test::hamlet();
  test::Village village(game, config, {.latency = 30 * core::millisecond, .loss_ppm = 50'000});
  test::Village::Client& client = village.join();
  ASSERT_TRUE(village.tick_until([&] { return client.connection.stats().verified_ticks > 50; }));
  EXPECT_EQ(client.connection.stats().mismatched_ticks, 0u);
  Mirror& mirror = *client.connection.mirror();
  mirror.check();
  EXPECT_GE(mirror.size(), test::hamlet()->level().num_entities / 2);
  EXPECT_EQ(mirror.names().text(core::StringId32("Fog")), "Fog");
  const ecs::PoolId hidden = mirror.registry().find_pool(core::StringId32("Wander"), core::StringId32("Wander"));
  ASSERT_NE(hidden, ecs::Registry::no_pool) << "the schema tells of it";
  EXPECT_EQ(mirror.registry().pool(hidden).size(), 0u) << "what is not sent is not there";
}

}  // namespace
}  // namespace mobula::client
