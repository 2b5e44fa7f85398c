#include <gtest/gtest.h>

#include <mobula/core/awake_clock.hpp>

namespace mobula::core {
namespace {

TEST(AwakeClock, FollowsACallerThatRuns) {
  AwakeClock clock;
  for (Nanoseconds now = 5 * second; now < 100 * second; now += second / 20) EXPECT_EQ(clock.advance(now), now);
}

TEST(AwakeClock, CountsAPauseAsTwoSeconds) {
  AwakeClock clock;
  EXPECT_EQ(clock.advance(second), second);
  EXPECT_EQ(clock.advance(600 * second), 3 * second);
  EXPECT_EQ(clock.advance(601 * second), 4 * second);
  EXPECT_EQ(clock.advance(603 * second), 6 * second) << "two seconds are no pause";
}

TEST(AwakeClock, NeverGoesBack) {
  AwakeClock clock;
  EXPECT_EQ(clock.advance(10 * second), 10 * second);
  EXPECT_EQ(clock.advance(4 * second), 10 * second);
  EXPECT_EQ(clock.advance(5 * second), 11 * second);
  EXPECT_EQ(clock.advance(INT64_MIN), 11 * second);
  EXPECT_EQ(clock.advance(INT64_MAX), 13 * second);
}

}  // namespace
}  // namespace mobula::core
