#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/prediction/predicted_world.hpp>

namespace mobula::prediction::sort_by_index_test {
namespace {

TEST(SortByIndex, SortsAnyOrderOfEntities) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    core::Random random(seed);
    std::vector<ecs::Entity> sorted;
    const std::uint32_t count = random.below(100);
    for (std::uint32_t i = 0; i < count; ++i) sorted.push_back({3 * i, 1 + random.below(9)});
    std::vector<ecs::Entity> mixed = sorted;
    for (std::uint32_t i = count; i > 1; --i) std::swap(mixed[i - 1], mixed[random.below(i)]);
    sort_by_index(mixed);
    ASSERT_EQ(mixed, sorted) << "seed " << seed;
    sort_by_index(mixed);
    ASSERT_EQ(mixed, sorted) << "seed " << seed;
  }
}

}  // namespace
}  // namespace mobula::prediction::sort_by_index_test
