#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/prototype.hpp>

namespace mobula::ecs {
namespace {

std::vector<PoolId> listed(const PrototypeTable& table, PrototypeId prototype) {
  const auto pools = table.pools(prototype);
  return {pools.begin(), pools.end()};
}

struct PrototypeTest : testing::Test {
  PrototypeTable table;
  PrototypeTest() {
    for (const std::uint64_t key : {30, 10, 20, 40}) table.add_pool(key);
  }
};

TEST_F(PrototypeTest, TheSameHistoryIsTheSamePrototype) {
  const PrototypeId first = table.with(table.with(empty_prototype, 0), 1);
  EXPECT_EQ(table.with(table.with(empty_prototype, 0), 1), first);
  EXPECT_EQ(listed(table, first), (std::vector<PoolId>{0, 1}));
}

TEST_F(PrototypeTest, DifferentOrdersOfAddingShareTheirCanonicalPrototype) {
  const PrototypeId forward = table.with(table.with(table.with(empty_prototype, 0), 1), 2);
  const PrototypeId backward = table.with(table.with(table.with(empty_prototype, 2), 1), 0);
  EXPECT_NE(forward, backward);
  EXPECT_EQ(table.canonical(forward), table.canonical(backward));
  EXPECT_EQ(listed(table, table.canonical(forward)), (std::vector<PoolId>{1, 2, 0})) << "sorted by key";
  const PrototypeId canonical = table.canonical(forward);
  EXPECT_EQ(table.canonical(canonical), canonical);
  const PoolId pools[] = {2, 0, 1};
  EXPECT_EQ(table.intern(pools), canonical);
}

TEST_F(PrototypeTest, TakingOutRebuildsTheChainWithoutTheComponent) {
  const PrototypeId all = table.with(table.with(table.with(empty_prototype, 0), 1), 2);
  const PrototypeId rest = table.without(all, 1);
  EXPECT_EQ(rest, table.with(table.with(empty_prototype, 0), 2)) << "shared with those who never had it";
  EXPECT_EQ(table.without(table.without(rest, 0), 2), empty_prototype);
}

TEST_F(PrototypeTest, RandomWalksAgreeWithLists) {
  constexpr std::uint64_t seed = 5;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  PrototypeId prototype = empty_prototype;
  std::vector<PoolId> model;
  std::map<std::vector<PoolId>, PrototypeId> canonical_of;
  for (int step = 0; step < 2000; ++step) {
    const PoolId pool = random.below(4);
    const auto found = std::find(model.begin(), model.end(), pool);
    if (found == model.end()) {
      model.push_back(pool);
      prototype = table.with(prototype, pool);
    } else {
      model.erase(found);
      prototype = table.without(prototype, pool);
    }
    ASSERT_EQ(listed(table, prototype), model);
    std::vector<PoolId> sorted = model;
    std::sort(sorted.begin(), sorted.end());
    const auto [place, fresh] = canonical_of.try_emplace(sorted, table.canonical(prototype));
    ASSERT_EQ(place->second, table.canonical(prototype));
  }
  EXPECT_LE(table.size(), 65u) << "ordered selections of 4 are 65, whatever the walk";
}

TEST_F(PrototypeTest, APrototypeCountsItsEntities) {
  const PrototypeId one = table.with(empty_prototype, 0);
  EXPECT_EQ(table.uses(one), 0u);
  table.retain(one, 10);
  table.retain(one);
  table.release(one, 4);
  table.release(one);
  EXPECT_EQ(table.uses(one), 6u);
  EXPECT_EQ(table.uses(empty_prototype), 0u);
}

// More edges than the cache before the map has places.
TEST(Prototype, ManyEdgesDoNotHideEachOther) {
  PrototypeTable table;
  constexpr PoolId pools = 40;
  for (PoolId pool = 0; pool < pools; ++pool) table.add_pool(1000 - pool);
  std::map<std::vector<PoolId>, PrototypeId> known;
  for (int round = 0; round < 3; ++round) {
    for (PoolId a = 0; a < pools; ++a) {
      for (PoolId b = 0; b < pools; ++b) {
        if (a == b) continue;
        const PrototypeId both = table.with(table.with(empty_prototype, a), b);
        ASSERT_EQ(listed(table, both), (std::vector<PoolId>{a, b}));
        ASSERT_EQ(known.try_emplace({a, b}, both).first->second, both);
        ASSERT_EQ(listed(table, table.canonical(both)), (std::vector<PoolId>{std::max(a, b), std::min(a, b)}));
        ASSERT_EQ(table.without(both, a), table.with(empty_prototype, b));
        ASSERT_EQ(table.without(both, b), table.with(empty_prototype, a));
      }
    }
  }
  EXPECT_EQ(table.size(), 1 + pools * pools);
}

#ifdef MOBULA_ASSERTS
TEST_F(PrototypeTest, ACompositionHoldsAPoolOnce) {
  const PrototypeId one = table.with(empty_prototype, 0);
  EXPECT_DEATH(table.with(one, 0), "holds a pool once");
  EXPECT_DEATH(table.without(one, 1), "only a pool that is there");
  EXPECT_DEATH(table.with(one, 4), "the table knows the pool");
}
#endif

}  // namespace
}  // namespace mobula::ecs
