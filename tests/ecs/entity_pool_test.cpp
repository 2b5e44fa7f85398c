#include <gtest/gtest.h>

#include <iterator>
#include <mobula/ecs/entity_pool.hpp>
#include <set>
#include <string>

#include "ecs/entity_pool_image.hpp"

namespace mobula::ecs {
namespace {

static_assert(std::forward_iterator<EntityPool::Iterator>);

std::string link(std::uint32_t index) { return index == (1u << 29) - 1 ? "-" : std::to_string(index); }

// One word per slot: `3` alive in generation 3; `>5:2` free, 5 is the next free index, 2 its next generation; `x`
// unused. Then head and tail of the free list.
std::string drawn(const EntityPool& pool) {
  std::vector<EntitySlot> room;
  const EntityPoolImage image = pool.image(room);
  std::string text;
  for (const EntitySlot& slot : image.slots) {
    const std::string next = link(slot.state & ((1u << 29) - 1));
    if (slot.state >> 31 == 0) {
      text += std::to_string(slot.generation);
    } else {
      text += slot.generation == 0 ? "x" : '>' + next + ':' + std::to_string(slot.generation);
    }
    text += ' ';
  }
  return text + "| " + link(image.free_head) + ' ' + link(image.free_tail);
}

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

// The example of the sparse-set text, with generations that start at 1 instead of 0.
TEST(EntityPool, LifoFollowsTheExampleOfEnTT) {
  EntityPool pool({.recycling = Recycling::lifo, .reuse_bits = 2});
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(pool.create(), (Entity{i, 1}));
  EXPECT_EQ(drawn(pool), "1 1 1 1 | - -");
  pool.destroy({1, 1});  // the first dead index ends the list
  EXPECT_EQ(drawn(pool), "1 >-:2 1 1 | 1 -");
  pool.destroy({3, 1});  // the next one links to it: only the head is stored
  EXPECT_EQ(drawn(pool), "1 >-:2 1 >1:2 | 3 -");
  pool.destroy({0, 1});
  EXPECT_EQ(drawn(pool), ">3:2 >-:2 1 >1:2 | 0 -");
  EXPECT_EQ(pool.create(), (Entity{0, 2}));  // last out, first in
  EXPECT_EQ(drawn(pool), "2 >-:2 1 >1:2 | 3 -");
  EXPECT_EQ(pool.create(), (Entity{3, 2}));
  EXPECT_EQ(pool.create(), (Entity{1, 2}));
  EXPECT_EQ(drawn(pool), "2 2 1 2 | - -");
  EXPECT_EQ(pool.create(), (Entity{4, 1}));  // none is free: a new slot
  pool.destroy({3, 2});
  EXPECT_EQ(pool.create(), (Entity{3, 3}));
  pool.destroy({3, 3});
  EXPECT_EQ(drawn(pool), "2 2 1 >-:1 1 | 3 -") << "after the last generation the first follows";
  EXPECT_EQ(pool.create(), (Entity{3, 1})) << "and with it the old handle";
  pool.check();
}

TEST(EntityPool, QueueFollowsTheExampleOfShipyard) {
  EntityPool pool({.reuse_bits = 2});
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(pool.create(), (Entity{i, 1}));
  EXPECT_EQ(drawn(pool), "1 1 1 | - -");
  pool.destroy({0, 1});  // one dead index: both the oldest and the newest
  EXPECT_EQ(drawn(pool), ">-:2 1 1 | 0 0");
  pool.destroy({1, 1});  // the newest so far links to it: the list runs from oldest to newest
  EXPECT_EQ(drawn(pool), ">1:2 >-:2 1 | 0 1");
  EXPECT_EQ(pool.create(), (Entity{0, 2}));  // taken from the other end
  EXPECT_EQ(drawn(pool), "2 >-:2 1 | 1 1");
  pool.destroy({0, 2});
  EXPECT_EQ(drawn(pool), ">-:3 >0:2 1 | 1 0");
  EXPECT_EQ(pool.create(), (Entity{1, 2}));
  EXPECT_EQ(pool.create(), (Entity{0, 3}));
  EXPECT_EQ(drawn(pool), "3 2 1 | - -");
  pool.destroy({0, 3});  // its generations are used up: not linked, never reused
  EXPECT_EQ(drawn(pool), "x 2 1 | - -");
  EXPECT_EQ(pool.create(), (Entity{3, 1}));
  EXPECT_EQ(pool.retired(), 1u);
  pool.check();
}

TEST(EntityPool, QueueRetiresAnIndexAfterItsLastGeneration) {
  for (std::uint32_t bits = 1; bits <= 4; ++bits) {
    SCOPED_TRACE(bits);
    constexpr std::uint32_t limit = 5;
    EntityPool pool({.incarnation = 2, .reuse_bits = bits, .entities_max = limit});
    std::set<Entity> seen;
    std::vector<Entity> living;
    for (;;) {
      while (const Entity entity = pool.create()) {
        EXPECT_TRUE(seen.insert(entity).second) << to_string(entity) << " was reused";
        EXPECT_EQ(entity.generation >> bits, 2u);
        living.push_back(entity);
      }
      if (living.empty()) break;
      pool.destroy(living);
      living.clear();
      pool.check();
    }
    EXPECT_EQ(seen.size(), limit * ((1u << bits) - 1)) << "every generation of every index was used";
    EXPECT_EQ(pool.retired(), limit);
    EXPECT_EQ(pool.size(), 0u);
    for (const Entity entity : seen) EXPECT_FALSE(pool.valid(entity));
    for (std::uint32_t index = 0; index < limit; ++index) EXPECT_FALSE(pool.valid({index, 0}));
  }
}

TEST(EntityPool, LifoRepeatsHandlesOnlyAfterTheWrap) {
  for (std::uint32_t bits = 1; bits <= 4; ++bits) {
    SCOPED_TRACE(bits);
    constexpr std::uint32_t limit = 5;
    const std::uint32_t period = (1u << bits) - 1;
    EntityPool pool({.recycling = Recycling::lifo, .incarnation = 2, .reuse_bits = bits, .entities_max = limit});
    std::vector<std::set<Entity>> rounds;
    for (std::uint32_t round = 0; round < 3 * period; ++round) {
      std::vector<Entity> living(limit);
      ASSERT_TRUE(pool.create(living));
      EXPECT_FALSE(pool.create());
      rounds.emplace_back(living.begin(), living.end());
      pool.destroy(living);
      pool.check();
    }
    std::set<Entity> seen;
    for (std::uint32_t round = 0; round < period; ++round) seen.insert(rounds[round].begin(), rounds[round].end());
    EXPECT_EQ(seen.size(), limit * period) << "no repeat before the wrap";
    for (const Entity entity : seen) EXPECT_EQ(entity.generation >> bits, 2u);
    for (std::size_t round = period; round < rounds.size(); ++round) EXPECT_EQ(rounds[round], rounds[round - period]);
    EXPECT_EQ(pool.retired(), 0u);
  }
}

TEST(EntityPool, GenerationsOfAllBitsAreRetiredAndWrapToo) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo}) {
    const EntityPoolConfig config{.recycling = recycling, .incarnation = 4095, .reuse_bits = 20};
    EntityPool young(config);
    young.create();
    test::Saved saved(young);
    saved.slots[0].generation = 0xffffffff;
    auto pool = EntityPool::restore(config, saved.image(), 1);
    ASSERT_TRUE(pool.ok());
    pool->destroy({0, 0xffffffff});
    pool->check();
    EXPECT_EQ(pool->create(), recycling == Recycling::lifo ? (Entity{0, 0xfff00001}) : (Entity{1, 0xfff00001}));
  }
  EntityPool whole({.reuse_bits = 32});
  whole.destroy(whole.create());
  EXPECT_EQ(whole.create(), (Entity{0, 2}));
  whole.check();
}

TEST(EntityPool, TheIncarnationIsTheTopOfEveryGeneration) {
  EntityPool pool({.incarnation = 7});
  const Entity first = pool.create();
  EXPECT_EQ(first.generation >> 20, 7u);
  pool.destroy(first);
  EXPECT_EQ(pool.create().generation, first.generation + 1);
  EXPECT_EQ(pool.create_range(3).generation >> 20, 7u);
}

TEST(EntityPool, NextHandleOfADeadIndexIsNotValidYet) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo}) {
    EntityPool pool({.recycling = recycling});
    const Entity entity = pool.create();
    pool.destroy(entity);
    EXPECT_FALSE(pool.valid(entity));
    EXPECT_FALSE(pool.valid({entity.index, entity.generation + 1}));
    EXPECT_FALSE(pool.valid(null_entity));
    EXPECT_FALSE(pool.valid({12345, 1}));
    EXPECT_EQ(pool.at(entity.index), null_entity);
  }
}

TEST(EntityPool, WhenTheIndexSpaceIsUsedUpNothingIsMade) {
  EntityPool pool({.entities_max = 3});
  EXPECT_EQ(pool.create_range(4).count, 0u);
  pool.create_range(2);
  EXPECT_TRUE(pool.create());
  EXPECT_FALSE(pool.create());
  EXPECT_EQ(pool.size(), 3u);
}

TEST(EntityPool, ManyAreMadeFromFreeIndicesFirstOrNotAtAll) {
  EntityPool pool({.entities_max = 5});
  std::vector<Entity> first(3);
  ASSERT_TRUE(pool.create(first, 9));
  EXPECT_EQ(first, (std::vector<Entity>{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(pool.prototype(2), 9u);
  pool.destroy(first[1]);
  std::vector<Entity> many(4, Entity{77, 77});
  EXPECT_FALSE(pool.create(many, 8)) << "one free and two new indices are not four";
  EXPECT_EQ(many[0], (Entity{77, 77}));
  EXPECT_EQ(drawn(pool), "1 >-:2 1 | 1 1");
  many.resize(3);
  EXPECT_TRUE(pool.create(many, 8));
  EXPECT_EQ(many, (std::vector<Entity>{{1, 2}, {3, 1}, {4, 1}}));
  for (const Entity entity : many) EXPECT_EQ(pool.prototype(entity.index), 8u);
  EXPECT_TRUE(pool.create(std::span<Entity>{})) << "zero entities always fit";
  pool.check();
}

TEST(EntityPool, PrototypesAreKeptPerEntityInAndOutOfRanges) {
  EntityPool pool;
  const EntityRange range = pool.create_range(2, 5);
  const Entity single = pool.create(6);
  pool.prototype_place(range.first + 1).change(pool.prototype(range.first + 1), 7);
  pool.prototype_place(single.index).change(pool.prototype(single.index), 8);
  EXPECT_EQ(pool.prototype(range.first), 5u);
  EXPECT_EQ(pool.prototype(range.first + 1), 7u);
  EXPECT_EQ(pool.prototype(single.index), 8u);
  pool.destroy(range.at(1));
  pool.destroy(single);
  EXPECT_EQ(pool.prototype(pool.create().index), 0u);
  EXPECT_EQ(pool.create_range(2).first, 3u) << "still a range, whatever its prototypes were";
  pool.check();
}

TEST(EntityPool, LivingAreIteratedAcrossLongRunsOfTheDead) {
  for (const std::uint32_t stretch : {0u, 1u, 7u, 8u, 9u, 40u}) {
    SCOPED_TRACE(stretch);
    EntityPool pool;
    std::vector<Entity> all(stretch * 3 + 2);
    ASSERT_TRUE(pool.create(all));
    std::vector<Entity> kept;
    for (const Entity entity : all) {
      if (entity.index == stretch || entity.index == stretch * 2 + 1) {
        kept.push_back(entity);
      } else {
        pool.destroy(entity);
      }
    }
    EXPECT_EQ(std::vector<Entity>(pool.begin(), pool.end()), kept);
    std::vector<Entity> met;
    pool.each([&](Entity entity) {
      met.push_back(entity);
      pool.destroy(entity);
    });
    EXPECT_EQ(met, kept);
    EXPECT_EQ(pool.begin(), pool.end());
  }
}

TEST(EntityPool, APoolOfGivenHandlesMakesExactlyThose) {
  EntityPool pool({.recycling = Recycling::given, .entities_max = 1000});
  EXPECT_TRUE(pool.create_given({7, 42}));
  EXPECT_TRUE(pool.valid({7, 42}));
  EXPECT_DEATH(static_cast<void>(pool.create()), "handles come from the caller: use create_given");
  EXPECT_FALSE(pool.create_given({7, 43})) << "the index is alive";
  EXPECT_FALSE(pool.create_given({1000, 1})) << "beyond the limit";
  EXPECT_FALSE(pool.create_given({3, 0})) << "null";
  EXPECT_FALSE(pool.valid({3, 0}));
  pool.destroy({7, 42});
  EXPECT_TRUE(pool.create_given({7, 41})) << "the caller chooses generations";
  EXPECT_TRUE(pool.create_given({999, 0xffffffff}));
  pool.destroy({999, 0xffffffff});
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(pool.retired(), 0u);
  pool.check();
}

TEST(EntityPool, IterationReachesTheEndDespiteCreatesAndDestroys) {
  EntityPool pool;
  for (int i = 0; i < 5; ++i) pool.create();
  int visited = 0;
  for ([[maybe_unused]] const Entity entity : pool) {
    pool.destroy(pool.create());
    ASSERT_LE(++visited, 5);
  }
  EXPECT_EQ(visited, 5);
}

}  // namespace
}  // namespace mobula::ecs
