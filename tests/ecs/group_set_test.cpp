#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/ecs/group_set.hpp>
#include <mobula/ecs/scratch.hpp>
#include <mobula/ecs/standalone_pool.hpp>
#include <numeric>

#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

using namespace test;

// Three pools and a group over them; the test reports each change itself.
struct GroupSetTest : testing::Test {
  Tick now = 1;
  ComponentType type = schema_type<Position>();
  StandalonePool a{0, type, core::StringId32("a"), "a", now, small_pages};
  StandalonePool b{1, type, core::StringId32("b"), "b", now, small_pages};
  StandalonePool c{2, type, core::StringId32("c"), "c", now, small_pages};
  Scratch scratch;

  void put(StandalonePool& pool, std::uint32_t index) {
    pool.make_room(index);
    core::store(pool.end(), index);
    pool.commit(index);
  }
  void add(GroupSet& group, StandalonePool& pool, std::uint32_t index) {
    const Entity entity{index, 1};
    group.make_room({&entity, 1});
    put(pool, index);
    group.added(pool, index);
  }
  void remove(GroupSet& group, StandalonePool& pool, std::uint32_t index) {
    const Entity entity{index, 1};
    group.make_room({&entity, 1});
    group.removing(pool, index);
    pool.remove(index);
    group.removed(pool, index);
  }
  void destroy(GroupSet& group, std::uint32_t index) {
    group.leave(index);
    for (StandalonePool* pool : {&a, &b, &c})
      if (pool->contains(index)) pool->remove(index);
  }
  std::vector<std::uint32_t> members(const GroupSet& group) {
    std::vector<std::uint32_t> found(group.indices().begin(), group.indices().end());
    std::sort(found.begin(), found.end());
    return found;
  }
  void expect_values_kept() {
    for (StandalonePool* pool : {&a, &b, &c})
      for (const std::uint32_t index : pool->indices())
        ASSERT_EQ(core::load<std::uint32_t>(pool->at(pool->find(index))), index);
  }

  void run_random_history(const GroupPools& pools, std::uint64_t seed) {
    core::Random random(seed);
    for (std::uint32_t index = 0; index < 300; ++index)
      for (StandalonePool* pool : {&a, &b, &c})
        if (random.chance(1, 2)) put(*pool, index);
    GroupSet group(pools, 4);
    for (int step = 0; step < 8000; ++step) {
      const std::uint32_t index = random.below(300);
      StandalonePool& pool = *std::array{&a, &b, &c}[random.below(3)];
      if (random.chance(1, 20)) {
        destroy(group, index);
      } else if (pool.contains(index)) {
        remove(group, pool, index);
      } else {
        add(group, pool, index);
      }
      if (step % 200 != 0) continue;
      const std::uint32_t first = random.below(group.size() + 1);
      std::vector<std::uint32_t> order(group.size() - first);
      std::iota(order.begin(), order.end(), first);
      for (std::uint32_t i = static_cast<std::uint32_t>(order.size()); i > 1; --i)
        std::swap(order[i - 1], order[random.below(i)]);
      group.reorder(first, order, scratch);
      group.check();
      for (Pool* each : {&a, &b, &c}) each->check();
      expect_values_kept();
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < 300; ++i) {
        const auto has = [i](const Pool* each) { return each->contains(i); };
        if (std::all_of(pools.owned.begin(), pools.owned.end(), has) &&
            std::all_of(pools.required.begin(), pools.required.end(), has) &&
            std::none_of(pools.excluded.begin(), pools.excluded.end(), has))
          expected.push_back(i);
        ASSERT_EQ(group.contains(i), !expected.empty() && expected.back() == i);
      }
      ASSERT_EQ(members(group), expected);
    }
    group.leave(1000);
  }
};

TEST_F(GroupSetTest, GroupThatOwnsAllAgreesWithLookups) { run_random_history({{&a, &b, &c}, {}, {}}, 1); }
TEST_F(GroupSetTest, GroupThatOwnsOneAgreesWithLookups) { run_random_history({{&b}, {&a}, {&c}}, 2); }
TEST_F(GroupSetTest, GroupThatOwnsTwoAgreesWithLookups) { run_random_history({{&b, &a}, {}, {&c}}, 3); }
TEST_F(GroupSetTest, GroupThatOwnsNoneAgreesWithLookups) { run_random_history({{}, {&a, &b}, {&c}}, 4); }
TEST_F(GroupSetTest, GroupThatExcludesTwoAgreesWithLookups) { run_random_history({{&a}, {}, {&b, &c}}, 5); }

TEST_F(GroupSetTest, MembersLieAtTheFrontOfOwnedPoolsInOneOrder) {
  for (std::uint32_t i = 0; i < 10; ++i) put(a, i);
  for (const std::uint32_t i : {9u, 3u, 7u}) put(b, i);
  const GroupSet group({{&a, &b}, {}, {}}, 4);
  ASSERT_EQ(group.size(), 3u);
  EXPECT_EQ(a.order_owner(), OrderOwner::group);
  EXPECT_EQ(a.owner_group(), &group);
  for (std::uint32_t position = 0; position < 3; ++position) EXPECT_EQ(a.indices()[position], b.indices()[position]);
  EXPECT_EQ(c.order_owner(), OrderOwner::nobody);
}

TEST_F(GroupSetTest, EntityAddedTwiceIsAMemberOnce) {
  GroupSet owning({{&a, &b}, {}, {}}, 4);
  for (const std::uint32_t index : {1u, 2u}) {
    put(a, index);
    put(b, index);
    owning.added(a, index);
    owning.added(b, index);
  }
  EXPECT_EQ(owning.size(), 2u);
  owning.check();
}

TEST_F(GroupSetTest, AClearedGroupFillsAgain) {
  for (std::uint32_t i = 0; i < 100; ++i) {
    put(a, i);
    if (i % 2 == 0) put(b, i);
  }
  for (const GroupPools& pools : {GroupPools{{&a}, {&b}, {}}, GroupPools{{}, {&b, &c}, {}}}) {
    GroupSet group(pools, 4);
    const std::vector<std::uint32_t> before = members(group);
    group.clear();
    EXPECT_EQ(group.size(), 0u);
    EXPECT_FALSE(group.contains(2));
    group.fill();
    EXPECT_EQ(members(group), before);
    group.check();
  }
}

TEST_F(GroupSetTest, APoolsOrderHasOneOwner) {
  const GroupSet first({{&a, &b}, {}, {}}, 4);
  EXPECT_DEATH(GroupSet({{&c, &b}, {}, {}}, 4), "the order of pool b already has an owner");
  EXPECT_DEATH(GroupSet({{}, {}, {&b}}, 4), "at least one component");
  const GroupSet observer({{&c}, {&a, &b}, {}}, 4);
  EXPECT_EQ(observer.size(), 0u);
}

}  // namespace
}  // namespace mobula::ecs
