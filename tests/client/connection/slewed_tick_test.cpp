#include <gtest/gtest.h>

#include <mobula/client/connection/slewed_tick.hpp>
#include <mobula/core/random.hpp>

namespace mobula::client::slewed_tick_test {
namespace {

constexpr core::Nanoseconds tick_length = 20 * core::millisecond;
constexpr double far = 1e9;

TEST(SlewedTick, StartsAtItsTargetAndFollows) {
  SlewedTick tick(tick_length, 0.05, 10);
  EXPECT_EQ(tick.follow(100, far, core::second), 100);
  EXPECT_NEAR(tick.follow(100.5, far, core::second + tick_length / 2), 100.5, 1e-9);
}

TEST(SlewedTick, ClosesADifferenceByRunningFasterOrSlower) {
  for (const double off : {3.0, -3.0}) {
    SlewedTick tick(tick_length, 0.05, 10);
    double last = tick.follow(100, far, 0);
    for (int ms = 1; ms <= 4000; ++ms) {
      const double next = tick.follow(100 + off + ms / 20.0, far, ms * core::millisecond);
      EXPECT_GE((next - last) * 20, 0.95 - 1e-6);
      EXPECT_LE((next - last) * 20, 1.05 + 1e-6);
      last = next;
    }
    EXPECT_NEAR(last, 100 + off + 200, 0.02);
  }
}

TEST(SlewedTick, JumpsWhenFarBehindAndStandsStillWhenFarAhead) {
  SlewedTick tick(tick_length, 0.05, 10);
  tick.follow(100, far, 0);
  EXPECT_EQ(tick.follow(150, far, core::millisecond), 150);
  EXPECT_EQ(tick.follow(130, far, 2 * core::millisecond), 150);
  EXPECT_EQ(tick.follow(130, far, 200 * core::millisecond), 150);
}

// The server stood still during most of the pause.
TEST(SlewedTick, ReachesItsTargetAfterAPauseOfASlowServer) {
  SlewedTick tick(tick_length, 0.05, 10);
  tick.follow(100, far, 0);
  EXPECT_EQ(tick.follow(150, far, 500 * tick_length), 150);
}

TEST(SlewedTick, DoesNotOvershootAfterAPause) {
  for (const double off : {0.7, -0.7}) {
    SlewedTick tick(tick_length, 0.05, 10);
    tick.follow(100, far, 0);
    EXPECT_NEAR(tick.follow(1100 + off, far, 1000 * tick_length), 1100 + off, 1e-9);
  }
}

TEST(SlewedTick, StaysBelowItsLimitAndNeverGoesBack) {
  SlewedTick tick(tick_length, 0.05, 10);
  EXPECT_EQ(tick.follow(100, 99, 0), 99);
  EXPECT_EQ(tick.follow(101, 98, 20 * core::millisecond), 99);
  core::Random random(1);
  core::Nanoseconds now = 0;
  double last = 0;
  for (int i = 0; i < 10'000; ++i) {
    now += core::Nanoseconds{random.below(50)} * core::millisecond - 10 * core::millisecond;
    const double next = tick.follow(random.below(2000), random.below(2000), now);
    ASSERT_GE(next, last);
    last = next;
  }
}

}  // namespace
}  // namespace mobula::client::slewed_tick_test
