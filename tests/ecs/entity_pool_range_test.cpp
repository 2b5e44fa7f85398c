#include <gtest/gtest.h>

#include <mobula/ecs/entity_pool.hpp>

namespace mobula::ecs {
namespace {

TEST(EntityPool, RangesAreRetiredUnderQueueAndWrapUnderLifo) {
  for (std::uint32_t bits = 1; bits <= 4; ++bits) {
    const std::uint32_t period = (1u << bits) - 1;
    EntityPool queue({.reuse_bits = bits, .entities_max = 3});
    EntityPool lifo({.recycling = Recycling::lifo, .reuse_bits = bits, .entities_max = 3});
    for (std::uint32_t round = 0; round < 2 * period; ++round) {
      const EntityRange under_queue = queue.create_range(3);
      EXPECT_EQ(under_queue, round < period ? (EntityRange{0, 3, round + 1}) : EntityRange{});
      queue.destroy_range(under_queue);
      const EntityRange under_lifo = lifo.create_range(3);
      EXPECT_EQ(under_lifo, (EntityRange{0, 3, round % period + 1}));
      lifo.destroy_range(under_lifo);
      queue.check();
      lifo.check();
    }
    EXPECT_EQ(queue.retired(), 3u);
    EXPECT_EQ(lifo.retired(), 0u);
  }
}

TEST(EntityPool, RangeIsRecycledAsAWholeNeverForSingleCreates) {
  EntityPool pool;
  const EntityRange level = pool.create_range(100);
  for (std::uint32_t i = 0; i < level.count; ++i) EXPECT_TRUE(pool.valid(level.at(i)));
  pool.destroy(level.at(50));
  EXPECT_EQ(pool.create().index, 100u) << "a gap in a living range is not reused";
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
  EXPECT_TRUE(pool.valid(again.at(0))) << "destroying a dead range affects no other";
  pool.check();
}

TEST(EntityPool, EmptyRangeLeavesNoTrace) {
  EntityPool pool;
  const EntityRange nothing = pool.create_range(0);
  EXPECT_NE(nothing.generation, 0u);
  pool.destroy_range(nothing);
  EXPECT_EQ(pool.index_end(), 0u);
  pool.check();
}

}  // namespace
}  // namespace mobula::ecs
