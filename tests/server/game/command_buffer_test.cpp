#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mobula/client/connection/command_log.hpp>
#include <mobula/core/random.hpp>
#include <mobula/server/game/command_buffer.hpp>

namespace mobula::server {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Returns an input with commands whose bytes hold their number.
class Input {
 public:
  explicit Input(std::uint32_t first) { input_.first_command = first; }

  Input& add(ecs::Tick tick, const char* fault = nullptr) {
    bytes_.emplace_back(4);
    core::store(bytes_.back().data(), input_.first_command + static_cast<std::uint32_t>(input_.commands.size()));
    input_.commands.push_back({tick, tick - 2, 128, {}, fault});
    return *this;
  }
  const wire::InputDatagram& get() {
    for (std::size_t i = 0; i < bytes_.size(); ++i) input_.commands[i].bytes = bytes_[i];
    return input_;
  }

 private:
  wire::InputDatagram input_;
  std::vector<core::Bytes> bytes_;
};

std::vector<std::uint32_t> due(CommandBuffer& buffer, ecs::Tick tick) {
  std::vector<std::uint32_t> numbers;
  for (const CommandBuffer::Due& command : buffer.due(tick)) {
    EXPECT_EQ(core::load<std::uint32_t>(command.bytes.data()), command.context.number);
    EXPECT_EQ(command.context.view_tick, command.context.tick - 2);
    EXPECT_EQ(command.context.view_fraction, 128);
    numbers.push_back(command.context.number);
  }
  return numbers;
}

TEST(CommandBuffer, BeginsWithTheFirstInputIfNoNumberIsKnown) {
  CommandBuffer buffer({}, 0);
  EXPECT_EQ(buffer.next(), 1u);
  EXPECT_EQ(buffer.feedback().done, 0u);
  EXPECT_THAT(due(buffer, 9), IsEmpty());
  ASSERT_TRUE(buffer.on_input(Input(200).add(10).add(11).get(), 10));
  EXPECT_THAT(due(buffer, 10), ElementsAre(200u));
  EXPECT_EQ(buffer.feedback().done, 200u);
  EXPECT_EQ(buffer.next(), 201u);
}

TEST(CommandBuffer, GoesOnFromTheNumbersOfAnotherZone) {
  CommandBufferStats former;
  former.handed_out = 3;
  CommandBuffer buffer(former, 6);
  EXPECT_EQ(buffer.next(), 6u);
  EXPECT_EQ(buffer.feedback().done, 5u);
  ASSERT_TRUE(buffer.on_input(Input(4).add(101).add(101).add(101).add(102).get(), 100).ok());
  EXPECT_THAT(due(buffer, 102), ElementsAre(6, 7)) << "4 and 5 are done";
  EXPECT_EQ(buffer.stats().repeated, 2u);
  EXPECT_EQ(buffer.stats().handed_out, 5u);
}

TEST(CommandBuffer, ACommandWaitsForItsTick) {
  CommandBuffer buffer;
  ASSERT_TRUE(buffer.on_input(Input(1).add(102).add(103).get(), 100).ok());
  EXPECT_EQ(buffer.feedback().held, 2);
  EXPECT_THAT(due(buffer, 100), IsEmpty());
  EXPECT_THAT(due(buffer, 101), IsEmpty());
  EXPECT_EQ(buffer.feedback().done, 0u);
  EXPECT_THAT(due(buffer, 102), ElementsAre(1));
  EXPECT_EQ(buffer.feedback().done, 1u);
  EXPECT_EQ(buffer.feedback().held, 1);
  EXPECT_THAT(due(buffer, 103), ElementsAre(2));
  EXPECT_THAT(due(buffer, 104), IsEmpty());
  EXPECT_EQ(buffer.stats().late.run, 0u);
}

TEST(CommandBuffer, RunsARepeatedCommandOnce) {
  CommandBuffer buffer;
  ASSERT_TRUE(buffer.on_input(Input(1).add(100).get(), 100).ok());
  ASSERT_TRUE(buffer.on_input(Input(1).add(100).add(101).get(), 100).ok());
  EXPECT_THAT(due(buffer, 100), ElementsAre(1));
  ASSERT_TRUE(buffer.on_input(Input(1).add(100).add(101).get(), 101).ok());
  EXPECT_THAT(due(buffer, 101), ElementsAre(2));
  EXPECT_EQ(buffer.stats().repeated, 3u);
}

TEST(CommandBuffer, ALateCommandRunsInTheNextTick) {
  CommandBuffer buffer;
  ASSERT_TRUE(buffer.on_input(Input(1).add(98).add(99).add(100).get(), 100).ok());
  EXPECT_THAT(due(buffer, 100), ElementsAre(1, 2, 3));
  EXPECT_EQ(buffer.stats().late.run, 2u);
  EXPECT_EQ(buffer.feedback().margin, -2) << "the margin of the latest command";
  ASSERT_TRUE(buffer.on_input(Input(4).add(103).get(), 101).ok());
  EXPECT_THAT(due(buffer, 101), IsEmpty());
  EXPECT_EQ(buffer.feedback().margin, 2);
}

TEST(CommandBuffer, AVeryLateCommandIsDropped) {
  CommandBuffer buffer;
  ASSERT_TRUE(buffer.on_input(Input(1).add(100 - 17).add(100 - 16).get(), 100).ok());
  EXPECT_EQ(buffer.feedback().held, 2);
  EXPECT_THAT(due(buffer, 100), ElementsAre(2));
  EXPECT_EQ(buffer.feedback().done, 2u);
  EXPECT_EQ(buffer.stats().late.dropped, 1u);
}

TEST(CommandBuffer, CommandsBeyondTheMaximumOfATickWait) {
  CommandBuffer buffer;
  Input input(1);
  for (int i = 0; i < 10; ++i) input.add(100);
  ASSERT_TRUE(buffer.on_input(input.get(), 100).ok());
  EXPECT_THAT(due(buffer, 100), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(due(buffer, 101), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(due(buffer, 102), ElementsAre(9, 10));
}

TEST(CommandBuffer, AGapDelaysLaterCommandsUntilTheirTick) {
  CommandBuffer buffer;
  ASSERT_TRUE(buffer.on_input(Input(2).add(101).add(103).get(), 100).ok());
  EXPECT_EQ(buffer.feedback().held, 0) << "the client must repeat the first";
  EXPECT_THAT(due(buffer, 100), IsEmpty());
  EXPECT_THAT(due(buffer, 101), ElementsAre(2));
  EXPECT_EQ(buffer.feedback().done, 2u);
  EXPECT_EQ(buffer.stats().late.missing, 1u);
  ASSERT_TRUE(buffer.on_input(Input(1).add(100).get(), 102).ok());
  EXPECT_THAT(due(buffer, 102), IsEmpty()) << "it arrived after it was given up";
  EXPECT_THAT(due(buffer, 103), ElementsAre(3));
}

TEST(CommandBuffer, AGapThatFillsInTimeChangesNothing) {
  CommandBuffer buffer;
  ASSERT_TRUE(buffer.on_input(Input(2).add(103).get(), 100).ok());
  EXPECT_THAT(due(buffer, 100), IsEmpty());
  ASSERT_TRUE(buffer.on_input(Input(1).add(100).add(103).get(), 101).ok());
  EXPECT_THAT(due(buffer, 101), ElementsAre(1));
  EXPECT_THAT(due(buffer, 102), IsEmpty());
  EXPECT_THAT(due(buffer, 103), ElementsAre(2));
}

TEST(CommandBuffer, NumbersDecideTheOrderAndNotTicks) {
  CommandBuffer buffer;
  ASSERT_TRUE(buffer.on_input(Input(2).add(100).get(), 100).ok());
  ASSERT_TRUE(buffer.on_input(Input(1).add(102).get(), 100).ok());
  EXPECT_THAT(due(buffer, 100), IsEmpty());
  EXPECT_THAT(due(buffer, 101), IsEmpty());
  EXPECT_THAT(due(buffer, 102), ElementsAre(1, 2));
}

TEST(CommandBuffer, RefusesEarlyAndTooManyCommandsUntilTheyFit) {
  CommandBuffer buffer;
  const ecs::Tick last = 100 + 16;
  const core::Status early = buffer.on_input(Input(1).add(last).add(last + 1).add(last + 1).get(), 100);
  ASSERT_FALSE(early.ok());
  EXPECT_STREQ(early.error().reason, "early command");
  EXPECT_EQ(buffer.feedback().held, 1);
  EXPECT_TRUE(buffer.on_input(Input(2).add(last + 1).get(), 101).ok());
  EXPECT_EQ(buffer.feedback().held, 2);

  EXPECT_TRUE(buffer.on_input(Input(64).add(last).get(), 101).ok());
  const core::Status many = buffer.on_input(Input(65).add(last).get(), 101);
  ASSERT_FALSE(many.ok());
  EXPECT_STREQ(many.error().reason, "too many commands");
  const core::Status far = buffer.on_input(Input(0xffffffffu).add(last).get(), 101);
  EXPECT_STREQ(far.error().reason, "too many commands");
}

TEST(CommandBuffer, AMalformedCommandIsDueInItsTurnAndOnce) {
  const char* const fault = "its view is before tick 0";
  CommandBuffer buffer;
  ASSERT_TRUE(buffer.on_input(Input(1).add(100).add(101, fault).add(101).get(), 100).ok());
  EXPECT_EQ(buffer.feedback().held, 3);
  EXPECT_THAT(due(buffer, 100), ElementsAre(1));
  ASSERT_TRUE(buffer.on_input(Input(2).add(101, fault).add(101).get(), 101).ok());
  const std::span<const CommandBuffer::Due> both = buffer.due(101);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].fault, fault);
  EXPECT_EQ(both[1].fault, nullptr);
  EXPECT_EQ(buffer.feedback().done, 3u);
  EXPECT_THAT(due(buffer, 102), IsEmpty());
}

// The first command of a client that has received no delta yet names a tick that is long over.
TEST(CommandBuffer, AMalformedCommandIsDueHoweverLate) {
  CommandBuffer buffer;
  ASSERT_TRUE(buffer.on_input(Input(1).add(2, "its view is before tick 0").add(3).get(), 5000).ok());
  const std::span<const CommandBuffer::Due> refused = buffer.due(5000);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_NE(refused[0].fault, nullptr);
  EXPECT_EQ(buffer.feedback().done, 2u) << "the other one is too late, and dropped";
}

// Returns the outcomes of a feedback by command: the ticks by which it was late, or -1 if it had no effect.
std::map<std::uint32_t, int> outcomes(const wire::CommandFeedback& feedback) {
  std::map<std::uint32_t, int> all;
  std::size_t next = 0;
  for (std::uint32_t age = 0; age < 64; ++age) {
    if ((feedback.unusual >> age & 1) == 0) continue;
    const std::uint8_t late = feedback.late[next++];
    all[feedback.done - age] = late == wire::command_not_run ? -1 : late;
  }
  return all;
}

TEST(CommandBuffer, ListsTheOutcomesThatAreUnusual) {
  using testing::Pair;
  CommandBuffer buffer;
  ASSERT_TRUE(buffer.on_input(Input(1).add(100).add(98).get(), 100).ok());
  ASSERT_TRUE(buffer.on_input(Input(4).add(101).add(101 - 18).add(101).get(), 100).ok());
  EXPECT_THAT(due(buffer, 100), ElementsAre(1, 2));
  EXPECT_THAT(outcomes(buffer.feedback()), ElementsAre(Pair(2, 2)));
  EXPECT_THAT(due(buffer, 101), ElementsAre(4, 6)) << "3 is missing, and 5 is too late";
  EXPECT_THAT(outcomes(buffer.feedback()), ElementsAre(Pair(2, 2), Pair(3, -1), Pair(5, -1)));
  buffer.on_refused(4);
  EXPECT_THAT(outcomes(buffer.feedback()), ElementsAre(Pair(2, 2), Pair(3, -1), Pair(4, -1), Pair(5, -1)));
}

TEST(CommandBuffer, ACommandOfWhichTooManyAreAheadIsDropped) {
  CommandBuffer buffer;
  Input input(1);
  for (int i = 0; i < 64; ++i) input.add(84);
  ASSERT_TRUE(buffer.on_input(input.get(), 100).ok());
  for (ecs::Tick tick = 100; tick < 115; ++tick) EXPECT_EQ(due(buffer, tick).size(), 4u);
  EXPECT_THAT(due(buffer, 115), IsEmpty()) << "31 ticks after its own";
  EXPECT_EQ(buffer.feedback().done, 64u);
  EXPECT_EQ(buffer.stats().late.dropped, 4u);
  const std::map<std::uint32_t, int> all = outcomes(buffer.feedback());
  EXPECT_EQ(all.size(), 64u);
  EXPECT_EQ(all.at(1), 16);
  EXPECT_EQ(all.at(60), 30);
  EXPECT_EQ(all.at(61), -1);
}

#ifdef MOBULA_ASSERTS
TEST(CommandBuffer, RefusingACommandThatWasNotDueIsAMistake) {
  CommandBuffer buffer;
  EXPECT_DEATH(buffer.on_refused(1), "only a command that was just due is refused");
}
#endif

// Reference model: a map of all commands.
class ReferenceModel {
 public:
  void take(const wire::InputDatagram& input, ecs::Tick next_tick) {
    for (std::size_t i = 0; i < input.commands.size(); ++i) {
      const std::uint64_t number = std::uint64_t{input.first_command} + i;
      const std::int64_t tick = input.commands[i].tick;
      if (number <= done || waiting.contains(number)) continue;
      if (number > done + wire::commands_held_max || tick > std::int64_t{next_tick} + CommandBuffer::ahead_max) return;
      waiting[number] = {tick, tick < std::int64_t{next_tick} - CommandBuffer::late_max};
    }
  }
  std::vector<std::uint32_t> due(ecs::Tick tick) {
    std::vector<std::uint32_t> result;
    while (!waiting.empty() && result.size() < CommandBuffer::per_tick_max && waiting.begin()->second.first <= tick) {
      const auto [number, command] = *waiting.begin();
      while (++done < number) unusual[static_cast<std::uint32_t>(done)] = -1;
      const std::int64_t late = tick - command.first;
      const bool runs = !command.second && late <= wire::command_ticks_late_max;
      if (runs) result.push_back(static_cast<std::uint32_t>(done));
      if (!runs || late > 0) unusual[static_cast<std::uint32_t>(done)] = runs ? static_cast<int>(late) : -1;
      waiting.erase(waiting.begin());
    }
    return result;
  }
  // Returns the outcomes of the last 64 commands.
  [[nodiscard]] std::map<std::uint32_t, int> outcomes() const {
    return {unusual.upper_bound(static_cast<std::uint32_t>(done < 64 ? 0 : done - 64)), unusual.end()};
  }
  [[nodiscard]] std::uint8_t held() const {
    std::uint8_t count = 0;
    while (waiting.contains(done + 1 + count)) ++count;
    return count;
  }

  std::map<std::uint64_t, std::pair<std::int64_t, bool>> waiting;  // number: tick, too late
  std::uint64_t done = 0;
  std::map<std::uint32_t, int> unusual;  // outcomes of all commands that did not run in their own tick
};

TEST(CommandBuffer, RandomInputsMatchTheReferenceModel) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    core::Random random(seed);
    CommandBuffer buffer;
    ReferenceModel reference;
    for (ecs::Tick tick = 1000; tick < 1300; ++tick) {
      for (std::uint32_t inputs = random.below(3); inputs > 0; --inputs) {
        const auto near = static_cast<std::uint32_t>(std::max<std::int64_t>(
            1, static_cast<std::int64_t>(reference.done) - 3 + random.below(random.chance(1, 10) ? 80 : 10)));
        Input input(near);
        for (std::uint32_t count = random.below(8); count > 0; --count)
          input.add(tick - (random.chance(1, 10) ? 20 : 5) + random.below(random.chance(1, 10) ? 40 : 14));
        reference.take(input.get(), tick);
        static_cast<void>(buffer.on_input(input.get(), tick));
      }
      ASSERT_EQ(due(buffer, tick), reference.due(tick)) << "tick " << tick;
      ASSERT_EQ(buffer.feedback().done, reference.done);
      ASSERT_EQ(buffer.feedback().held, reference.held());
      ASSERT_EQ(outcomes(buffer.feedback()), reference.outcomes()) << "tick " << tick;
    }
  }
}

// Connects a client's command log to the buffer over a path that loses, delays and reorders in both directions.
struct Journey {
  explicit Journey(std::uint64_t seed) : random(seed) {}

  void client_turn(ecs::Tick tick, bool more) {
    if (more && random.chance(3, 4)) {
      core::Bytes bytes(4 + random.below(30));
      core::store(bytes.data(), given + 1);
      if (log.add(bytes, tick + 5, tick - 3.5).ok()) ++given;
    }
    wire::InputDatagram input{.ack = tick};
    log.fill(input, {});
    core::Bytes datagram(wire::input_bytes_max);
    datagram.resize(wire::encode_input(input, datagram).bytes);
    if (!random.chance(1, 4)) to_server.emplace(tick + 2 + random.below(4), std::move(datagram));
  }
  void server_turn(ecs::Tick tick) {
    for (; !to_server.empty() && to_server.begin()->first <= tick; to_server.erase(to_server.begin())) {
      wire::InputDatagram input;
      ASSERT_TRUE(wire::decode_input(to_server.begin()->second, input).ok());
      ASSERT_TRUE(buffer.on_input(input, tick).ok());
    }
    for (const CommandBuffer::Due& command : buffer.due(tick)) {
      ASSERT_EQ(command.context.number, carried_out + 1) << "in order, and none is left out";
      ASSERT_EQ(core::load<std::uint32_t>(command.bytes.data()), command.context.number);
      ++carried_out;
    }
    if (!random.chance(1, 4)) to_client.emplace(tick + 2 + random.below(4), buffer.feedback());
  }
  void receive(ecs::Tick tick) {
    for (; !to_client.empty() && to_client.begin()->first <= tick; to_client.erase(to_client.begin()))
      log.on_feedback(to_client.begin()->second);
  }

  core::Random random;
  client::CommandLog log;
  CommandBuffer buffer;
  std::multimap<ecs::Tick, core::Bytes> to_server;
  std::multimap<ecs::Tick, wire::CommandFeedback> to_client;
  std::uint32_t given = 0;
  std::uint32_t carried_out = 0;
};

TEST(CommandBuffer, RunsEveryCommandOfAnHonestClientOnceInOrder) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Journey journey(seed);
    for (ecs::Tick tick = 100; tick < 700; ++tick) {
      journey.receive(tick);
      journey.client_turn(tick, tick < 650);
      journey.server_turn(tick);
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(journey.given, 300u);
    EXPECT_EQ(journey.carried_out, journey.given);
    EXPECT_EQ(journey.log.size(), 0u);
    EXPECT_EQ(journey.buffer.stats().late.missing + journey.buffer.stats().late.dropped, 0u);
    EXPECT_LT(journey.buffer.stats().late.run, journey.given / 5);
  }
}

}  // namespace
}  // namespace mobula::server
