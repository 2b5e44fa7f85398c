#include <gtest/gtest.h>

#include <client/connection/connection_fixture.hpp>
#include <examples/demo/demo_game.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::client {
namespace {

using State = Connection::State;
using transport::ReasonCode;

TEST_F(ConnectionTest, SendsHelloWithNameAndVersion) {
  EXPECT_EQ(server.hello.version, wire::protocol_version);
  EXPECT_EQ(server.hello.name, "ada");
  EXPECT_FALSE(server.hello.schema_fingerprint);
  EXPECT_EQ(server.connection.state(), State::joining);
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

TEST_F(ConnectionTest, OnlyALostOrClosedConnectionBeginsASession) {
  EXPECT_DEATH(server.connection.rejoin(0), "only a lost connection with a rejoin token can rejoin");
  EXPECT_DEATH(server.connection.reconnect({}, 0), "only a closed connection can reconnect");
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

TEST_F(ConnectionTest, AResourceOfferBeforeWelcomeEndsIt) {
  server.send_message(wire::ResourceOffer{});
  expect_failure();
}

TEST_F(ConnectionTest, AResourceOfferReplacesThatOfWelcome) {
  play();
  EXPECT_EQ(server.connection.levels().offers().size(), 1u);
  server.send_message(wire::ResourceOffer{{{core::content_hash({}), 100, 31}}});
  server.ticks(5);
  EXPECT_EQ(server.connection.state(), State::playing);
  EXPECT_TRUE(server.connection.levels().is_here(30));
  EXPECT_FALSE(server.connection.levels().is_here(31));
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
