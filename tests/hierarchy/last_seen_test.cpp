#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/hierarchy/last_seen.hpp>
#include <set>

#include "hierarchy/reference_hierarchy.hpp"

namespace mobula::hierarchy {
namespace {

using engine::Transform;
using Indices = std::set<std::uint32_t>;

struct Changes {
  Indices removed;
  Indices added;  // by index

  explicit Changes(LastSeen& seen, const ecs::Pool& pool) {
    seen.follow(
        pool, [this](std::uint32_t index) { EXPECT_TRUE(removed.insert(index).second) << index; },
        [&](std::uint32_t position) { EXPECT_TRUE(added.insert(pool.indices()[position]).second) << position; });
    EXPECT_TRUE(seen.is_current(pool));
  }
};

TEST(LastSeen, ReportsRemovedAndMovedEntities) {
  test::World world;
  LastSeen seen;
  const ecs::Pool& pool = world.pool<Transform>();
  for (int i = 0; i < 5; ++i) world.make();
  EXPECT_FALSE(seen.is_current(pool));
  const Changes all(seen, pool);
  EXPECT_EQ(all.added, (Indices{0, 1, 2, 3, 4}));
  EXPECT_TRUE(all.removed.empty());

  world.destroy(world.entities().at(1));
  const Changes gap(seen, pool);
  EXPECT_EQ(gap.removed, (Indices{1}));
  EXPECT_EQ(gap.added, (Indices{4})) << "the last one filled the gap";

  world.destroy(world.entities().at(3));
  const Changes last(seen, pool);
  EXPECT_EQ(last.removed, (Indices{3}));
  EXPECT_TRUE(last.added.empty());
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
    const Changes told(seen, pool);
    Indices removed;
    Indices added;
    for (std::uint32_t i = 0; i < before.size(); ++i)
      if (!pool.contains(before[i])) removed.insert(before[i]);
    for (std::uint32_t i = 0; i < pool.size(); ++i)
      if (i >= before.size() || before[i] != pool.indices()[i]) added.insert(pool.indices()[i]);
    ASSERT_EQ(told.removed, removed) << round;
    ASSERT_EQ(told.added, added) << round;
    before.assign(pool.indices().begin(), pool.indices().end());
  }
}

}  // namespace
}  // namespace mobula::hierarchy
