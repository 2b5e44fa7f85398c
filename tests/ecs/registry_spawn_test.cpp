#include <gtest/gtest.h>

#include <ecs/components.hpp>
#include <vector>

namespace mobula::ecs::registry_spawn_test {
namespace {

using test::Health;
using test::Mana;
using test::World;

TEST(RegistrySpawn, ARangeWithColumnsIsLikeEntitiesMadeOneByOne) {
  World world;
  const PoolId health = world.pool_of<Health>();
  const PoolId mana = world.pool_of<Mana>();
  const PoolId both_pools[] = {health, mana};
  const PoolId one_pool[] = {mana};
  const PrototypeId both = world.prototypes().intern(both_pools);
  const PrototypeId one = world.prototypes().intern(one_pool);

  const PrototypeId prototypes[] = {both, one, both};
  const EntityRange range = world.begin_spawn(prototypes);
  const std::uint32_t health_of[] = {0, 2};
  const Health healths[] = {{10}, {12}};
  world.add_column(range, health, health_of, reinterpret_cast<const std::byte*>(healths));
  const std::uint32_t mana_of[] = {0, 1, 2};
  const Mana manas[] = {{0}, {1}, {2}};
  world.add_column(range, mana, mana_of, reinterpret_cast<const std::byte*>(manas));

  world.check();
  EXPECT_EQ(world.get<const Health>(range.at(2)).value, 12);
  EXPECT_FALSE(world.has<Health>(range.at(1)));
  world.destroy(range.at(1));
  world.check();
  world.destroy_range(range);
  EXPECT_EQ(world.entities().size(), 0u);
  EXPECT_EQ(world.pool(mana).size(), 0u);
  world.destroy_range(range);
  world.check();
}

TEST(RegistrySpawnDeathTest, APrototypeIsKnown) {
  World world;
  const PrototypeId unknown[] = {77};
  Entity one[1];
  EXPECT_DEATH(world.begin_spawn(unknown), "prototype 77");
  EXPECT_DEATH(world.begin_spawn(one, unknown), "prototype 77");
}

TEST(RegistrySpawn, ASpawnWithoutItsColumnsIsNamed) {
  World world;
  const Entity whole = world.create(Health{}, Mana{});
  const std::vector<PrototypeId> prototypes(2, world.prototype(whole));
  const EntityRange range = world.begin_spawn(prototypes);
  const std::uint32_t offsets[] = {0, 1};
  const Health healths[2] = {};
  world.add_column(range, world.pool_of<Health>(), offsets, reinterpret_cast<const std::byte*>(healths));
  EXPECT_DEATH(world.check_spawned(), "a spawn lacks 2 components");
  EXPECT_DEATH(world.destroy(range.at(1)), "destroying entity 2.1, whose spawn has not added component Mana yet");
  const Entity spawned[] = {range.at(0)};
  EXPECT_DEATH(world.destroy(spawned), "destroying entity 1.1, whose spawn has not added component Mana yet");
  EXPECT_DEATH(world.destroy_range(range), "whose spawn has not added component Mana yet");
  EXPECT_DEATH(world.remove<Mana>(range.at(1)), "entity 2.1 has no component Mana");
  EXPECT_DEATH(world.add<Mana>(range.at(1)), "adding to entity 2.1, whose spawn has not added component Mana yet");
  world.destroy(whole);  // others may be destroyed
  world.undo_spawn(range);
  world.check_spawned();
  world.check();
}

TEST(RegistrySpawn, EntitiesThatAreUndoneLaterLeaveTheirGroups) {
  World world;
  const auto group = world.group<const Health>();
  const PoolId health = world.pool_of<Health>();
  const EntityRange range = world.begin_spawn(std::vector<PrototypeId>(1, world.prototypes().intern({&health, 1})));
  const std::uint32_t offsets[] = {0};
  const Health healths[1] = {};
  world.add_column(range, health, offsets, reinterpret_cast<const std::byte*>(healths));
  world.end_spawn(range);
  EXPECT_EQ(group.size(), 1u);
  world.undo_spawn(range);
  EXPECT_EQ(group.size(), 0u);
  world.check();
}

TEST(RegistrySpawn, ASpawnTakesOnlyColumnsOfItsPrototypes) {
  World world;
  const EntityRange range = world.begin_spawn(std::vector<PrototypeId>(1, empty_prototype));
  const std::uint32_t offsets[] = {0};
  const Health healths[1] = {};
  EXPECT_DEATH(world.add_column(range, world.pool_of<Health>(), offsets, reinterpret_cast<const std::byte*>(healths)),
               "the prototypes of a spawn do not name component Health");
}

TEST(RegistrySpawnDeathTest, AColumnFitsItsSpawn) {
  World world;
  const PoolId health = world.pool_of<Health>();
  const PoolId mana = world.pool_of<Mana>();
  const PoolId pools[] = {health, mana};
  const EntityRange range = world.begin_spawn(std::vector<PrototypeId>(3, world.prototypes().intern(pools)));
  const Health healths[3] = {};
  const auto add = [&](std::vector<std::uint32_t> offsets) {
    world.add_column(range, health, offsets, reinterpret_cast<const std::byte*>(healths));
  };
  EXPECT_DEATH(add({0, 1, 3}), "the offsets of column Health do not ascend, or lie outside of the spawn");
  EXPECT_DEATH(add({0, 0, 1}), "the offsets of column Health do not ascend");
  EXPECT_DEATH(add({1, 0, 2}), "the offsets of column Health do not ascend");
  add({0, 1, 2});
  EXPECT_DEATH(add({0, 1, 2}), "a spawn has two columns of component Health");
  world.undo_spawn(range);
  world.check();
}

}  // namespace
}  // namespace mobula::ecs::registry_spawn_test
