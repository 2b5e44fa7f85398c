#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/server/session/rush.hpp>

namespace mobula::server {
namespace {

using core::millisecond;
using core::Nanoseconds;

constexpr Nanoseconds tick_period = 50 * millisecond;

TEST(Rush, AFewNewcomersThatDoNotWaitAreNone) {
  Rush rush;
  rush.update({.present = Rush::newcomers_least - 1, .waiting = 0, .period = tick_period}, tick_period);
  EXPECT_FALSE(rush.lasts());
}

TEST(Rush, LastsFromTheFirstWhoWaitsToTheLastArrival) {
  Rush rush;
  rush.update({.present = 2, .waiting = 1, .period = tick_period}, tick_period);
  EXPECT_TRUE(rush.lasts());
  rush.update({.present = 1, .waiting = 0, .arrived = 1, .period = tick_period}, 2 * tick_period);
  EXPECT_TRUE(rush.lasts());
  rush.update({.present = 0, .waiting = 0, .arrived = 2, .period = tick_period}, 3 * tick_period);
  EXPECT_FALSE(rush.lasts());
}

TEST(Rush, EndsThoughSomeNewcomersNeverArrive) {
  Rush rush;
  rush.update({.present = 20, .waiting = 10, .period = tick_period}, tick_period);
  Nanoseconds now = tick_period;
  for (int i = 0; i < 21; ++i)
    rush.update({.present = 3, .waiting = 0, .arrived = 17, .period = tick_period}, now += tick_period);
  EXPECT_FALSE(rush.lasts());
}

TEST(Rush, ItsEndNamesClientsTimeAndLongestTick) {
  testing::internal::CaptureStderr();
  Rush rush;
  rush.update({.present = 0, .waiting = 0, .arrived = 7, .period = tick_period}, 19 * tick_period);
  rush.update(
      {.present = 500, .waiting = 400, .arrived = 7, .longest_wait = tick_period, .tick = 3, .period = tick_period},
      20 * tick_period);
  rush.update({.present = 9, .waiting = 0, .arrived = 498, .tick = 30 * millisecond, .period = tick_period},
              30 * tick_period);
  rush.update({.present = 0, .waiting = 0, .arrived = 507, .tick = 5, .period = tick_period}, 39 * tick_period);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("the rush is over: 500 clients arrived within 1.00 s; the longest tick took 30.0 ms, "
                                 "60% of its period"));
}

}  // namespace
}  // namespace mobula::server
