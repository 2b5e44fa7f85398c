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
  log.fill(input);
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
  log.fill(input);
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
  log.fill(input);
  core::Bytes datagram(wire::input_bytes_max);
  datagram.resize(wire::encode_input(input, datagram).bytes);
  wire::InputDatagram out;
  ASSERT_TRUE(wire::decode_input(datagram, out).ok());
  EXPECT_EQ(out.commands[2].view_tick, log.at(2).view_tick);
}

}  // namespace
}  // namespace mobula::client
