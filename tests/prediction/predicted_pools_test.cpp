// Access by pool, as steps have it that find components by name. It is that of the templates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <mobula/core/random.hpp>
#include <prediction/rules_world.hpp>

namespace mobula::prediction::predicted_pools_test {
namespace {

using namespace test;

const Command command{.player = 4, .number = 11};

template <class T>
ecs::PoolId pool_of(const Side& side) {
  constexpr core::StringId32 id(T::component_name);
  return side.registry.find_pool(id, id);
}

// Entities with random components, of which a client steps some.
struct RandomSides {
  explicit RandomSides(std::uint64_t seed) {
    core::Random random(seed);
    for (int i = 0; i < 40; ++i) {
      const ecs::Entity entity = server.registry.create(Health{static_cast<std::uint16_t>(i)});
      if (random.chance(2, 3)) server.registry.add(entity, Body{.x = static_cast<float>(i)});
      if (random.chance(1, 2)) server.registry.add(entity, Engine{});
      if (random.chance(4, 5)) client.copy(server.registry, entity, random.chance(1, 2));
    }
  }
  Side server;
  ClientSide client;
};

template <class... Components>
std::vector<ecs::Entity> stepped_by_template(PredictedWorld& world) {
  std::vector<ecs::Entity> found;
  world.each<const Components...>([&](ecs::Entity entity, const Components&...) { found.push_back(entity); });
  return found;
}

TEST(PredictedPools, FindWhatTheTemplatesFind) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomSides sides(seed);
    for (Side* const side : {&sides.server, static_cast<Side*>(&sides.client)}) {
      PredictedWorld world(side->context, 3);
      std::vector<ecs::Entity> found;
      const std::array both{pool_of<Body>(*side), pool_of<Engine>(*side)};
      world.find_stepped(both, found);
      EXPECT_EQ(found, (stepped_by_template<Body, Engine>(world)));
      std::vector<ecs::Entity> visible;
      world.each_visible<const Body, const Engine>(
          [&](ecs::Entity entity, const Body&, const Engine&) { visible.push_back(entity); });
      world.find_visible(both, found);
      EXPECT_EQ(found, visible);
      EXPECT_FALSE(found.empty());
    }
  }
}

TEST(PredictedPools, ReadAndWriteWhatTheTemplatesDo) {
  RandomSides sides(5);
  PredictedWorld world(sides.client.context, 3);
  const ecs::PoolId pool = pool_of<Body>(sides.client);
  int read = 0;
  sides.server.registry.entities().each([&](ecs::Entity entity) {
    EXPECT_EQ(static_cast<const void*>(world.try_read(entity, pool)), world.try_get<const Body>(entity));
    EXPECT_EQ(static_cast<const void*>(world.try_write(entity, pool)), world.try_get<Body>(entity));
    read += world.try_read(entity, pool) != nullptr ? 1 : 0;
  });
  EXPECT_GT(read, 10);
}

TEST(PredictedPools, AreReadAloneIfTheyAreDeclared) {
  const Side server;
  EXPECT_TRUE(server.types->is_writable(pool_of<Body>(server)));
  EXPECT_TRUE(server.types->is_readable(pool_of<Health>(server)));
  EXPECT_FALSE(server.types->is_writable(pool_of<Health>(server)));
  EXPECT_FALSE(server.types->is_readable(pool_of<Name>(server)));
  EXPECT_FALSE(server.types->is_readable(ecs::no_pool));
}

TEST(PredictedPools, SpawnsCountWithThoseOfTheTemplate) {
  ClientSide client;
  PredictedWorld world(client.context, 3);
  const ecs::Entity first = world.spawn(command, Body{.x = 7});
  const std::array pools{pool_of<Body>(client)};
  const ecs::Entity second = world.spawn_default(command, pools);
  EXPECT_EQ(world.spawned_by(command), 2u);
  EXPECT_EQ(world.spawned_by({.player = 4, .number = 12}), 0u);
  ASSERT_EQ(client.spawned.size(), 2u);
  EXPECT_EQ(client.spawned[1].ordinal, 1);
  EXPECT_EQ(client.registry.get<const engine::SpawnKey>(second),
            (engine::SpawnKey{.tick = 3, .player = 4, .command = 11, .ordinal = 1}));
  EXPECT_EQ(client.registry.get<const Body>(second), Body{});
  EXPECT_TRUE(world.steps(first));
  EXPECT_TRUE(world.steps(second));
}

}  // namespace
}  // namespace mobula::prediction::predicted_pools_test
