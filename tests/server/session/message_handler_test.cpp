// Refused and late commands: what they cost, what their client is sent, and what is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <server/raw_client.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

using testing::HasSubstr;

// A client of a small server. It sends inputs as bytes.
class RefusedCommands : public testing::Test {
 protected:
  RefusedCommands() {
    ServerConfig config;
    config.transport = test::test_transport();
    config.token_servers = config.transport.public_addresses;
    server_ = std::move(*Server::start(std::move(config), game));
    server_->set_unix_time(test::test_unix_time);
    client = std::make_unique<test::RawClient>(*server_, 1);
  }
  void join(bool refusals = true) {
    client->connect();
    client->send_message(wire::Hello{.schema_fingerprint = {}, .name = "eve", .refusals = refusals});
    for (int i = 0; i < 20 && client->deltas.empty(); ++i) client->tick();
    ASSERT_FALSE(client->deltas.empty());
  }
  [[nodiscard]] ecs::Tick next_tick() const { return server_->world().tick() + 1; }
  [[nodiscard]] std::uint64_t executed() const { return server_->stats().commands; }
  [[nodiscard]] const LateCommands& late() const { return server_->stats().late_commands; }
  [[nodiscard]] const ClientSession& session() const { return *server_->sessions()[0]; }
  [[nodiscard]] wire::DeltaHeader newest() const { return *wire::read_delta_header(client->deltas.back()); }

  // Returns an input that acknowledges the newest delta, with a Move command for each x, numbered from first_command.
  core::Bytes input(const std::vector<float>& xs) { return encoded(xs, next_tick(), next_tick()); }
  // Returns the same for an earlier tick.
  core::Bytes late_input(const std::vector<float>& xs, ecs::Tick ticks) {
    return encoded(xs, next_tick() - ticks, next_tick() - ticks);
  }
  // Returns the same with a first command whose view is before tick 0. encode_input refuses that, so the tick of all
  // commands is moved afterwards: views are sent as distances.
  core::Bytes input_with_bad_view(const std::vector<float>& xs) {
    core::Bytes datagram = encoded(xs, 60'000, 1);
    core::store(&datagram[24], next_tick());
    return datagram;
  }
  void send(core::ByteView datagram) {
    client->send_input(datagram);
    client->ticks(3);
  }
  // Returns what the client was sent about refused commands since the last call.
  std::vector<wire::CommandRefused> refused() {
    std::vector<wire::CommandRefused> all;
    for (; !client->messages.empty(); client->messages.pop_front()) {
      const core::Result<wire::Message> message = wire::decode_message(client->messages.front());
      if (const auto* one = std::get_if<wire::CommandRefused>(&*message)) all.push_back(*one);
    }
    return all;
  }

  test::TinyGame game;
  std::unique_ptr<test::RawClient> client;
  std::uint32_t acks = 0;
  std::uint32_t first_command = 1;

 private:
  core::Bytes encoded(const std::vector<float>& xs, ecs::Tick tick, ecs::Tick first_view) {
    std::vector<core::Bytes> bytes;
    for (const float x : xs) bytes.push_back(test::move_command(x, 0));
    wire::InputDatagram all{
        .ack = ++acks, .newest = newest().sequence, .received = {1}, .first_command = first_command};
    for (const core::Bytes& each : bytes)
      all.commands.push_back({tick, all.commands.empty() ? first_view : tick, 0, each});
    core::Bytes datagram(wire::input_bytes_max);
    datagram.resize(wire::encode_input(all, datagram).bytes);
    return datagram;
  }

  std::unique_ptr<Server> server_;
};

TEST_F(RefusedCommands, AnImpossibleViewIsReportedOnce) {
  join();
  const core::Bytes bad = input_with_bad_view({5});
  send(bad);
  EXPECT_EQ(newest().ack, 1u) << "the acknowledgement counts";
  EXPECT_EQ(newest().commands.done, 1u) << "the client need not repeat the command";
  const std::vector<wire::CommandRefused> reported = refused();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].number, 1u);
  EXPECT_THAT(reported[0].reason, HasSubstr("malformed command: its view is before tick 0"));
  send(bad);
  EXPECT_TRUE(refused().empty());
  EXPECT_EQ(executed(), 0u);
}

TEST_F(RefusedCommands, CommandsBesideAMalformedOneAreExecuted) {
  join();
  send(input_with_bad_view({5, 6, 7}));
  EXPECT_EQ(newest().commands.done, 3u);
  EXPECT_EQ(executed(), 2u);
  ASSERT_EQ(refused().size(), 1u);
}

TEST_F(RefusedCommands, ARefusalOfTheGameIsReported) {
  join();
  send(input({1, 2, 200, 4, 5, 6}));
  EXPECT_EQ(newest().commands.done, 6u);
  EXPECT_EQ(executed(), 5u);
  const std::vector<wire::CommandRefused> reported = refused();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].number, 3u);
  EXPECT_EQ(reported[0].reason, "out of range: 0 to 100");
  const wire::CommandFeedback expected{
      .done = 6, .margin = newest().commands.margin, .unusual = 0b1011, .late = {1, 1, wire::command_not_run}};
  EXPECT_EQ(newest().commands, expected) << "two had no room in their tick";
}

TEST_F(RefusedCommands, SeenDeltasOfTheFutureAreUnknown) {
  join();
  core::Bytes future = input({5});
  core::store(&future[4], newest().sequence + 100);
  send(future);
  ASSERT_EQ(game.ran.size(), 1u) << "the command itself is good";
  EXPECT_EQ(game.ran[0].context.seen, wire::SeenDeltas{});
  const std::uint32_t sequence = newest().sequence;
  core::Bytes next = input({5, 6});
  send(next);
  ASSERT_EQ(game.ran.size(), 2u);
  EXPECT_EQ(game.ran[1].context.seen, (wire::SeenDeltas{sequence, 1}));
}

TEST_F(RefusedCommands, AnInputWithoutItsEndIsAcknowledged) {
  join();
  core::Bytes cut = input({5});
  cut.pop_back();
  send(cut);
  EXPECT_EQ(newest().ack, 1u);
  EXPECT_EQ(newest().commands.done, 0u);
  const std::vector<wire::CommandRefused> reported = refused();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].number, 0u);
  EXPECT_EQ(reported[0].reason, "malformed input: ends within a command");
}

TEST_F(RefusedCommands, MalformedAcknowledgementsAreReported) {
  join();
  core::Bytes none = input({5});
  none[8] = std::byte{0};
  send(none);
  EXPECT_EQ(newest().ack, 0u);
  const std::vector<wire::CommandRefused> reported = refused();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].number, 0u);
  EXPECT_EQ(reported[0].reason, "malformed input: an input has 1 to 4 words");
}

TEST_F(RefusedCommands, AClientThatDoesNotAskIsSentNone) {
  join(false);
  send(input({200}));
  EXPECT_EQ(newest().commands.done, 1u);
  EXPECT_TRUE(refused().empty());
}

TEST_F(RefusedCommands, CommandsThatAreNotRunAreCountedAndLogged) {
  join();
  client->ticks(40);
  send(input({1}));
  EXPECT_EQ(late(), LateCommands{});
  testing::internal::CaptureStderr();
  first_command = 2;
  send(late_input({2}, 5));
  EXPECT_EQ(late(), (LateCommands{.run = 1}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the outcome is usual on a network";
  testing::internal::CaptureStderr();
  first_command = 3;
  send(late_input({3}, 20));
  first_command = 6;
  send(input({6}));
  EXPECT_EQ(late(), (LateCommands{.run = 1, .dropped = 1, .missing = 2}));
  EXPECT_EQ(session().commands.stats().late, late());
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr(R"(commands of player 1 "eve" not run: 1 arrived too late, 0 are missing)"));
  EXPECT_THAT(log, HasSubstr(R"(commands of player 1 "eve" not run: 0 arrived too late, 2 are missing)"));
  EXPECT_EQ(executed(), 3u);
}

TEST_F(RefusedCommands, TooManyOfThemStillEndTheSession) {
  join();
  core::Bytes cut = input({5});
  cut.pop_back();
  for (std::uint32_t i = 0; i <= ClientSession::refusals_per_second_max; ++i) {
    client->send_input(cut);
    if (i % 12 == 11) client->tick();
  }
  client->ticks(5);
  EXPECT_FALSE(client->connected());
  EXPECT_LE(refused().size(), ClientSession::refusals_per_second_max + 1);
}

}  // namespace
}  // namespace mobula::server
