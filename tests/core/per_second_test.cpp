#include <gtest/gtest.h>

#include <mobula/core/per_second.hpp>

namespace mobula::core {
namespace {

TEST(PerSecond, WindowBeginsWithTheFirstEvent) {
  PerSecond limit(2);
  const Nanoseconds first = 5 * second + 300 * millisecond;
  EXPECT_TRUE(limit.admit(first));
  EXPECT_TRUE(limit.admit(first + 900 * millisecond));
  EXPECT_FALSE(limit.admit(first + second - 1));
  EXPECT_TRUE(limit.admit(first + second));
}

TEST(PerSecond, RefusedEventsAreNotCounted) {
  PerSecond limit(1);
  EXPECT_TRUE(limit.admit(second));
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(limit.admit(second + i));
  EXPECT_TRUE(limit.admit(2 * second));
  EXPECT_FALSE(limit.admit(2 * second));
}

TEST(PerSecond, ZeroAdmitsNothing) { EXPECT_FALSE(PerSecond(0).admit(second)); }

}  // namespace
}  // namespace mobula::core
