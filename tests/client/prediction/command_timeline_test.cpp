#include <gtest/gtest.h>

#include <map>
#include <mobula/client/prediction/command_timeline.hpp>
#include <mobula/core/random.hpp>
#include <seeds.hpp>

namespace mobula::client::command_timeline_test {
namespace {

using Numbers = std::vector<std::uint32_t>;

class Timeline : public testing::Test {
 protected:
  void SetUp() override { log.forget_before(1); }
  void give(ecs::Tick tick) {
    ASSERT_TRUE(log.add(core::Bytes(4), tick, 0).ok());
    timeline.add_from(log);
  }
  Numbers run(ecs::Tick tick) {
    Numbers numbers;
    timeline.run(tick, numbers);
    return numbers;
  }
  // Feedback on commands up to `done`, of which some were late or not run.
  void report(std::uint32_t done, const std::map<std::uint32_t, std::uint8_t>& late = {}) {
    wire::CommandFeedback feedback{.done = done};
    std::size_t outcomes = 0;
    for (auto each = late.rbegin(); each != late.rend(); ++each) {
      feedback.unusual |= std::uint64_t{1} << (done - each->first);
      feedback.late[outcomes++] = each->second;
    }
    log.on_feedback(feedback);
  }

  CommandLog log;
  CommandTimeline timeline;
};

TEST_F(Timeline, RunsCommandsInTheirTicks) {
  give(5);
  give(5);
  give(7);
  EXPECT_EQ(run(5), (Numbers{1, 2}));
  EXPECT_EQ(run(6), Numbers{});
  EXPECT_EQ(run(7), Numbers{3});
  EXPECT_EQ(timeline.first_wrong(9), CommandTimeline::never);
}

TEST_F(Timeline, ACommandForAComputedTickMakesItWrong) {
  run(5);
  give(5);
  EXPECT_EQ(timeline.first_wrong(5), 5u);
  EXPECT_EQ(timeline.first_wrong(4), CommandTimeline::never);
  timeline.rewind(4);
  EXPECT_EQ(run(5), Numbers{1});
  EXPECT_EQ(timeline.first_wrong(5), CommandTimeline::never);
}

TEST_F(Timeline, AnUndoneCommandRunsAfterTheCompleteTick) {
  give(5);
  give(9);
  EXPECT_EQ(run(5), Numbers{1});
  timeline.settle(log, 6);
  EXPECT_EQ(timeline.first_wrong(9), 5u);
  timeline.rewind(4);
  EXPECT_EQ(run(5), Numbers{});
  EXPECT_EQ(run(7), Numbers{1});
  EXPECT_EQ(run(9), Numbers{2});
}

TEST_F(Timeline, ALateCommandRunsWhereTheServerRanIt) {
  give(5);
  EXPECT_EQ(run(5), Numbers{1});
  report(1, {{1, 3}});
  timeline.settle(log, 9);
  EXPECT_EQ(timeline.first_wrong(9), 5u);
  timeline.rewind(4);
  EXPECT_EQ(run(8), Numbers{1});
  EXPECT_EQ(timeline.first_wrong(9), CommandTimeline::never);
}

TEST_F(Timeline, ARefusedCommandRunsNever) {
  give(5);
  give(6);
  run(5);
  run(6);
  report(2, {{1, wire::command_not_run}});
  timeline.settle(log, 6);
  EXPECT_EQ(timeline.first_wrong(9), 5u);
  timeline.rewind(4);
  for (ecs::Tick tick = 5; tick < 12; ++tick) EXPECT_EQ(run(tick), tick == 6 ? Numbers{2} : Numbers{});
  timeline.drop(6);
  EXPECT_EQ(timeline.size(), 0u);
  EXPECT_EQ(timeline.oldest(), 3u);
}

TEST_F(Timeline, DropsWhatHasRunAndIsKnown) {
  give(5);
  give(6);
  run(5);
  timeline.drop(9);
  EXPECT_EQ(timeline.size(), 2u) << "their outcomes are unknown";
  report(1);
  timeline.settle(log, 5);
  timeline.drop(5);
  EXPECT_EQ(timeline.size(), 1u);
  EXPECT_EQ(timeline.tick_of(1), CommandTimeline::never);
  EXPECT_EQ(timeline.tick_of(2), 6u);
}

TEST_F(Timeline, SkipsWhatTheLogHasForgotten) {
  give(5);
  report(1);
  CommandTimeline other;
  log.forget_before(2);
  other.add_from(log);
  EXPECT_EQ(other.size(), 0u);
  ASSERT_TRUE(log.add(core::Bytes(4), 6, 0).ok());
  other.add_from(log);
  EXPECT_EQ(other.tick_of(2), 6u);
}

// A server that runs commands late or not at all. After each settled tick the history, computed again from the first
// wrong tick, has run exactly what the server ran.
TEST(CommandTimeline, RepeatsTheHistoryOfTheServer) {
  test::for_each_seed(1, 40, 400, [](std::uint64_t seed) {
    core::Random random(seed);
    CommandLog log;
    log.forget_before(1);
    CommandTimeline timeline;
    std::map<ecs::Tick, Numbers> ran;     // by this client
    std::map<ecs::Tick, Numbers> server;  // by the server
    std::uint32_t given = 0;
    std::uint32_t done = 0;
    ecs::Tick last = 10;
    wire::CommandFeedback feedback;
    std::map<std::uint32_t, std::uint8_t> late;
    for (ecs::Tick complete = 1; complete < 400; ++complete) {
      // Within 64 commands, as a client gives them.
      while (given - done < 20 && random.chance(1, 2)) {
        ASSERT_TRUE(log.add(core::Bytes(4), last + random.below(2), 0).ok());
        ++given;
      }
      timeline.add_from(log);
      // The server runs commands that are due, unless they have not arrived.
      while (done < given && log.find(done + 1)->tick <= complete && random.chance(5, 6)) {
        const CommandLog::Entry& next = *log.find(++done);
        const ecs::Tick ticks_late = complete - next.tick;
        const bool refused = random.chance(1, 10) || ticks_late > wire::command_ticks_late_max;
        if (!refused) server[complete].push_back(done);
        if (refused || ticks_late > 0)
          late[done] = refused ? wire::command_not_run : static_cast<std::uint8_t>(ticks_late);
      }
      if (done > 0) {
        std::erase_if(late, [&](const auto& each) { return done - each.first >= wire::commands_held_max; });
        feedback = {.done = done};
        std::size_t outcomes = 0;
        for (auto each = late.rbegin(); each != late.rend(); ++each) {
          feedback.unusual |= std::uint64_t{1} << (done - each->first);
          feedback.late[outcomes++] = each->second;
        }
        if (random.chance(1, 2)) log.on_feedback(feedback);
      }
      ++last;
      if (log.next() == done + 1) timeline.settle(log, complete);  // a complete tick comes with the feedback
      const ecs::Tick wrong = std::min(timeline.first_wrong(last), last);
      timeline.rewind(wrong - 1);
      for (ecs::Tick tick = wrong; tick <= last; ++tick) timeline.run(tick, ran[tick]);
      ASSERT_EQ(timeline.first_wrong(last), CommandTimeline::never);
      timeline.drop(complete > 40 ? complete - 40 : 0);
      log.forget_before(timeline.oldest());
      if (log.next() != done + 1) continue;
      for (ecs::Tick tick = complete > 30 ? complete - 30 : 1; tick <= complete; ++tick)
        ASSERT_EQ(ran[tick], server[tick]) << "tick " << tick;
    }
  });
}

}  // namespace
}  // namespace mobula::client::command_timeline_test
