// destroy() looks into the server-only pools that are not empty, however they were filled and emptied.
#include <gtest/gtest.h>

#include <ecs/components.hpp>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/registry.hpp>
#include <seeds.hpp>
#include <set>

namespace mobula::ecs {
namespace {

struct Buff {
  int until = 0;
};

TEST(OccupiedPools, DestroyFindsEachServerOnlyComponent) {
  mobula::test::for_each_seed(1, mobula::test::few_or_all(4, 40), 2000, [](std::uint64_t seed) {
    core::Random random(seed);
    Registry world;
    std::vector<PoolId> pools;
    std::map<Entity, std::set<PoolId>> model;
    for (int step = 0; step < 2000; ++step) {
      if (step % 16 == 0) pools.push_back(world.pool_of<Buff>("buff_" + std::to_string(step)));
      if (model.size() < 20) model[world.create()];
      auto chosen = model.begin();
      std::advance(chosen, random.below(static_cast<std::uint32_t>(model.size())));
      auto& [entity, has] = *chosen;
      const PoolId pool = pools[random.below(static_cast<std::uint32_t>(pools.size()))];
      if (random.chance(1, 10)) {
        const Entity destroyed = entity;
        model.erase(chosen);
        random.chance(1, 2) ? world.destroy(destroyed) : world.destroy({&destroyed, 1});
      } else if (has.erase(pool) > 0) {
        world.remove(entity, pool);
      } else {
        has.insert(pool);
        world.add<Buff>(entity, Buff{step}, pool);
      }
      std::size_t expected = 0;
      for (const auto& [each, held] : model) expected += held.size();
      std::size_t found = 0;
      for (const PoolId each : pools) found += world.pool(each).size();
      ASSERT_EQ(found, expected) << "step " << step;
      if (step % 50 == 0) world.check();
    }
  });
}

TEST(OccupiedPools, ABulkAddIsFoundToo) {
  Registry world;
  for (int round = 0; round < 3; ++round) {
    std::vector<Entity> entities(10);
    ASSERT_TRUE(world.create(entities));
    world.add<Buff>(std::span<const Entity>(entities));
    world.check();
    for (const Entity entity : entities) world.destroy(entity);
    EXPECT_EQ(world.pool<Buff>().size(), 0u);
    world.check();
  }
}

// Signals of `destroy` are emitted pool by pool, in the order of the pools, and for pools opened by a listener as well.
TEST(OccupiedPools, AComponentOfAOneStepCreateIsFoundToo) {
  Registry world;
  const Entity entity = world.create(Buff{7});
  world.destroy(entity);
  EXPECT_EQ(world.pool<Buff>().size(), 0u);
  world.check();
}

TEST(OccupiedPools, ListenersAreCalledInTheOrderOfThePools) {
  Registry world;
  std::vector<PoolId> pools;
  for (const char* name : {"a", "b", "c"}) pools.push_back(world.pool_of<Buff>(name));
  std::vector<PoolId> called;
  for (const std::size_t each : {2u, 0u, 1u}) {
    const PoolId pool = pools[each];
    world.signals(pool).destroy.connect([&, pool](std::span<const Entity>) {
      called.push_back(pool);
      if (called.size() == 1) world.signals(world.pool_of<Buff>("d")).destroy.connect([](std::span<const Entity>) {});
    });
  }
  const Entity entity = world.create();
  for (const PoolId pool : pools) world.add<Buff>(entity, Buff{}, pool);
  world.destroy(entity);
  EXPECT_EQ(called, pools);
}

}  // namespace
}  // namespace mobula::ecs
