#include <gtest/gtest.h>

#include <limits>
#include <mobula/transport/session_clock.hpp>

namespace mobula::transport {
namespace {

using core::second;

TEST(SessionClock, FollowsTheOwnersClock) {
  SessionClock clock(1000 * second);
  clock.advance(1003 * second);
  EXPECT_EQ(clock.now(), 3 * second);
  EXPECT_EQ(clock.at(1004 * second), 4 * second);
  EXPECT_EQ(clock.to_owner_time(2 * second), 1002 * second);
}

TEST(SessionClock, NeverGoesBackOrJumps) {
  SessionClock clock(0);
  clock.advance(5 * second);
  clock.advance(-3600 * second);
  EXPECT_EQ(clock.now(), 5 * second);
  clock.advance(-3599 * second);
  EXPECT_EQ(clock.now(), 6 * second);
  clock.advance(36'000 * second);
  EXPECT_EQ(clock.now(), 7 * second);
  clock.advance(std::numeric_limits<core::Nanoseconds>::min());
  clock.advance(std::numeric_limits<core::Nanoseconds>::max());
  EXPECT_EQ(clock.now(), 8 * second);
}

}  // namespace
}  // namespace mobula::transport
