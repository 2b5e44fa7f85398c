#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/prototype.hpp>
#include <set>

namespace mobula::ecs {
namespace {

std::vector<PoolId> listed(const PrototypeTable& table, PrototypeId prototype) {
  const auto pools = table.pools(prototype);
  return {pools.begin(), pools.end()};
}

struct PrototypeTest : testing::Test {
  PrototypeTable table;
  PrototypeTest() {
    for (const std::uint64_t key : {30u, 10u, 20u, 40u}) table.add_pool(key);
  }
};

TEST_F(PrototypeTest, TheSameHistoryIsTheSamePrototype) {
  const PrototypeId first = table.with(table.with(empty_prototype, 0), 1);
  EXPECT_EQ(table.with(table.with(empty_prototype, 0), 1), first);
  EXPECT_EQ(listed(table, first), (std::vector<PoolId>{0, 1}));
}

TEST_F(PrototypeTest, OrdersOfAddingShareACanonicalPrototype) {
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

TEST_F(PrototypeTest, RemovalRebuildsTheChainWithoutTheComponent) {
  const PrototypeId all = table.with(table.with(table.with(empty_prototype, 0), 1), 2);
  const PrototypeId rest = table.without(all, 1);
  EXPECT_EQ(rest, table.with(table.with(empty_prototype, 0), 2)) << "shared with compositions that never had it";
  EXPECT_EQ(table.without(table.without(rest, 0), 2), empty_prototype);
}

TEST_F(PrototypeTest, RandomHistoriesAgreeWithLists) {
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
  EXPECT_LE(table.size(), 65u) << "ordered selections of 4 are 65, whatever the history";
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

std::vector<PoolId> add_pools(PrototypeTable& table, core::Random& random, std::uint32_t count) {
  std::vector<PoolId> all;
  for (PoolId pool = 0; pool < count; ++pool) {
    table.add_pool(static_cast<std::uint64_t>(pool % 7) << 32 | (random.below(1u << 31) + pool % 2));
    all.push_back(pool);
  }
  return all;
}

TEST(Prototype, ANameFindsItsPoolAndNothingElseDoes) {
  constexpr std::uint64_t seed = 11;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  PrototypeTable table;
  const std::vector<PoolId> all = add_pools(table, random, 200);
  for (int round = 0; round < 300; ++round) {
    std::set<PoolId> some;
    for (std::uint32_t i = random.below(round < 290 ? 14 : 150); i > 0; --i) some.insert(random.below(200));
    const PrototypeId prototype = table.intern(std::vector<PoolId>(some.begin(), some.end()));
    for (const PoolId pool : all)
      ASSERT_EQ(table.find(prototype, table.name(pool)), some.contains(pool) ? pool : no_pool);
    ASSERT_EQ(table.find(prototype, core::StringId32(0u)), no_pool);
    ASSERT_EQ(table.find(prototype, core::StringId32(~0u)), no_pool);
  }
  table.check();
}

TEST(Prototype, ANameOfZeroIsANameToo) {
  PrototypeTable table;
  table.add_pool(0);
  table.add_pool(1);
  const PrototypeId one = table.with(empty_prototype, 1);
  EXPECT_EQ(table.find(one, core::StringId32(0u)), no_pool);
  EXPECT_EQ(table.find(table.with(one, 0), core::StringId32(0u)), 0u);
}

// Entities change their compositions at random. Prototypes they or holders need stay; all others are reclaimed in
// time.
TEST(Prototype, OnlyUnneededPrototypesAreReclaimed) {
  constexpr std::uint64_t seed = 12;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  PrototypeTable table;
  add_pools(table, random, 12);
  struct Composed {
    PrototypeId prototype = empty_prototype;
    std::vector<PoolId> pools;
  };
  std::vector<Composed> entities(8);
  std::vector<Composed> holders;
  table.retain(empty_prototype, static_cast<std::uint32_t>(entities.size()));
  const auto move = [&](Composed& entity, PrototypeId to) {
    table.release(entity.prototype);
    table.retain(to);
    entity.prototype = to;
  };
  for (int step = 0; step < 20000; ++step) {
    Composed& entity = entities[random.below(8)];
    const PoolId pool = random.below(12);
    const auto found = std::find(entity.pools.begin(), entity.pools.end(), pool);
    if (found == entity.pools.end()) {
      entity.pools.push_back(pool);
      move(entity, table.with(entity.prototype, pool));
    } else {
      entity.pools.erase(found);
      move(entity, table.without(entity.prototype, pool));
    }
    if (random.chance(1, 50)) {
      holders.push_back(entity);
      table.hold(entity.prototype);
    }
    if (holders.size() > 5 || (!holders.empty() && random.chance(1, 50))) {
      table.drop(holders.front().prototype);
      holders.erase(holders.begin());
    }
    if (random.chance(1, 20)) {
      const PrototypeId canonical = table.canonical(entity.prototype);
      ASSERT_EQ(table.canonical(canonical), canonical);
      ASSERT_TRUE(std::ranges::is_permutation(table.pools(canonical), entity.pools));
    }
    for (const PrototypeId reclaimed : table.reclaim(random.below(30))) ASSERT_FALSE(table.exists(reclaimed));
    for (const std::vector<Composed>* all : {&entities, &holders})
      for (const Composed& each : *all) ASSERT_EQ(listed(table, each.prototype), each.pools);
    if (step % 100 == 0) table.check();
  }
  for (Composed& entity : entities) move(entity, empty_prototype);
  for (const Composed& holder : holders) table.drop(holder.prototype);
  while (!table.reclaim(table.size()).empty()) table.check();
  EXPECT_EQ(table.count(), 1u) << "the empty one";
}

TEST(Prototype, EverNewCompositionsTakeBoundedMemory) {
  constexpr std::uint64_t seed = 13;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  PrototypeTable table;
  add_pools(table, random, 500);
  std::deque<PrototypeId> living;
  for (int step = 0; step < 100000; ++step) {
    PrototypeId prototype = empty_prototype;
    for (int i = 0; i < 3; ++i) {
      const PoolId pool = random.below(500);
      if (!table.contains(prototype, pool)) prototype = table.with(prototype, pool);
    }
    table.retain(prototype);
    living.push_back(prototype);
    if (living.size() > 100) {
      table.release(living.front());
      living.pop_front();
    }
    table.reclaim(16);
  }
  EXPECT_LT(table.size(), 3000u) << "ids are used again";
  table.check();
}

TEST_F(PrototypeTest, AnInstanceNameStandsForOneComponent) {
  table.add_pool(7ull << 32 | 30);  // another type
  EXPECT_EQ(table.with(table.with(empty_prototype, 0), 4), PrototypeTable::impossible);
  EXPECT_DEATH(table.intern(std::array<PoolId, 2>{0, 4}), "have one instance name");
}

TEST_F(PrototypeTest, AnUnknownPrototypeIsNamed) {
  EXPECT_DEATH(static_cast<void>(table.pools(999)), "there is no prototype 999: ids end at 1");
}

TEST_F(PrototypeTest, AnUnknownPoolIsNamed) {
  const PrototypeId one = table.with(empty_prototype, 0);
  for (const PrototypeId prototype : {empty_prototype, one}) {
    EXPECT_DEATH(static_cast<void>(table.with(prototype, no_pool)), "there is no pool 4294967295");
    EXPECT_DEATH(static_cast<void>(table.without(prototype, no_pool)), "there is no pool 4294967295");
  }
}

TEST_F(PrototypeTest, ACompositionHoldsAPoolOnce) {
  const PrototypeId one = table.with(empty_prototype, 0);
  EXPECT_EQ(table.with(one, 0), PrototypeTable::impossible);
  EXPECT_EQ(table.without(one, 1), PrototypeTable::impossible);
}

}  // namespace
}  // namespace mobula::ecs
