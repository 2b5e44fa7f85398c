#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/hierarchy/last_seen.hpp>
#include <set>

#include "hierarchy/reference_hierarchy.hpp"

namespace mobula::hierarchy {
namespace {

using engine::Transform;
using Indices = std::set<std::uint32_t>;

struct Told {
  Indices gone;
  Indices came;  // by index

  explicit Told(LastSeen& seen, const ecs::Pool& pool) {
    seen.follow(
        pool, [this](std::uint32_t index) { EXPECT_TRUE(gone.insert(index).second) << index; },
        [&](std::uint32_t position) { EXPECT_TRUE(came.insert(pool.indices()[position]).second) << position; });
    EXPECT_TRUE(seen.is_current(pool));
  }
};

TEST(LastSeen, ReportsRemovedAndMovedEntities) {
  test::World world;
  LastSeen seen;
  const ecs::Pool& pool = world.pool<Transform>();
  for (int i = 0; i < 5; ++i) world.make();
  EXPECT_FALSE(seen.is_current(pool));
  const Told all(seen, pool);
  EXPECT_EQ(all.came, (Indices{0, 1, 2, 3, 4}));
  EXPECT_TRUE(all.gone.empty());

  world.destroy(world.entities().at(1));
  const Told gap(seen, pool);
  EXPECT_EQ(gap.gone, (Indices{1}));
  EXPECT_EQ(gap.came, (Indices{4})) << "it has filled the gap";

  world.destroy(world.entities().at(3));
  const Told last(seen, pool);
  EXPECT_EQ(last.gone, (Indices{3}));
  EXPECT_TRUE(last.came.empty());
  EXPECT_TRUE(seen.knows(1, 4));
  EXPECT_FALSE(seen.knows(3, 3));
  EXPECT_FALSE(seen.knows(ecs::Pool::none, 3));
}

TEST(LastSeen, ReportsAllRandomChanges) {
  test::World world;
  core::Random random(1);
  LastSeen seen;
  const ecs::Pool& pool = world.pool<Transform>();
  std::vector<std::uint32_t> before;
  for (int round = 0; round < 300; ++round) {
    for (std::uint32_t changes = random.below(20); changes > 0; --changes) {
      if (pool.size() < 300 && random.chance(11, 20)) {
        world.make();
      } else if (pool.size() > 0) {
        world.destroy(world.entities().at(pool.indices()[random.below(pool.size())]));
      }
    }
    const Told told(seen, pool);
    Indices gone;
    Indices came;
    for (std::uint32_t i = 0; i < before.size(); ++i)
      if (!pool.contains(before[i])) gone.insert(before[i]);
    for (std::uint32_t i = 0; i < pool.size(); ++i)
      if (i >= before.size() || before[i] != pool.indices()[i]) came.insert(pool.indices()[i]);
    ASSERT_EQ(told.gone, gone) << round;
    ASSERT_EQ(told.came, came) << round;
    before.assign(pool.indices().begin(), pool.indices().end());
  }
}

}  // namespace
}  // namespace mobula::hierarchy
