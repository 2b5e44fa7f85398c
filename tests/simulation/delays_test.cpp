#include <gtest/gtest.h>

#include <simulation/delays.hpp>

namespace mobula::sim {
namespace {

TEST(Delays, APercentileIsTheLeastThatHoldsItsShare) {
  Delays delays;
  EXPECT_EQ(delays.percentile(99), 0u);
  for (int i = 0; i < 98; ++i) delays.add(2);
  delays.add(5);
  delays.add(1000);
  EXPECT_EQ(delays.count(), 100u);
  EXPECT_EQ(delays.percentile(50), 2u);
  EXPECT_EQ(delays.percentile(98), 2u);
  EXPECT_EQ(delays.percentile(99), 5u);
  EXPECT_EQ(delays.percentile(100), Delays::ticks_max);
  Delays more;
  more.add(3);
  delays.add(more);
  EXPECT_EQ(delays.by_ticks[3], 1u);
}

}  // namespace
}  // namespace mobula::sim
