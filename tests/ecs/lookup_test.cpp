#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <vector>

#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

using namespace test;

TEST(Lookup, AgreesWithTryGetForAllHandles) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    World world({.entities = {}, .pools = small_pages});
    std::vector<Entity> entities{null_entity, {1, 7}, {5000, 1}};
    for (int i = 0; i < 300; ++i) {
      if (random.chance(1, 2)) entities.push_back(world.create(Health{i}, make<Label>(i)));
      if (random.chance(1, 4)) entities.push_back(world.create());
      const Entity chosen = entities[random.below(static_cast<std::uint32_t>(entities.size()))];
      if (random.chance(1, 5) && world.valid(chosen)) world.destroy(chosen);
    }
    const PoolId named = world.pool_of<Health>("Named");
    for (const Entity entity : entities)
      if (world.valid(entity) && random.chance(1, 3)) world.add<Health>(entity, {1}, named);
    const Lookup<const Health> healths = world.lookup<const Health>();
    const Lookup<const Health> inner = world.lookup<const Health>(named);
    const Lookup<Label> labels = world.lookup<Label>();
    for (const Entity entity : entities) {
      ASSERT_EQ(healths.try_get(entity) != nullptr, world.has<Health>(entity));
      ASSERT_EQ(healths.try_get(entity), world.try_get<const Health>(entity));
      ASSERT_EQ(inner.try_get(entity), world.try_get<const Health>(entity, named));
      ASSERT_EQ(labels.try_get(entity), world.try_get<Label>(entity));
      ASSERT_EQ(healths.has(entity), world.has<Health>(entity));
    }
  }
}

TEST(Lookup, MarksChangesWhereItMayWrite) {
  World world;
  const Entity entity = world.create(Health{1});
  const Pool& pool = world.pool<Health>();
  world.set_tick(5);
  EXPECT_EQ(world.lookup<const Health>().get(entity).value, 1);
  EXPECT_EQ(pool.change_ticks()[0], 1u);
  world.lookup<Health>().get(entity).value = 2;
  EXPECT_EQ(pool.change_ticks()[0], 5u);
  EXPECT_EQ(world.get<const Health>(entity).value, 2);
}

TEST(LookupDeathTest, MisuseIsFound) {
  World world;
  const Entity entity = world.create(Health{1});
  const Entity other = world.create();
  EXPECT_DEATH(static_cast<void>(world.lookup<Health>().get(other)), "has no component Health");
  World mirror({.entities = {.recycling = Recycling::given}, .pools = no_pages});
  EXPECT_DEATH(static_cast<void>(mirror.lookup<Health>()), "a mirror's registry does not have");
  const Lookup<Health> before = world.lookup<Health>();
  world.add<Health>(other);
  EXPECT_DEATH(static_cast<void>(before.try_get(entity)), "after a structural change");
}

// Once by a page for an index, once by a block for positions.
TEST(LookupDeathTest, APoolThatHasGrownIsFound) {
  for (const std::uint32_t full : {1u, Pool::block_size}) {
    World world;
    const EntityRange all = world.create_range(5000);
    for (std::uint32_t i = 0; i < full; ++i) world.add<Health>(all.at(i), {1});
    const Lookup<Health> before = world.lookup<Health>();
    world.make_room(all.at(full == 1 ? 4999 : full), world.pool_of<Health>());
    EXPECT_DEATH(static_cast<void>(before.try_get(all.at(0))), "after a structural change") << full;
    EXPECT_EQ(world.lookup<Health>().get(all.at(0)).value, 1);
  }
}

}  // namespace
}  // namespace mobula::ecs
