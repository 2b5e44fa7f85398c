// Both sides of commands in one process: what a client knows of its commands, and what the server knows of the deltas
// that the client had, are the truth. Datagrams are lost, late and out of order in both directions.
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <mobula/client/connection/command_log.hpp>
#include <mobula/client/connection/delta_progress.hpp>
#include <mobula/server/game/command_buffer.hpp>
#include <seeds.hpp>
#include <server/replica.hpp>
#include <server/tiny_game.hpp>
#include <set>

namespace mobula::server {
namespace {

using client::CommandLog;
using Outcome = CommandLog::Outcome;

// Outcomes and sets that occurred.
struct Counts {
  std::uint64_t commands = 0;
  std::uint64_t late = 0;
  std::uint64_t not_run = 0;
  std::uint64_t seen = 0;
  std::uint64_t seen_unknown = 0;
};

class CommandPath {
 public:
  CommandPath(std::uint64_t seed, std::uint32_t loss, std::uint32_t delay)
      : random_(seed), to_server_(random_, loss, delay), to_client_(random_, loss, delay) {
    world_.registry.set_tick(1000);
    log_.forget_before(1);
  }

  void tick(bool gives_commands) {
    receive();
    if (gives_commands)
      for (std::uint32_t count = random_.below(3); count > 0; --count) give_command();
    send_input();
    serve();
    world_.registry.set_tick(now() + 1);
  }
  // Loses everything that is under way, as when a session is resumed over another connection.
  void lose_all() {
    to_server_.clear();
    to_client_.clear();
  }
  void set_loss(std::uint32_t percent) { to_server_.loss_percent = to_client_.loss_percent = percent; }
  [[nodiscard]] bool all_done() const { return log_.size() == 0; }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  using Pipe = test::LossyPipe<core::Bytes>;
  [[nodiscard]] ecs::Tick now() const { return world_.registry.tick(); }

  void give_command() {
    const ecs::Tick due = now() + 8 - random_.below(random_.chance(1, 20) ? 40 : 10);
    const core::Bytes bytes(random_.below(random_.chance(1, 30) ? 500 : 20), std::byte{1});
    const auto number = log_.add(bytes, due, 900, progress_.arrivals().count());
    if (number) had_[*number] = seen_now();
  }
  [[nodiscard]] wire::SeenDeltas seen_now() const {
    wire::SeenDeltas seen;
    if (received_.empty()) return seen;
    seen.newest = *received_.rbegin();
    for (const std::uint32_t sequence : received_)
      if (seen.newest - sequence < 64) seen.received |= std::uint64_t{1} << (seen.newest - sequence);
    return seen;
  }

  // A client that is not Mobula's may leave out a command. The server gives it up.
  void send_input() {
    wire::InputDatagram& input = progress_.acknowledge();
    log_.fill(input, progress_.arrivals());
    if (input.commands.size() > 1 && random_.chance(1, 30)) {
      input.commands.erase(input.commands.begin());
      ++input.first_command;
    }
    core::Bytes bytes(random_.chance(1, 3) ? wire::input_bytes_least : wire::input_bytes_max);
    bytes.resize(wire::encode_input(input, bytes).bytes);
    to_server_.send(std::move(bytes));
  }

  void serve() {
    to_server_.deliver([&](const core::Bytes& bytes) {
      wire::InputDatagram input;
      ASSERT_TRUE(wire::decode_input(bytes, input).ok());
      ASSERT_EQ(input.commands_fault, nullptr);
      ASSERT_LE(input.newest, view_.last_sequence());
      ASSERT_TRUE(view_.acknowledge(input).ok());
      static_cast<void>(buffer_.on_input(input, now()));
    });
    for (const CommandBuffer::Due& command : buffer_.due(now())) run(command);
    for (; done_ < buffer_.feedback().done; ++done_) truth_.try_emplace(done_ + 1, Outcome{Outcome::Kind::not_run, 0});
    send_delta();
  }
  void run(const CommandBuffer::Due& command) {
    ASSERT_EQ(command.fault, nullptr);
    const CommandContext& context = command.context;
    ++counts_.commands;
    const bool refused = random_.chance(1, 10);
    if (refused) buffer_.on_refused(context.number);
    counts_.late += !refused && context.tick < now() ? 1 : 0;
    if (!refused) truth_[context.number] = {Outcome::Kind::ran, now()};
    const wire::SeenDeltas& had = had_.at(context.number);
    ++(context.seen.newest != 0 || had.newest == 0 ? counts_.seen : counts_.seen_unknown);
    if (context.seen.newest != 0) ASSERT_EQ(context.seen, had) << "command " << context.number;
  }
  void send_delta() {
    encoded_.begin_tick(now());
    view_.note_published();
    for (std::uint32_t deltas = random_.chance(1, 5) ? 2 : 1; deltas > 0; --deltas) {
      view_.choose(now(), 400, [](std::uint32_t) { return 1.0f; });
      core::Bytes delta(400);
      delta.resize(view_.write_delta(delta, now(), buffer_.feedback()));
      to_client_.send(std::move(delta));
    }
  }

  void receive() {
    to_client_.deliver([&](const core::Bytes& bytes) {
      const core::Result<wire::DeltaHeader> header = wire::read_delta_header(bytes, progress_.known());
      ASSERT_TRUE(header.ok() || header.error().reason == std::string_view("too late"));
      if (!header) return;
      log_.on_feedback(header->commands);
      compare();
      progress_.on_acknowledged(header->ack);
      if (!progress_.is_new(header->sequence)) return;
      progress_.on_received(*header);
      received_.insert(header->sequence);
    });
  }
  void compare() {
    for (; known_ < log_.next(); ++known_) {
      ASSERT_EQ(log_.ran_in(known_), truth_.at(known_))
          << "command " << known_ << ", due in " << log_.find(known_)->tick << ", ran in " << truth_.at(known_).tick;
      counts_.not_run += truth_.at(known_).kind == Outcome::Kind::not_run ? 1 : 0;
    }
  }

  core::Random random_;
  Pipe to_server_;
  Pipe to_client_;
  test::RandomWorld world_{1};
  EncodedDeltaCache encoded_{world_.publisher.published()};
  ViewWorkspace workspace_;
  ClientView view_{world_.publisher.published(), encoded_, workspace_, false};
  CommandBuffer buffer_;
  client::DeltaProgress progress_;
  CommandLog log_;
  std::uint32_t done_ = 0;   // commands that have an entry in truth_
  std::uint32_t known_ = 1;  // the first whose outcome the client does not know
  std::map<std::uint32_t, Outcome> truth_;
  std::map<std::uint32_t, wire::SeenDeltas> had_;
  std::set<std::uint32_t> received_;
  Counts counts_;
};

TEST(CommandOutcomes, BothSidesKnowTheTruthDespiteLoss) {
  Counts all;
  const std::uint64_t seeds = test::few_or_all(12, 40);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto loss = static_cast<std::uint32_t>(seed * 7 % 50);
    CommandPath path(seed, loss, static_cast<std::uint32_t>(seed % 9));
    for (int tick = 0; tick < 600; ++tick) {
      if (tick == 300) path.lose_all();
      if (tick % 100 == 90) path.set_loss(100);  // an outage of 20 ticks
      if (tick % 100 == 10) path.set_loss(loss);
      path.tick(tick < 500);
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_TRUE(path.all_done());
    all.commands += path.counts().commands;
    all.late += path.counts().late;
    all.not_run += path.counts().not_run;
    all.seen += path.counts().seen;
    all.seen_unknown += path.counts().seen_unknown;
  }
  EXPECT_GT(all.commands, 200 * seeds);
  EXPECT_GT(all.late, 20 * seeds);
  EXPECT_GT(all.not_run, 20 * seeds);
  EXPECT_LT(all.seen_unknown, all.seen / 20);
}

// Connections and a server. A set of seen deltas holds all of a session at its beginning.
TEST(CommandOutcomes, ASessionReportsBothOnABadNetwork) {
  test::TinyGame game;
  const transport::NetworkConditions bad{
      .latency = 60 * core::millisecond, .jitter = 100 * core::millisecond, .loss_ppm = 100'000};
  test::Village village(game, {}, bad, 3);
  test::Village::Client& client = village.join("ada", test::game_schema());
  ASSERT_TRUE(village.tick_until([&] { return client.connection.stats().deltas > 3; }));
  EXPECT_EQ(client.connection.prediction_seed(), 0);  // a game without rules
  std::map<std::uint32_t, std::uint64_t> had;         // by command: deltas that the client had
  for (int i = 0; i < 80; ++i) {
    client.connection.set_command(test::move_command(i % 7 == 3 ? 200 : 1, 0));
    village.tick();
    client.connection.forget_commands_before(1);
    const CommandLog& log = client.connection.commands();
    had[log.next() - 1 + static_cast<std::uint32_t>(log.size())] = client.connection.stats().deltas;
    if (i < 20 || client.connection.rejoin_grace() == 0 || client.connection.stats().rejoins > 0) continue;
    client.connection.pipe_closed("the cable was pulled", village.now);
    village.tick();
    client.port.from.port = 6000;
    ASSERT_TRUE(client.connection.can_rejoin());
    client.connection.rejoin(village.now);
  }
  const CommandLog& log = client.connection.commands();
  ASSERT_TRUE(village.tick_until([&] { return log.size() == 0; }));
  EXPECT_EQ(client.connection.stats().rejoins, 1u);
  std::map<std::uint32_t, Outcome> expected;
  for (std::uint32_t number = 1; number < log.next(); ++number) expected[number] = {Outcome::Kind::not_run, 0};
  int counted = 0;
  for (const test::TinyGame::Ran& each : game.ran) {
    expected[each.context.number] = {Outcome::Kind::ran, each.tick};
    if (each.context.seen.newest == 0 || each.context.seen.newest > 64) continue;
    ++counted;
    EXPECT_EQ(static_cast<std::uint64_t>(std::popcount(each.context.seen.received)), had.at(each.context.number));
  }
  EXPECT_GT(log.next(), 60u);
  EXPECT_GT(game.ran.size(), 40u);
  EXPECT_GT(counted, 20);
  for (std::uint32_t number = 1; number < log.next(); ++number)
    EXPECT_EQ(log.ran_in(number), expected.at(number)) << "command " << number;
}

}  // namespace
}  // namespace mobula::server
