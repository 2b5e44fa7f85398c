#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <mobula/core/random.hpp>
#include <vector>

namespace mobula::core {
namespace {

// Golden values from another implementation of splitmix64 and xoshiro256**: recordings depend on them.
TEST(Random, NumbersOfASeedNeverChange) {
  Random zero(0);
  for (const std::uint64_t expected :
       {0x99ec5f36cb75f2b4ull, 0xbf6e1f784956452aull, 0x1a5f849d4933e6e0ull, 0x6aa594f1262d2d2cull})
    EXPECT_EQ(zero.next(), expected);
  Random random(42);
  std::uint64_t folded = 0;
  for (int i = 0; i < 1'000'000; ++i) folded = std::rotl(folded ^ random.next(), 1);
  EXPECT_EQ(folded, 0x32af80785ce872f9ull);
}

TEST(Random, NumbersOfTheDistributionsNeverChange) {
  Random whole(42);
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t bound : {1u, 2u, 6u, 1000u, 1u << 31, 0xffffffffu, 3'000'000'000u, 10u})
    numbers.push_back(whole.below(bound));
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 0, 4, 924, 2129882687, 3306005808, 2157775733, 8}));
  Random real(42);
  for (const float expected : {0.08386296033859253f, 0.37898021936416626f, 0.6800433993339539f, 0.9246929287910461f})
    EXPECT_EQ(real.uniform(0, 1), expected);
}

// With 3 * 2^30 a plain 32-bit remainder would return the lower third twice as often as the others.
TEST(Random, BelowIsUniform) {
  Random random(7);
  for (const std::uint32_t bound : {1u, 2u, 3u, 10u, 16u}) {
    SCOPED_TRACE(testing::Message() << "below " << bound);
    std::array<int, 16> counts{};
    const int rounds = 16'000;
    for (int i = 0; i < rounds; ++i) {
      const std::uint32_t value = random.below(bound);
      ASSERT_LT(value, bound);
      ++counts[value];
    }
    const double expected = static_cast<double>(rounds) / bound;
    for (std::uint32_t value = 0; value < bound; ++value) EXPECT_NEAR(counts[value], expected, 0.15 * expected + 1);
  }
  const std::uint32_t large = 3u << 30;
  int lower_third = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint32_t value = random.below(large);
    ASSERT_LT(value, large);
    if (value < large / 3) ++lower_third;
  }
  EXPECT_NEAR(lower_third, 3333, 250);
}

TEST(Random, UniformCoversExactlyItsRange) {
  Random random(8);
  const std::array<std::pair<float, float>, 6> ranges{
      {{0, 1}, {-512, 512}, {512, 1024}, {1048576, 1048577}, {-1e30f, 1e30f}, {-0.3f, 0.7f}}};
  for (const auto& [low, high] : ranges) {
    SCOPED_TRACE(testing::Message() << low << " to " << high);
    int quarters[4] = {};
    for (int i = 0; i < 8000; ++i) {
      const float value = random.uniform(low, high);
      ASSERT_GE(value, low);
      ASSERT_LT(value, high) << "rounding must not reach the end";
      ++quarters[static_cast<int>((value - low) / (high - low) * 4)];
    }
    for (const int count : quarters) EXPECT_NEAR(count, 2000, 600);
  }
  EXPECT_EQ(random.uniform(3, 3), 3.0f);
}

TEST(Random, ChanceIsExactAtZeroAndOne) {
  Random random(9);
  int hits = 0;
  for (int i = 0; i < 9000; ++i) {
    EXPECT_FALSE(random.chance(0, 5));
    EXPECT_TRUE(random.chance(5, 5));
    if (random.chance(1, 3)) ++hits;
  }
  EXPECT_NEAR(hits, 3000, 200);
}

TEST(RandomDeathTest, ABoundOfZeroIsFound) {
  Random random(1);
  EXPECT_DEATH(random.below(0), "the bound must be positive");
  EXPECT_DEATH(random.chance(1, 0), "the bound must be positive");
}

}  // namespace
}  // namespace mobula::core
