#include <gtest/gtest.h>

#include <mobula/client/connection/arrival_line.hpp>
#include <mobula/core/random.hpp>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds tick_length = 20 * core::millisecond;
constexpr core::Nanoseconds epoch = 5'000'000 * core::second;

core::Nanoseconds ideal(ecs::Tick tick) { return epoch + core::Nanoseconds{tick} * tick_length; }

TEST(ArrivalLine, GoesThroughTheEarliestArrivals) {
  ArrivalLine line(tick_length);
  EXPECT_FALSE(line.known());
  core::Random random(1);
  for (ecs::Tick tick = 1000; tick < 1200; ++tick) line.add(tick, ideal(tick) + random.below(30) * core::millisecond);
  EXPECT_TRUE(line.known());
  EXPECT_NEAR(line.at(ideal(1200)), 1200, 0.1);
  EXPECT_NEAR(line.at(ideal(1200) + tick_length / 2), 1200.5, 0.1);
}

TEST(ArrivalLine, FollowsAFasterPathAtOnceAndASlowerOneSoon) {
  ArrivalLine line(tick_length);
  ecs::Tick tick = 1;
  for (; tick < 200; ++tick) line.add(tick, ideal(tick) + 50 * core::millisecond);
  EXPECT_NEAR(line.at(ideal(tick)), tick - 2.5, 0.01);
  line.add(tick, ideal(tick) + 20 * core::millisecond);
  EXPECT_NEAR(line.at(ideal(tick)), tick - 1, 0.01);
  const ecs::Tick end = tick + 150;
  for (++tick; tick < end; ++tick) line.add(tick, ideal(tick) + 60 * core::millisecond);
  EXPECT_NEAR(line.at(ideal(tick)), tick - 3, 0.01);
}

TEST(ArrivalLine, ABurstAfterASilenceDoesNotMoveIt) {
  ArrivalLine line(tick_length);
  ecs::Tick tick = 1;
  for (; tick < 200; ++tick) line.add(tick, ideal(tick));
  const ecs::Tick end = tick + 40;
  for (const core::Nanoseconds at = ideal(end); tick <= end; ++tick) line.add(tick, at);
  EXPECT_NEAR(line.at(ideal(tick)), tick, 0.01);
}

TEST(ArrivalLine, AStalledServerMovesItWithinAFewTicks) {
  ArrivalLine line(tick_length);
  ecs::Tick tick = 1;
  for (; tick < 200; ++tick) line.add(tick, ideal(tick));
  const core::Nanoseconds stall = 700 * core::millisecond;
  const ecs::Tick end = tick + 20;
  for (; tick < end; ++tick) line.add(tick, ideal(tick) + stall);
  EXPECT_NEAR(line.at(ideal(tick) + stall), tick, 0.01);
}

TEST(ArrivalLine, ClocksThatJumpOrGoBackDoNoHarm) {
  ArrivalLine line(tick_length);
  ecs::Tick tick = 1;
  for (; tick < 100; ++tick) line.add(tick, ideal(tick));
  line.add(tick, epoch - 1000 * core::second);
  for (const core::Nanoseconds jump : {90 * core::second, 100'000 * core::second}) {
    const ecs::Tick end = tick + 20;
    for (; tick < end; ++tick) line.add(tick, ideal(tick) + jump);
    EXPECT_NEAR(line.at(ideal(tick) + jump), tick, 0.01);
  }
  line.add(0xffffffffu, ideal(tick) + 100'001 * core::second);
  EXPECT_GT(line.at(ideal(tick) + 100'001 * core::second), 4e9);
}

}  // namespace
}  // namespace mobula::client
