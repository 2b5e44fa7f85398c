#include <gtest/gtest.h>

#include <mobula/server/tick/tick_pacer.hpp>
#include <vector>

namespace mobula::server {
namespace {

using core::millisecond;
using core::Nanoseconds;
using core::second;

// A clock, and a loop that sleeps until a tick is due and then takes `took`.
struct Loop {
  TickPacer pacer;
  Nanoseconds now = 0;
  std::vector<Nanoseconds> begun{};
  int news = 0;

  void tick(Nanoseconds took) {
    now = std::max(now, pacer.due());
    begun.push_back(now);
    pacer.begin(now);
    now += took;
    if (pacer.end(now)) ++news;
  }
  void ticks(int count, Nanoseconds took) {
    for (int i = 0; i < count; ++i) tick(took);
  }
};

TEST(TickPacer, TicksBeginEvenlyHoweverLongTheyTake) {
  Loop loop{TickPacer({.ticks_per_second = 20}, 0)};
  for (int i = 0; i < 100; ++i) loop.tick((i * 7 % 50) * millisecond);
  for (std::size_t i = 0; i < loop.begun.size(); ++i)
    EXPECT_EQ(loop.begun[i], static_cast<Nanoseconds>(i + 1) * 50 * millisecond);
  EXPECT_EQ(loop.pacer.times().start_delay_ns.max(), 0u);
  EXPECT_EQ(loop.pacer.times().lost, 0);
}

TEST(TickPacer, AShortDelayIsCaughtUpAndNoTimeIsLost) {
  Loop loop{TickPacer({.ticks_per_second = 20, .catch_up_max = 5}, 0)};
  loop.tick(5 * 50 * millisecond);
  loop.ticks(20, 10 * millisecond);
  EXPECT_EQ(loop.begun.back(), 21 * 50 * millisecond);
  EXPECT_EQ(loop.pacer.times().lost, 0);
  EXPECT_EQ(loop.pacer.times().start_delay_ns.max(), 200u * millisecond);
}

TEST(TickPacer, ALongDelayIsLostAndNotFollowedByABurst) {
  Loop loop{TickPacer({.ticks_per_second = 20, .catch_up_max = 5}, 0)};
  loop.tick(10 * second);
  loop.tick(millisecond);
  loop.tick(millisecond);
  EXPECT_EQ(loop.begun[1], 10 * second + 50 * millisecond) << "at once";
  EXPECT_EQ(loop.begun[2] - loop.begun[1], 50 * millisecond);
  EXPECT_EQ(loop.pacer.times().lost, 10 * second - 50 * millisecond);
}

TEST(TickPacer, ASlowServerIsNeverLaterThanItsCatchUpLimit) {
  Loop loop{TickPacer({.ticks_per_second = 20, .catch_up_max = 5}, 0)};
  loop.ticks(1000, 70 * millisecond);
  EXPECT_LE(loop.pacer.times().start_delay_ns.max(), 5u * 50 * millisecond);
  EXPECT_EQ(loop.now, 50 * millisecond + 1000 * 70 * millisecond) << "it never waits";
  EXPECT_TRUE(loop.pacer.times().overloaded);
  EXPECT_EQ(loop.news, 1) << "told once";
}

TEST(TickPacer, WithoutCatchingUpTheWorldGoesSlowerEvenly) {
  Loop loop{TickPacer({.ticks_per_second = 20, .catch_up_max = 0}, 0)};
  loop.ticks(100, 60 * millisecond);
  for (std::size_t i = 1; i < loop.begun.size(); ++i) EXPECT_EQ(loop.begun[i] - loop.begun[i - 1], 60 * millisecond);
  EXPECT_EQ(loop.pacer.times().lost, 100 * 10 * millisecond);
  loop.ticks(2, millisecond);
  EXPECT_EQ(loop.begun[101] - loop.begun[100], 50 * millisecond) << "and as fast as before once it can";
}

TEST(TickPacer, OverloadIsReportedWhenItBeginsAndWhenItHasEnded) {
  Loop loop{TickPacer({.ticks_per_second = 20}, 0)};
  loop.ticks(40, 45 * millisecond);
  EXPECT_EQ(loop.news, 0) << "nine tenths are no overload";
  loop.ticks(60, 49 * millisecond);
  EXPECT_EQ(loop.news, 1);
  loop.ticks(60, 45 * millisecond);
  EXPECT_EQ(loop.news, 1) << "nor is there room again";
  loop.ticks(60, 20 * millisecond);
  EXPECT_EQ(loop.news, 2);
  EXPECT_NEAR(loop.pacer.times().load, 0.4, 0.01);
}

// The process is stopped, or another world has the thread.
TEST(TickPacer, APauseBetweenTicksIsNotTheirLoad) {
  Loop loop{TickPacer({.ticks_per_second = 20}, 0)};
  loop.ticks(30, 5 * millisecond);
  EXPECT_EQ(loop.pacer.times().held_up, 0);
  loop.now += 30 * second;
  loop.tick(5 * millisecond);
  const TickTimes& times = loop.pacer.times();
  EXPECT_EQ(loop.news, 1);
  EXPECT_TRUE(times.overloaded);
  EXPECT_GT(times.span, 30 * second);
  EXPECT_LT(times.load, 0.01);
  EXPECT_GT(times.held_up, 0.95);
  loop.ticks(30, 5 * millisecond);
  EXPECT_EQ(loop.news, 2);
  EXPECT_NEAR(loop.pacer.times().load, 0.1, 0.01);
  EXPECT_EQ(loop.pacer.times().held_up, 0);
}

TEST(TickPacer, LongTicksHoldUpNoTick) {
  Loop loop{TickPacer({.ticks_per_second = 20}, 0)};
  loop.ticks(100, 70 * millisecond);
  EXPECT_TRUE(loop.pacer.times().overloaded);
  EXPECT_EQ(loop.pacer.times().load, 1);
  EXPECT_EQ(loop.pacer.times().held_up, 0) << "a tick that begins late waited for the one before";
}

TEST(TickPacer, AClockThatGoesBackIsNoDelay) {
  Loop loop{TickPacer({.ticks_per_second = 20}, 10 * second)};
  loop.pacer.begin(9 * second);
  EXPECT_FALSE(loop.pacer.end(8 * second));
  EXPECT_EQ(loop.pacer.times().start_delay_ns.max(), 0u);
  EXPECT_EQ(loop.pacer.times().duration_ns.max(), 0u);
}

}  // namespace
}  // namespace mobula::server
