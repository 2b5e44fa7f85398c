#include <gtest/gtest.h>

#include <mobula/core/clock.hpp>

namespace mobula::core {
namespace {

TEST(Clock, ConvertsTimesOfAnyTypeToSeconds) {
  EXPECT_EQ(in_seconds(3 * second / 2), 1.5);
  EXPECT_EQ(in_seconds(-second), -1.0);
  EXPECT_EQ(in_seconds(std::uint64_t{250'000'000}), 0.25);
  EXPECT_EQ(in_ms(2.5e6), 2.5);
  EXPECT_EQ(in_ms(second), 1000.0);
}

}  // namespace
}  // namespace mobula::core
