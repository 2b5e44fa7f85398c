#include <gtest/gtest.h>

#include <mobula/core/time_histogram.hpp>

namespace mobula::core {
namespace {

TEST(TimeHistogram, CountsExactlyUpToEachBound) {
  TimeHistogram times;
  for (const Nanoseconds bound : TimeHistogram::bounds)
    for (const Nanoseconds time : {bound - 1, bound, bound + 1}) times.add(time);
  const auto counts = times.counts_up_to_bounds();
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], 3 * i + 2) << TimeHistogram::bounds[i];
  EXPECT_EQ(times.count(), 3 * counts.size()) << "the last is above all bounds";
  EXPECT_EQ(times.max(), static_cast<std::uint64_t>(TimeHistogram::bounds.back()) + 1);
}

TEST(TimeHistogram, ANegativeTimeCountsAsZero) {
  TimeHistogram times;
  times.add(-5);
  times.add(0);
  EXPECT_EQ(times.counts_up_to_bounds()[0], 2u);
  EXPECT_EQ(times.sum(), 0u);
}

TEST(TimeHistogram, PercentilesAreThoseOfTheTimes) {
  TimeHistogram times;
  for (int i = 1; i <= 100; ++i) times.add(i * millisecond);
  EXPECT_NEAR(static_cast<double>(times.percentile(0.5)), 50e6, 50e6 / 32);
  EXPECT_EQ(times.percentile(1), 100u * millisecond);
  EXPECT_DOUBLE_EQ(times.mean(), 50.5e6);
}

}  // namespace
}  // namespace mobula::core
