#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/client/connection/command_log.hpp>

namespace mobula::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

core::Bytes bytes_of(int fill) { return core::Bytes(3, static_cast<std::byte>(fill)); }

// Returns the numbers of the commands that the next input repeats.
std::vector<std::uint32_t> tail(const CommandLog& log) {
  wire::InputDatagram input;
  input.commands.resize(5);  // left from an earlier input
  log.fill(input, {});
  EXPECT_EQ(input.first_command == 0, input.commands.empty());
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < input.commands.size(); ++i) {
    numbers.push_back(input.first_command + static_cast<std::uint32_t>(i));
    EXPECT_EQ(std::to_integer<std::uint32_t>(input.commands[i].bytes[0]), numbers.back() % 256);
  }
  return numbers;
}

CommandLog log_with(int count) {
  CommandLog log;
  for (int i = 1; i <= count; ++i) EXPECT_TRUE(log.add(bytes_of(i), static_cast<ecs::Tick>(100 + i), 90).ok());
  return log;
}

TEST(CommandLog, NumbersCommandsFromOneAndRepeatsThem) {
  CommandLog log;
  EXPECT_THAT(tail(log), IsEmpty());
  EXPECT_EQ(*log.add(bytes_of(1), 10, 5.5), 1u);
  EXPECT_EQ(*log.add(bytes_of(2), 11, 6.25), 2u);
  EXPECT_THAT(tail(log), ElementsAre(1, 2));
  EXPECT_THAT(tail(log), ElementsAre(1, 2));
  wire::InputDatagram input;
  log.fill(input, {});
  EXPECT_EQ(input.commands[1].tick, 11u);
  EXPECT_EQ(input.commands[1].view_tick, 6u);
  EXPECT_EQ(input.commands[1].view_fraction, 64);
}

TEST(CommandLog, AcknowledgedCommandsStayUntilExecuted) {
  CommandLog log = log_with(5);
  log.on_feedback({.done = 1, .held = 2});
  EXPECT_THAT(tail(log), ElementsAre(4, 5));
  ASSERT_EQ(log.size(), 4u);
  EXPECT_EQ(log.at(0).number, 2u);
  EXPECT_EQ(log.at(3).number, 5u);
  EXPECT_EQ(log.at(3).bytes, bytes_of(5));
  log.on_feedback({.done = 5});
  EXPECT_EQ(log.size(), 0u);
  EXPECT_THAT(tail(log), IsEmpty());
}

TEST(CommandLog, OutdatedOrImpossibleFeedbackIsIgnored) {
  CommandLog log = log_with(5);
  log.on_feedback({.done = 2, .held = 1});
  log.on_feedback({.done = 1, .held = 0});
  EXPECT_EQ(log.size(), 3u);
  log.on_feedback({.done = 2, .held = 0});
  EXPECT_THAT(tail(log), ElementsAre(4, 5)) << "the server does not lose commands that it holds";
  log.on_feedback({.done = 6});
  log.on_feedback({.done = 0xffffffffu, .held = 255});
  EXPECT_THAT(tail(log), ElementsAre(4, 5));
  log.on_feedback({.done = 3, .held = 200});
  EXPECT_THAT(tail(log), IsEmpty());
  EXPECT_EQ(log.size(), 2u);
}

using Outcome = CommandLog::Outcome;
constexpr Outcome not_run{Outcome::Kind::not_run, 0};
constexpr Outcome ran(ecs::Tick tick) { return {Outcome::Kind::ran, tick}; }

TEST(CommandLog, KnowsWhenAPredictionsCommandsRan) {
  CommandLog log = log_with(5);
  log.forget_before(1);
  EXPECT_EQ(log.ran_in(1), Outcome{});
  log.on_feedback({.done = 3, .unusual = 0b101, .late = {4, wire::command_not_run}});
  EXPECT_EQ(log.ran_in(1), not_run);
  EXPECT_EQ(log.ran_in(2), ran(102));
  EXPECT_EQ(log.ran_in(3), ran(107));
  EXPECT_EQ(log.ran_in(4), Outcome{});
  log.on_feedback({.done = 4, .unusual = 0b111, .late = {1, 2, 2}});
  EXPECT_EQ(log.ran_in(3), ran(107)) << "an outcome that is known stays";
  EXPECT_EQ(log.ran_in(4), ran(105));
  ASSERT_NE(log.find(2), nullptr);
  EXPECT_EQ(log.find(2)->bytes, bytes_of(2));
  log.forget_before(3);
  EXPECT_EQ(log.find(2), nullptr);
  EXPECT_EQ(log.ran_in(2), Outcome{});
  log.forget_before(9);
  EXPECT_EQ(log.find(4), nullptr);
  EXPECT_NE(log.find(5), nullptr) << "it is not carried out";
  EXPECT_EQ(log.next(), 5u);
}

TEST(CommandLog, KeepsNothingThatIsDoneWithoutAPrediction) {
  CommandLog log = log_with(3);
  log.on_feedback({.done = 2});
  EXPECT_EQ(log.find(2), nullptr);
  EXPECT_EQ(log.ran_in(2), Outcome{});
  log.forget_before(1);
  EXPECT_EQ(log.find(2), nullptr) << "it went before the prediction began";
  log.on_feedback({.done = 3});
  EXPECT_EQ(log.ran_in(3), ran(103));
}

TEST(CommandLog, AnotherServerIsSentAllThatIsNotCarriedOut) {
  CommandLog log = log_with(5);
  log.on_feedback({.done = 2, .held = 2});
  EXPECT_THAT(tail(log), ElementsAre(5));
  log.move_to(-90, 20, 7);
  EXPECT_THAT(tail(log), ElementsAre(3, 4, 5));
  EXPECT_EQ(log.at(0).tick, 13u);
  EXPECT_EQ(log.at(0).view_tick, 0u);
  EXPECT_EQ(log.at(0).arrivals, 7u);
  EXPECT_EQ(*log.add(bytes_of(6), 12, 5), 6u);
  EXPECT_EQ(log.at(3).tick, 15u) << "not before the last one";
  log.on_feedback({.done = 3});  // the former server had done it
  EXPECT_THAT(tail(log), ElementsAre(4, 5, 6));
  EXPECT_EQ(log.find(3), nullptr);
}

TEST(CommandLog, CommandsThatHaveWaitedAreLateBy8TicksAtMost) {
  CommandLog log = log_with(5);  // for the ticks from 101 on
  log.move_to(-60, 52, 0);
  EXPECT_EQ(log.at(0).tick, 44u);
  EXPECT_EQ(log.at(3).tick, 44u);
  EXPECT_EQ(log.at(4).tick, 45u);
  log.move_to(0, 3, 0);
  EXPECT_EQ(log.at(0).tick, 44u) << "a young server";
}

TEST(CommandLog, ForgetsTheOldestOfMoreThan256) {
  CommandLog log;
  log.forget_before(1);
  for (std::uint32_t number = 1; number <= 400; ++number) {
    ASSERT_EQ(*log.add(bytes_of(static_cast<int>(number)), number, 0), number);
    if (number > 60) log.on_feedback({.done = number - 60});
    ASSERT_EQ(log.find(number > 256 ? number - 256 : 0), nullptr);
    const std::uint32_t oldest = number > 256 ? number - 255 : 1;
    ASSERT_NE(log.find(oldest), nullptr) << number;
    ASSERT_EQ(log.find(oldest)->bytes, bytes_of(static_cast<int>(oldest)));
  }
}

TEST(CommandLog, InputsNameWhatArrivedSinceACommandWasGiven) {
  Arrivals arrivals;
  CommandLog log;
  const auto give = [&] { ASSERT_TRUE(log.add(bytes_of(1), 100, 90, arrivals.count()).ok()); };
  give();
  for (std::uint32_t sequence = 1; sequence <= 40; ++sequence) arrivals.add(sequence);
  give();
  for (std::uint32_t sequence = 41; sequence <= 70; ++sequence) arrivals.add(sequence);
  give();
  arrivals.add(69);
  wire::InputDatagram input;
  log.fill(input, arrivals);
  EXPECT_EQ(input.commands[0].arrived_before, wire::arrivals_unknown) << "71 arrivals ago";
  EXPECT_EQ(input.commands[1].arrived_before, 0);
  EXPECT_EQ(input.commands[2].arrived_before, 30);
  ASSERT_EQ(input.arrivals, 31);
  EXPECT_EQ(input.arrived[0], 41u);
  EXPECT_EQ(input.arrived[29], 70u);
  EXPECT_EQ(input.arrived[30], 69u);
}

TEST(CommandLog, IsFullIfTheServerExecutesNothing) {
  CommandLog log = log_with(64);
  const core::Result<std::uint32_t> refused = log.add(bytes_of(1), 1000, 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_STREQ(refused.error().reason, "too many commands");
  std::vector<std::uint32_t> oldest = tail(log);
  ASSERT_EQ(oldest.size(), wire::input_commands_max);
  EXPECT_EQ(oldest.front(), 1u);
  log.on_feedback({.done = 1});
  EXPECT_EQ(*log.add(bytes_of(65), 1000, 1), 65u);
}

TEST(CommandLog, ACommandThatIsTooLargeIsRefused) {
  CommandLog log;
  EXPECT_STREQ(log.add(core::Bytes(513), 1, 1).error().reason, "large command");
  EXPECT_EQ(*log.add(core::Bytes(512), 1, 1), 1u);
}

// encode_input asserts its ranges. A disturbed clock may give any tick and view.
TEST(CommandLog, TicksAndViewsAlwaysFitTheEncoding) {
  CommandLog log;
  ASSERT_TRUE(log.add(bytes_of(1), 10, 50).ok());
  ASSERT_TRUE(log.add(bytes_of(2), 5, -3).ok());
  ASSERT_TRUE(log.add(bytes_of(3), 4'000'000'000u, 0).ok());
  EXPECT_EQ(log.at(0).view_tick, 10u);
  EXPECT_EQ(log.at(1).tick, 10u);
  EXPECT_EQ(log.at(1).view_tick, 0u);
  EXPECT_EQ(log.at(2).view_tick, 4'000'000'000u - wire::view_lag_ticks_max);
  wire::InputDatagram input{.ack = 1};
  log.fill(input, {});
  core::Bytes datagram(wire::input_bytes_max);
  datagram.resize(wire::encode_input(input, datagram).bytes);
  wire::InputDatagram out;
  ASSERT_TRUE(wire::decode_input(datagram, out).ok());
  EXPECT_EQ(out.commands[2].view_tick, log.at(2).view_tick);
}

}  // namespace
}  // namespace mobula::client
