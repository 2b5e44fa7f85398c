#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mobula/client/prediction/input_delay.hpp>
#include <mobula/core/random.hpp>
#include <seeds.hpp>

namespace mobula::client::input_delay_test {
namespace {

constexpr std::uint32_t rate = 20;

TEST(InputDelay, PredictsAsFarAsTheTargetWithoutADelay) {
  InputDelay delay({}, rate);
  for (double target = 100; target < 200; target += 0.3) EXPECT_EQ(delay.advance(target, 2.5, target - 10), target);
  EXPECT_EQ(delay.distance(), 0);
  EXPECT_EQ(delay.stalls(), 0u);
}

TEST(InputDelay, IsAtLeastTheLeast) {
  InputDelay delay({.least = 3, .most = 6}, rate);
  EXPECT_EQ(delay.advance(100, 0, 95), 97);
  EXPECT_EQ(delay.ticks(), 3u);
}

TEST(InputDelay, RisesWithTheMarginToTheMost) {
  InputDelay delay({.least = 1, .most = 4}, rate);
  double target = 100;
  double predicted = delay.advance(target, 0.5, 95);
  EXPECT_EQ(predicted, 99);
  delay.advance(target, 2.4, 95);
  EXPECT_EQ(delay.ticks(), 2u);
  delay.advance(target, 2.6, 95);
  EXPECT_EQ(delay.ticks(), 3u);
  for (; target < 150; target += 0.5) {
    const double next = delay.advance(target, 9, target - 5);
    EXPECT_GE(next - predicted, 0);
    EXPECT_LE(next - predicted, 0.5 * 1.1 + 1e-9);
    predicted = next;
  }
  EXPECT_EQ(delay.ticks(), 4u);
  EXPECT_NEAR(delay.distance(), 4, 1e-9);
}

TEST(InputDelay, FallsOnceLessHasSufficedForTwoSeconds) {
  InputDelay delay({.least = 0, .most = 8}, rate);
  double target = 100;
  delay.advance(target, 5, 95);
  const auto step = [&](double margin) {
    target += 1;
    delay.advance(target, margin, target - 5);
  };
  for (int i = 0; i < 39; ++i) step(2);
  EXPECT_EQ(delay.ticks(), 5u);
  step(2);
  EXPECT_EQ(delay.ticks(), 2u);
  for (int i = 0; i < 40; ++i) step(0);
  EXPECT_EQ(delay.ticks(), 0u);
}

TEST(InputDelay, RisesWhereMoreTicksWouldBePredictedThanAllowed) {
  InputDelay delay({.least = 0, .most = 6, .predicted_max = 8}, rate);
  double target = 100;
  for (int i = 0; i < 40; ++i) {
    target += 1;
    delay.advance(target, 0, target - 12);
    delay.on_complete(target - 12);
  }
  EXPECT_EQ(delay.ticks(), 4u);
  EXPECT_FALSE(delay.is_stalled());
}

TEST(InputDelay, StallsOnceAndResumesSmoothly) {
  InputDelay delay({.predicted_max = 8}, rate);
  double target = 100;
  double predicted = 0;
  for (; target < 115; target += 0.25) predicted = delay.advance(target, 0, 95);
  EXPECT_TRUE(delay.is_stalled());
  EXPECT_EQ(delay.stalls(), 1u);
  EXPECT_EQ(std::floor(predicted), 103);
  for (; target < 130; target += 0.25) {
    const double next = delay.advance(target, 0, target - 5);
    EXPECT_LE(next - predicted, target < 116 ? 12.0 : 0.25 * 1.1 + 1e-9);
    predicted = next;
  }
  EXPECT_FALSE(delay.is_stalled());
  EXPECT_EQ(delay.stalls(), 1u);
}

TEST(InputDelay, AStallIsNoInputDelay) {
  InputDelay delay({.least = 1, .most = 3, .predicted_max = 8}, rate);
  for (double target = 100; target <= 160; target += 0.5) {
    delay.advance(target, 0, 95);
    EXPECT_GE(delay.present(), 1);
    EXPECT_LE(delay.present(), 3);
  }
  EXPECT_GT(delay.distance(), 50);
  EXPECT_EQ(delay.stalls(), 1u);
  delay.advance(160, 0, 95);
  EXPECT_TRUE(delay.is_stalled()) << "the target stands still";
  delay.advance(160.5, 0, 95);
  EXPECT_EQ(delay.stalls(), 1u);
}

TEST(InputDelay, DoesNotGoBackWhenItStalls) {
  InputDelay delay({.predicted_max = 8}, rate);
  const double before = delay.advance(103.9999, 0, 95);
  EXPECT_EQ(before, 103.9999);
  EXPECT_EQ(delay.advance(104.5, 0, 95), before);
  EXPECT_TRUE(delay.is_stalled());
}

// The moments of any course of targets and completed ticks keep the promises of the header.
TEST(InputDelay, NeverExceedsItsLimitsOnRandomPaths) {
  test::for_each_seed(1, 50, 2000, [](std::uint64_t seed) {
    core::Random random(seed);
    const InputDelayLimits limits{
        .least = random.below(3), .most = random.below(8), .predicted_max = 4 + random.below(20)};
    InputDelay delay(limits, rate);
    double target = 50;
    double complete = 40;
    double last = 0;
    for (int i = 0; i < 2000; ++i) {
      target += random.chance(1, 200) ? random.uniform(0, 60) : random.uniform(0, 1);
      if (random.chance(3, 4)) {
        delay.on_complete(complete);
        complete = std::max(complete, std::floor(target) - 2 - random.below(12));
      }
      const double predicted = delay.advance(target, random.uniform(-2, 6), complete);
      ASSERT_LE(std::floor(predicted), complete + limits.predicted_max);
      ASSERT_GE(predicted, complete);
      ASSERT_LE(predicted, std::max(target, complete));
      ASSERT_GE(predicted, last - 1e-9);
      ASSERT_GE(delay.ticks(), limits.least);
      ASSERT_LE(delay.ticks(), std::max(limits.least, limits.most));
      last = predicted;
    }
  });
}

}  // namespace
}  // namespace mobula::client::input_delay_test
