#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <set>

namespace mobula::ecs {
namespace {

TEST(EntityPool, FreeIndicesFormAQueue) {
  EntityPool pool;
  const Entity a = pool.create();
  const Entity b = pool.create();
  const Entity c = pool.create();
  EXPECT_EQ(c.index, 2u);
  pool.destroy(b);
  pool.destroy(a);
  EXPECT_EQ(pool.create(), (Entity{b.index, b.generation + 1}));
  EXPECT_EQ(pool.create(), (Entity{a.index, a.generation + 1}));
  EXPECT_EQ(pool.create().index, 3u);
  pool.check();
}

TEST(EntityPool, AnIndexWhoseGenerationsAreUsedUpIsRetiredForEver) {
  EntityPool pool({.reuse_bits = 2});
  std::set<std::uint32_t> generations;
  for (Entity entity = pool.create(); entity.index == 0; entity = pool.create()) {
    EXPECT_TRUE(generations.insert(entity.generation).second) << "a handle came back";
    pool.destroy(entity);
  }
  EXPECT_EQ(generations, (std::set<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(pool.retired(), 1u);
  EXPECT_FALSE(pool.valid({0, 0}));
  EXPECT_EQ(pool.at(0), null_entity);
  pool.check();
}

TEST(EntityPool, TheIncarnationIsTheTopOfEveryGeneration) {
  EntityPool pool({.incarnation = 7});
  const Entity first = pool.create();
  EXPECT_EQ(first.generation >> 20, 7u);
  pool.destroy(first);
  EXPECT_EQ(pool.create().generation, first.generation + 1);
  EXPECT_EQ(pool.create_range(3).generation >> 20, 7u);
}

TEST(EntityPool, TheHandleADeadIndexWillGetNextIsNotValidYet) {
  EntityPool pool;
  const Entity entity = pool.create();
  pool.destroy(entity);
  EXPECT_FALSE(pool.valid(entity));
  EXPECT_FALSE(pool.valid({entity.index, entity.generation + 1}));
  EXPECT_FALSE(pool.valid(null_entity));
  EXPECT_FALSE(pool.valid({12345, 1}));
}

TEST(EntityPool, ARangeIsRecycledWholeAndNeverLentToSingleCreates) {
  EntityPool pool;
  const EntityRange level = pool.create_range(100);
  for (std::uint32_t i = 0; i < level.count; ++i) EXPECT_TRUE(pool.valid(level.at(i)));
  pool.destroy(level.at(50));
  EXPECT_EQ(pool.create().index, 100u) << "a hole in a living range is not lent";
  EXPECT_EQ(pool.create_range(1).first, 101u);
  pool.destroy_range(level);
  EXPECT_EQ(pool.size(), 2u);
  EXPECT_EQ(pool.create().index, 102u);
  const EntityRange again = pool.create_range(100);
  EXPECT_EQ(again, (EntityRange{level.first, 100, level.generation + 1}));
  EXPECT_FALSE(pool.valid(level.at(0)));
  pool.check();
}

TEST(EntityPool, ARangeWhoseLastEntityDiesAloneIsRecycledToo) {
  EntityPool pool;
  const EntityRange range = pool.create_range(2);
  pool.destroy(range.at(1));
  pool.destroy(range.at(0));
  const EntityRange again = pool.create_range(2);
  EXPECT_EQ(again, (EntityRange{range.first, 2, range.generation + 1}));
  pool.destroy_range(range);
  EXPECT_TRUE(pool.valid(again.at(0))) << "destroying a range that has died touches nobody else";
  pool.check();
}

TEST(EntityPool, WhenTheIndexSpaceIsUsedUpNothingIsMade) {
  EntityPool pool({.index_limit = 3});
  EXPECT_EQ(pool.create_range(4).count, 0u);
  pool.create_range(2);
  EXPECT_TRUE(pool.create());
  EXPECT_FALSE(pool.create());
  EXPECT_EQ(pool.size(), 3u);
}

TEST(EntityPool, APoolOfGivenHandlesMakesExactlyThose) {
  EntityPool pool({.recycling = Recycling::given, .index_limit = 1000});
  EXPECT_TRUE(pool.create_given({7, 42}));
  EXPECT_TRUE(pool.valid({7, 42}));
  EXPECT_FALSE(pool.create_given({7, 43})) << "the index is alive";
  EXPECT_FALSE(pool.create_given({1000, 1})) << "beyond the limit";
  EXPECT_FALSE(pool.create_given({3, 0})) << "null";
  EXPECT_FALSE(pool.valid({3, 0}));
  pool.destroy({7, 42});
  EXPECT_TRUE(pool.create_given({7, 41})) << "whoever gives handles knows what they mean";
  EXPECT_EQ(pool.size(), 1u);
  pool.check();
}

TEST(EntityPool, RandomHistoriesAgreeWithASetOfLivingHandles) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    EntityPool pool({.incarnation = 3, .reuse_bits = 3});
    std::map<std::uint32_t, Entity> living;
    std::set<Entity> seen;
    std::vector<EntityRange> ranges;
    const auto born = [&](Entity entity) {
      EXPECT_TRUE(seen.insert(entity).second) << to_string(entity) << " came back";
      living[entity.index] = entity;
    };
    for (int step = 0; step < 4000; ++step) {
      const std::uint32_t dice = random.below(100);
      if (dice < 40) {
        born(pool.create());
      } else if (dice < 50) {
        const EntityRange range = pool.create_range(1 + random.below(4));
        for (std::uint32_t i = 0; i < range.count; ++i) born(range.at(i));
        ranges.push_back(range);
      } else if (dice < 55 && !ranges.empty()) {
        const EntityRange range = ranges[random.below(static_cast<std::uint32_t>(ranges.size()))];
        for (std::uint32_t i = 0; i < range.count; ++i)
          if (living.contains(range.first + i) && living[range.first + i] == range.at(i)) living.erase(range.first + i);
        pool.destroy_range(range);
      } else if (!living.empty()) {
        auto victim = living.lower_bound(random.below(pool.index_end()));
        if (victim == living.end()) victim = living.begin();
        pool.destroy(victim->second);
        living.erase(victim);
      }
      if (step % 64 == 0) {
        pool.check();
        ASSERT_EQ(pool.size(), living.size());
        for (std::uint32_t index = 0; index < pool.index_end(); ++index)
          ASSERT_EQ(pool.at(index), living.contains(index) ? living[index] : null_entity);
      }
    }
    for (const Entity entity : seen)
      ASSERT_EQ(pool.valid(entity), living.contains(entity.index) && living[entity.index] == entity);
  }
}

}  // namespace
}  // namespace mobula::ecs
