#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mobula/core/histogram.hpp>
#include <mobula/core/random.hpp>
#include <vector>

namespace mobula::core {
namespace {

// Model: sorted values with percentiles by nearest rank.
struct ReferenceModel {
  std::vector<std::uint64_t> values;

  [[nodiscard]] std::uint64_t percentile(double share) const {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return values[std::max<std::size_t>(rank, 1) - 1];
  }
};

ReferenceModel fill(Histogram& histogram, Random& random, std::size_t count) {
  ReferenceModel reference;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t value = random.next() >> random.below(64);
    histogram.add(value);
    reference.values.push_back(value);
  }
  std::sort(reference.values.begin(), reference.values.end());
  return reference;
}

TEST(Histogram, PercentilesAreAtMostOneThirtySecondTooHigh) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Histogram histogram;
    const ReferenceModel reference = fill(histogram, random, 1 + random.below(500));
    EXPECT_EQ(histogram.count(), reference.values.size());
    EXPECT_EQ(histogram.max(), reference.values.back());
    for (const double share : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const std::uint64_t right = reference.percentile(share);
      EXPECT_GE(histogram.percentile(share), right);
      EXPECT_LE(histogram.percentile(share) - right, right / 32);
    }
  }
}

TEST(Histogram, CountsUpToAPowerOfTwoAreExact) {
  Random random(7);
  Histogram histogram;
  const ReferenceModel reference = fill(histogram, random, 2000);
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t bound = (std::uint64_t{1} << bit) - 1;
    const auto right =
        std::upper_bound(reference.values.begin(), reference.values.end(), bound) - reference.values.begin();
    EXPECT_EQ(histogram.count_up_to(bound), static_cast<std::uint64_t>(right)) << bound;
  }
  EXPECT_EQ(histogram.count_up_to(std::numeric_limits<std::uint64_t>::max()), 2000u);
}

TEST(Histogram, MergeEqualsAddingToOne) {
  Random random(9);
  Histogram one;
  Histogram two;
  Histogram both;
  for (std::uint64_t value = 0; value < 1000; ++value) {
    const std::uint64_t drawn = random.below(1'000'000);
    (value % 3 == 0 ? one : two).add(drawn, 2);
    both.add(drawn, 2);
  }
  one.merge(two);
  EXPECT_EQ(one.count(), both.count());
  EXPECT_EQ(one.sum(), both.sum());
  EXPECT_EQ(one.percentile(0.5), both.percentile(0.5));
  EXPECT_DOUBLE_EQ(one.mean(), both.mean());
}

TEST(Histogram, EmptyHistogramReturnsZero) {
  const Histogram histogram;
  EXPECT_EQ(histogram.percentile(0.5), 0u);
  EXPECT_EQ(histogram.mean(), 0.0);
  EXPECT_EQ(histogram.count_up_to(1000), 0u);
}

}  // namespace
}  // namespace mobula::core
