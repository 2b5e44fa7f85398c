// Iterations of a PredictedWorld against a reference, on both sides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <ecs/allocations.hpp>
#include <mobula/core/random.hpp>
#include <prediction/rules_world.hpp>

namespace mobula::prediction {
namespace {

using namespace test;
using testing::ElementsAre;

// A server's registry after churn, in which no pool is sorted.
void fill(ecs::Registry& registry, core::Random& random, std::vector<ecs::Entity>& entities) {
  for (int i = 0; i < 300; ++i) {
    const ecs::Entity entity = registry.create(Body{.x = random.uniform(-500, 500), .speed = random.uniform(-9, 9)});
    if (random.chance(1, 2)) registry.add(entity, Engine{static_cast<std::int32_t>(random.below(100))});
    if (random.chance(1, 2)) registry.add(entity, Health{static_cast<std::int32_t>(random.below(100))});
    entities.push_back(entity);
    if (!random.chance(1, 3)) continue;
    const std::size_t victim = random.below(static_cast<std::uint32_t>(entities.size()));
    registry.destroy(entities[victim]);
    entities.erase(entities.begin() + static_cast<std::ptrdiff_t>(victim));
  }
  std::ranges::sort(entities);
}

// Returns the handles that an iteration visits.
template <StepAccess... Components>
std::vector<ecs::Entity> visited(Side& side) {
  PredictedWorld world(side.context, 3);
  std::vector<ecs::Entity> entities;
  world.each<Components...>([&](ecs::Entity entity, Components&...) { entities.push_back(entity); });
  return entities;
}
template <StepAccess... Components>
std::vector<ecs::Entity> visible(Side& side) {
  PredictedWorld world(side.context, 3);
  std::vector<ecs::Entity> entities;
  world.each_visible<Components...>([&](ecs::Entity entity, Components&...) { entities.push_back(entity); });
  return entities;
}
template <class... Components>
std::vector<ecs::Entity> with(const ecs::Registry& registry, std::vector<ecs::Entity> entities) {
  std::erase_if(entities, [&](ecs::Entity entity) { return !(registry.has<Components>(entity) && ...); });
  return entities;
}

TEST(PredictedIteration, ASmallPoolOfManyEntitiesIsVisitedInOrder) {
  Side server;
  ClientSide client;
  std::vector<ecs::Entity> all;
  for (int i = 0; i < 100; ++i) all.push_back(server.registry.create(Body{}));
  for (const ecs::Entity entity : all) client.copy(server.registry, entity, true);
  for (const int i : {70, 3, 9, 30}) client.registry.add<Engine>(all[static_cast<std::size_t>(i)]);
  std::erase(client.stepped.alive, all[9]);  // a step has destroyed it
  EXPECT_THAT((visited<Body, const Engine>(client)), ElementsAre(all[3], all[30], all[70]));
  EXPECT_THAT((visible<const Engine, const Body>(client)), ElementsAre(all[3], all[30], all[70]));
}

// Moves each body by a sum over all bodies before it, which depends on the order to the last bit.
void drift(PredictedWorld& world, ecs::Tick /*tick*/, std::span<const Command> /*commands*/) {
  float sum = 0;
  world.each<Body>([&](Body& body) {
    sum = sum * 0.75f + body.x * 0.3f + body.speed;
    body.x += sum * 0.01f;
  });
}

TEST(PredictedIteration, VisitsInOrderOfIndicesOnBothSides) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    Side server;
    ClientSide client;
    std::vector<ecs::Entity> entities;
    fill(server.registry, random, entities);
    std::vector<ecs::Entity> stepped;
    std::vector<ecs::Entity> shuffled = entities;
    for (std::size_t i = shuffled.size(); i > 1; --i)
      std::swap(shuffled[i - 1], shuffled[random.below(static_cast<std::uint32_t>(i))]);
    for (const ecs::Entity entity : shuffled) {
      const bool steps = random.chance(2, 3);
      client.copy(server.registry, entity, steps);
      if (steps) stepped.push_back(entity);
    }
    std::ranges::sort(stepped);
    const ecs::Registry& truth = server.registry;
    EXPECT_EQ(visited<Body>(server), entities);
    EXPECT_EQ((visited<const Body, Engine>(server)), (with<Engine>(truth, entities)));
    EXPECT_EQ((visited<Body, Engine, const Health>(server)), (with<Engine, Health>(truth, entities)));
    EXPECT_EQ((visited<Body>(client)), stepped);
    EXPECT_EQ((visited<Body, Engine, const Health>(client)), (with<Engine, Health>(truth, stepped)));
    EXPECT_EQ((visible<const Body>(client)), entities);
    EXPECT_EQ((visible<const Body, const Engine>(client)), (with<Engine>(truth, entities)));
    EXPECT_EQ((visible<const Health, const Engine>(client)), (visible<const Health, const Engine>(server)));
  }
}

TEST(PredictedIteration, SumsHaveTheSameBitsOnBothSides) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    Side server;
    ClientSide client;
    std::vector<ecs::Entity> entities;
    fill(server.registry, random, entities);
    for (auto entity = entities.rbegin(); entity != entities.rend(); ++entity)
      client.copy(server.registry, *entity, true);
    for (ecs::Tick tick = 1; tick <= 50; ++tick) {
      run_step({.step = drift}, server.context, tick, {});
      run_step({.step = drift}, client.context, tick, {});
    }
    for (const ecs::Entity entity : entities)
      EXPECT_EQ(std::bit_cast<std::uint32_t>(server.registry.get<const Body>(entity).x),
                std::bit_cast<std::uint32_t>(client.registry.get<const Body>(entity).x));
  }
}

TEST(PredictedIteration, OnlyWritingAccessMarksAChange) {
  Side server;
  const ecs::Entity entity = server.registry.create(Body{}, Engine{});
  server.registry.create(Body{});
  const auto marks = [&](const ecs::Pool& pool) { return pool.change_ticks()[0]; };
  const ecs::Pool& bodies = server.registry.pool<Body>();
  const ecs::Pool& engines = server.registry.pool<Engine>();
  PredictedWorld world(server.context, 7);
  server.registry.set_tick(7);
  world.each<const Body>([](const Body&) {});
  world.each_visible<const Body>([](const Body&) {});
  static_cast<void>(world.get<const Engine>(entity));
  EXPECT_EQ(marks(bodies), 1u);
  EXPECT_EQ(marks(engines), 1u);
  world.each<const Body, Engine>([](const Body&, Engine&) {});
  EXPECT_EQ(marks(bodies), 1u);
  EXPECT_EQ(marks(engines), 7u);
  server.registry.set_tick(8);
  world.each<Body, const Health>([](Body&, const Health&) {});
  EXPECT_EQ(marks(bodies), 1u) << "no entity has both";
  world.get<Body>(entity).x = 1;
  EXPECT_EQ(marks(bodies), 8u);
}

TEST(PredictedIteration, SkipsDestroyedAndNewEntities) {
  Side server;
  ClientSide client;
  std::vector<ecs::Entity> entities;
  for (int i = 0; i < 6; ++i) entities.push_back(server.registry.create(Body{.hits = static_cast<std::uint32_t>(i)}));
  for (const ecs::Entity entity : entities) client.copy(server.registry, entity, true);
  const Command command{.player = 1, .number = 1};
  const std::array<Side*, 2> sides{&server, &client};
  for (Side* const side : sides) {
    PredictedWorld world(side->context, 3);
    std::vector<std::uint32_t> hits;
    world.each<Body>([&](ecs::Entity entity, Body& body) {
      const std::uint32_t number = body.hits;
      hits.push_back(number);
      if (number == 1) world.destroy(entities[4]);
      if (number == 2) world.destroy(entity);
      if (number < 5) world.spawn(command, Body{.hits = 9});
    });
    EXPECT_THAT(hits, ElementsAre(0u, 1u, 2u, 3u, 5u));
    EXPECT_EQ(visited<Body>(*side).size(), 8u) << "4 of the old ones, and 4 that were spawned";
  }
}

TEST(PredictedIteration, IterationsCanBeNested) {
  Side server;
  for (int i = 1; i <= 20; ++i) server.registry.create(Body{.hits = static_cast<std::uint32_t>(i)});
  PredictedWorld world(server.context, 3);
  std::uint32_t pairs = 0;
  std::uint32_t outer = 0;
  world.each<const Body>([&](const Body& body) {
    outer += body.hits;
    world.each<const Body>([&](const Body& other) { pairs += body.hits < other.hits ? 1 : 0; });
  });
  EXPECT_EQ(outer, 210u);
  EXPECT_EQ(pairs, 190u);
  EXPECT_TRUE(server.scratch.gathered.empty());
}

TEST(PredictedIteration, AllocatesNothingInTheSteadyState) {
  core::Random random(4);
  Side server;
  ClientSide client;
  std::vector<ecs::Entity> entities;
  fill(server.registry, random, entities);
  for (const ecs::Entity entity : entities) client.copy(server.registry, entity, random.chance(1, 2));
  const auto step = [&](Side& side, ecs::Tick tick) {
    run_step({.step = drift}, side.context, tick, {});
    PredictedWorld world(side.context, tick);
    world.each_visible<const Body, const Health>([](const Body&, const Health&) {});
    side.context.effects->add({core::StringId32("tick"), tick, tick, {}});
  };
  for (ecs::Tick tick = 1; tick <= 3; ++tick) step(server, tick), step(client, tick);
  const std::uint64_t before = ecs::test::allocations();
  for (ecs::Tick tick = 4; tick <= 50; ++tick) step(server, tick), step(client, tick);
  EXPECT_EQ(ecs::test::allocations(), before);
}

}  // namespace
}  // namespace mobula::prediction
