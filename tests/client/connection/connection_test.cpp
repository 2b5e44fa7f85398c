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

// A server that sends arbitrary messages over a real transport.
class HostileServer {
 public:
  explicit HostileServer(const ConnectionConfig& config = connection_config()) : connection(config, 0) {
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
      if (datagram.size() <= carried_bytes_max)
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
  // Ticks until the client is connected, and reads its Hello.
  void connect() {
    ticks(10);
    ASSERT_NE(lane(), nullptr);
    core::Bytes bytes;
    ASSERT_TRUE(lane()->next_reliable(bytes));
    hello = std::get<wire::Hello>(wire::decode_message(bytes).value());
  }
  void send_message(const wire::Message& message) { ASSERT_TRUE(lane()->send_reliable(wire::encode(message)).ok()); }
  void send_bytes(core::ByteView bytes) { ASSERT_TRUE(lane()->send_reliable(bytes).ok()); }
  // The body of a delta with four empty lists.
  static constexpr std::array empty_body{std::byte{0x21}, std::byte{0x09}};

  void send(const wire::DeltaHeader& header, core::ByteView body = empty_body) {
    core::Bytes bytes(wire::header_size(header));
    wire::write_header(header, bytes);
    bytes.insert(bytes.end(), body.begin(), body.end());
    ASSERT_TRUE(lane()->send_unreliable(bytes).ok());
  }
  // Returns the newest input that was received.
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
  std::size_t carried_bytes_max = ~std::size_t{0};  // larger datagrams of the client are lost
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
    ASSERT_NO_FATAL_FAILURE(server.connect());
  }
  void TearDown() override { core::set_log_level(core::LogLevel::info); }
  void play() {
    server.send_message(HostileServer::welcome());
    server.ticks(5);
    ASSERT_EQ(server.connection.state(), State::playing);
  }
  // Expects that a protocol error has ended the connection on both sides.
  void expect_failure() {
    server.ticks(5);
    EXPECT_EQ(server.connection.state(), State::closed);
    EXPECT_EQ(server.connection.reason().code, ReasonCode::protocol_error);
    EXPECT_EQ(server.lane(), nullptr);
  }

  HostileServer server;
};

TEST_F(ConnectionTest, SendsHelloWithNameAndVersion) {
  EXPECT_EQ(server.hello.version, wire::protocol_version);
  EXPECT_EQ(server.hello.name, "ada");
  EXPECT_FALSE(server.hello.schema_fingerprint);
  EXPECT_EQ(server.connection.state(), State::joining);
}

// The server has read Hello and lets the client wait, as in a rush.
TEST_F(ConnectionTest, WaitsAMinuteForABusyServer) {
  server.ticks(20 * 58);
  ASSERT_EQ(server.connection.state(), State::joining);
  server.ticks(20 * 3);
  EXPECT_EQ(server.connection.state(), State::closed);
  EXPECT_EQ(server.connection.reason().code, ReasonCode::handshake_timed_out);
  EXPECT_THAT(server.connection.reason().text, testing::HasSubstr("it is overloaded; try again later"));
}

TEST_F(ConnectionTest, PlaysAfterALongWaitForTheWelcome) {
  server.ticks(20 * 55);
  play();
}

TEST(ConnectionJoin, EndsWithTheCauseIfHelloIsNotAcknowledged) {
  HostileServer server;
  for (int i = 0; i < 20 && server.connection.state() != State::joining; ++i) server.tick();
  ASSERT_EQ(server.connection.state(), State::joining);
  server.carried_bytes_max = 60;  // keep-alives, but not Hello
  server.ticks(20 * 19);
  ASSERT_EQ(server.connection.state(), State::joining);
  server.ticks(20 * 2);
  EXPECT_EQ(server.connection.state(), State::closed);
  EXPECT_EQ(server.connection.reason().code, ReasonCode::handshake_timed_out);
  EXPECT_THAT(server.connection.reason().text, testing::HasSubstr("large datagrams do not arrive"));
}

TEST(ConnectionJoin, ANameLongerThanAMessageIsCut) {
  ConnectionConfig config = HostileServer::connection_config();
  config.name = std::string(5000, 'a');
  core::set_log_level(core::LogLevel::off);
  HostileServer server(config);
  ASSERT_NO_FATAL_FAILURE(server.connect());
  core::set_log_level(core::LogLevel::info);
  EXPECT_EQ(server.hello.name, std::string(player_name_bytes_max, 'a'));
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
  EXPECT_EQ(server.connection.stats().late_deltas, 1u) << "the third arrived after the fourth";
}

TEST_F(ConnectionTest, AppliesALateDeltaOnceUnlessItIsTooOld) {
  play();
  for (const std::uint32_t sequence : {40u, 9u, 9u, 8u, 40u}) server.send({.sequence = sequence, .tick = sequence});
  server.ticks(3);
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(input.newest, 40u);
  EXPECT_TRUE(input.has(40 - 9));
  EXPECT_FALSE(input.has(40 - 8)) << "it is late_max older than the newest";
  EXPECT_EQ(server.connection.stats().deltas, 2u);
}

TEST_F(ConnectionTest, CompletesShortNumbersFromThoseItHasReached) {
  play();
  server.send({.sequence = 70000, .tick = 200000});
  server.ticks(3);
  server.send({.sequence = 70001, .tick = 200001, .short_numbers = true});
  server.ticks(3);
  EXPECT_EQ(server.input().newest, 70001u);
  EXPECT_EQ(server.connection.mirror()->tick(), 200001u);
}

TEST_F(ConnectionTest, ShortNumbersBeforeALongDeltaCountAsLost) {
  play();
  server.send({.sequence = 10, .tick = 100000});
  server.send({.sequence = 9, .tick = 50, .short_numbers = true});
  server.ticks(3);
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(server.connection.state(), State::playing);
  EXPECT_EQ(input.newest, 10u);
  EXPECT_FALSE(input.has(1));
  EXPECT_EQ(server.connection.stats().late_deltas, 1u);
}

TEST_F(ConnectionTest, ALateDeltaThatCannotBeAppliedCountsAsLost) {
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

TEST_F(ConnectionTest, AcknowledgesConsecutiveDeltas) {
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

TEST_F(ConnectionTest, SendsLongAcknowledgementsToASilentServer) {
  play();
  for (std::uint32_t sequence = 1; sequence <= 300; ++sequence) {
    server.send({.sequence = sequence, .tick = sequence});
    server.tick();
  }
  EXPECT_GT(server.input().words, 3u);
}

// A delta marked as complete covers what the server knew then, and not losses that it did not know yet.
TEST_F(ConnectionTest, IsCompleteOnlyWithoutUnknownLosses) {
  play();
  const auto complete_after = [&](std::uint32_t sequence, std::uint32_t ack, bool complete = true) {
    server.send({.sequence = sequence, .tick = sequence, .ack = ack, .complete = complete});
    server.ticks(2);
    return server.connection.complete();
  };
  EXPECT_TRUE(complete_after(1, 0));
  EXPECT_FALSE(complete_after(2, 0, false));
  EXPECT_TRUE(complete_after(3, 0));
  for (std::uint32_t sequence = 5; sequence < 60; ++sequence)  // the fourth is lost, and the server receives no input
    EXPECT_FALSE(complete_after(sequence, 0)) << sequence;
  EXPECT_TRUE(complete_after(60, server.input().ack)) << "the server has acknowledged the loss and sent it again";
  EXPECT_FALSE(complete_after(62, 0));
}

TEST_F(ConnectionTest, CountsTicksAndNotDeltas) {
  play();
  for (std::uint32_t sequence = 1; sequence <= 6; ++sequence)
    server.send({.sequence = sequence, .tick = (sequence + 2) / 3});
  server.ticks(2);
  EXPECT_EQ(server.connection.stats().deltas, 6u);
  EXPECT_EQ(server.connection.stats().ticks, 2u);
}

TEST_F(ConnectionTest, VerifiesEachAcknowledgementOnce) {
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

TEST_F(ConnectionTest, ADeltaWithAnUnsentAcknowledgementEndsIt) {
  play();
  server.send({.sequence = 1, .tick = 1, .ack = 5000});
  expect_failure();
}

TEST_F(ConnectionTest, ADeltaWithAnOldAcknowledgementCountsAsLost) {
  play();
  const std::uint32_t long_ago = server.input().ack;
  server.ticks(Mirror::acknowledged_kept + 44);
  server.send({.sequence = 1, .tick = 1, .ack = long_ago});
  server.ticks(3);
  ASSERT_EQ(server.connection.state(), State::playing);
  const wire::InputDatagram input = server.input();
  EXPECT_EQ(input.newest, 0u) << "handled as a lost delta";
  server.send({.sequence = 2, .tick = 2, .ack = input.ack});
  server.ticks(3);
  EXPECT_EQ(server.input().newest, 2u);
}

TEST_F(ConnectionTest, AHashWithoutAnAcknowledgementIsIgnored) {
  play();
  server.send({.sequence = 1, .tick = 1, .ack = 0, .verifies = true, .hash = 7});
  server.ticks(2);
  EXPECT_EQ(server.connection.stats().verified_ticks + server.connection.stats().mismatched_ticks, 0u);
}

TEST_F(ConnectionTest, ARefusedCommandIsCounted) {
  EXPECT_TRUE(server.hello.refusals);
  play();
  server.send_message(wire::CommandRefused{3, "out of range: 0 to 100"});
  server.ticks(2);
  EXPECT_EQ(server.connection.stats().refused_commands, 1u);
  EXPECT_EQ(server.connection.state(), State::playing);
}

TEST_F(ConnectionTest, AMalformedMessageEndsIt) {
  server.send_bytes(core::Bytes(30, std::byte{0xcc}));
  expect_failure();
}

TEST_F(ConnectionTest, AMalformedDeltaEndsItAndKeepsTheMirror) {
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

TEST_F(ConnectionTest, AHelloFromTheServerEndsIt) {
  server.send_message(wire::Hello{.version = 1, .schema_fingerprint = {}, .name = ""});
  expect_failure();
}

TEST_F(ConnectionTest, TwoWelcomesEndIt) {
  play();
  server.send_message(HostileServer::welcome());
  expect_failure();
}

TEST_F(ConnectionTest, PrototypesAndNamesBeforeWelcomeEndIt) {
  server.send_message(wire::Prototypes{});
  expect_failure();
}

TEST_F(ConnectionTest, ASchemaWithAnotherFingerprintEndsIt) {
  wire::Welcome welcome = HostileServer::welcome();
  welcome.schema_fingerprint.bytes[0] ^= std::byte{1};
  server.send_message(welcome);
  expect_failure();
  EXPECT_EQ(server.connection.mirror(), nullptr);
}

// The program reads components with its own schema, whatever schema the server has.
TEST_F(ConnectionTest, ASchemaOtherThanTheProgramsEndsIt) {
  ConnectionConfig config = HostileServer::connection_config();
  config.schema = test::load_schema("struct Other (component) { value:int; }");
  HostileServer other(config);
  ASSERT_NO_FATAL_FAILURE(other.connect());
  other.send_message(HostileServer::welcome());
  other.ticks(5);
  EXPECT_EQ(other.connection.state(), State::closed);
  EXPECT_EQ(other.connection.mirror(), nullptr);
}

TEST_F(ConnectionTest, EventsBeforeWelcomeEndIt) {
  server.send_message(wire::Events{});
  expect_failure();
}

// Each frame of a fast display is an update, but the server handles at most 16 inputs per tick.
TEST_F(ConnectionTest, SendsAtMostFourInputsPerTick) {
  play();
  const std::uint32_t before = server.input().ack;
  for (std::uint32_t i = 1; i <= 500; ++i) {  // 20 ticks
    server.send({.sequence = i, .tick = i});
    server.frame(2 * core::millisecond);
  }
  server.ticks(2);
  const std::uint32_t inputs = server.input().ack - before;
  EXPECT_LE(inputs, 20 * 4u + 8);
  EXPECT_GE(inputs, 20 * 3u);
}

TEST_F(ConnectionTest, SendsOneInputPerTickWithoutNews) {
  play();
  const std::uint32_t before = server.input().ack;
  for (int i = 0; i < 500; ++i) server.frame(2 * core::millisecond);  // 20 ticks
  const std::uint32_t inputs = server.input().ack - before;
  EXPECT_LE(inputs, 21u);
  EXPECT_GE(inputs, 18u);
}

// The server answers commands in its deltas, of which there are none here.
TEST_F(ConnectionTest, RepeatsAnUnansweredCommandMoreOften) {
  play();
  server.send({.sequence = 1, .tick = 1});
  server.ticks(2);
  server.connection.set_command(core::as_bytes("jump", 4));
  const std::uint32_t before = server.input().ack;
  for (int i = 0; i < 500; ++i) server.frame(2 * core::millisecond);  // 20 ticks
  EXPECT_GE(server.input().ack - before, 20 * 3u);
  EXPECT_EQ(server.connection.commands().size(), 1u);
}

TEST_F(ConnectionTest, ReconnectsAfterAProtocolError) {
  server.send_bytes(core::as_bytes("nonsense", 8));
  expect_failure();
  server.connection.reconnect(test::test_token(6), server.now);
  ASSERT_NO_FATAL_FAILURE(server.connect());
  play();
}

TEST_F(ConnectionTest, ABrokenSchemaEndsIt) {
  wire::Welcome welcome = HostileServer::welcome();
  welcome.schema.resize(welcome.schema.size() / 2);
  server.send_message(welcome);
  expect_failure();
}

TEST_F(ConnectionTest, NoSchemaAtAllEndsItForAClientWithoutOne) {
  wire::Welcome welcome = HostileServer::welcome();
  welcome.schema.clear();
  server.send_message(welcome);
  expect_failure();
}

TEST(Connection, TimesOutWithoutAServer) {
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
  EXPECT_EQ(nowhere.sent, sent) << "a closed connection sends nothing";
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
  ASSERT_NE(hidden, ecs::Registry::no_pool) << "the schema describes it";
  EXPECT_EQ(mirror.registry().pool(hidden).size(), 0u) << "its values are not sent";
}

}  // namespace
}  // namespace mobula::client
