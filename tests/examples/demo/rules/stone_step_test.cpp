#include <gtest/gtest.h>

#include <cmath>
#include <examples/demo/rules/ruled_world.hpp>

namespace demo::stone_step_test {
namespace {

using test::box;
using test::RuledWorld;
using test::Vec3;

// Counts the effects of a name in the last tick.
std::size_t count(const RuledWorld& world, core::StringId32 name) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < world.effects.size(); ++i) count += world.effects.at(i).name == name ? 1 : 0;
  return count;
}

TEST(StoneStep, AStoneFliesOnAnArcAndLiesStill) {
  RuledWorld world;
  world.add_avatar(0, 0);
  world.throw_stone(0, 0.96f, 0.28f, 0);
  world.tick();
  ASSERT_EQ(world.stones().size(), 1u);
  const ecs::Entity stone = world.stones()[0];
  const auto* const key = world.registry.try_get<const mobula::engine::SpawnKey>(stone);
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->command, 1u);
  EXPECT_EQ(count(world, throw_effect), 1u);
  float highest = 0;
  std::size_t impacts = 0;
  while (world.registry.valid(stone) && world.get<Velocity>(stone).linear != Vec3{}) {
    const Vec3 at = world.get<Pose>(stone).position;
    ASSERT_GE(at.y, 0);
    highest = std::max(highest, at.y);
    world.tick();
    impacts += count(world, impact_effect);
  }
  // It rises by v² / 2g above the hand, a little less with ticks of 50 ms.
  EXPECT_NEAR(highest, aim_height + 4.2f * 4.2f / (2 * 9.81f), 0.2f);
  ASSERT_TRUE(world.registry.valid(stone)) << "it lies still before it ends";
  EXPECT_EQ(impacts, 1u);
  EXPECT_LT(world.get<Pose>(stone).position.y, 0.2f);
  EXPECT_NEAR(world.get<Pose>(stone).position.z, 0, 0.01f);
}

TEST(StoneStep, AStoneEndsAfterThreeSeconds) {
  for (const std::uint32_t rate : {1u, 20u, 60u, 1000u}) {
    RuledWorld world({}, rate);
    world.add_avatar(0, 0);
    world.throw_stone(0, 0, 1, 0);
    world.tick();
    ASSERT_EQ(world.stones().size(), 1u) << rate;
    for (std::uint32_t i = 1; i + 1 < 3 * rate; ++i) world.tick();
    EXPECT_EQ(world.stones().size(), 1u) << rate;
    world.ticks(2);
    EXPECT_TRUE(world.stones().empty()) << rate;
  }
}

TEST(StoneStep, AStoneBouncesOffAnObstacle) {
  const std::vector<ObstacleShape> hut{box(5, 0, 1, 3)};
  RuledWorld world(hut);
  world.add_avatar(0, 0);
  world.throw_stone(0, 1, 0, 0);
  std::size_t impacts = 0;
  Vec3 place{};
  for (int i = 0; i < 30; ++i) {
    world.tick();
    for (std::size_t e = 0; e < world.effects.size(); ++e) {
      if (world.effects.at(e).name != impact_effect) continue;
      ++impacts;
      EXPECT_EQ(world.effects.at(e).key, effect_key(world.avatars[0], 1));
      ASSERT_EQ(world.effects.at(e).payload.size(), sizeof(Impact));
      const auto impact = core::load<Impact>(world.effects.at(e).payload.data());
      EXPECT_EQ(impact.stone, world.stones()[0]);
      place = impact.place;
    }
    ASSERT_LT(world.get<Pose>(world.stones()[0]).position.x, 4.0f);
  }
  EXPECT_EQ(impacts, 1u);
  EXPECT_NEAR(place.x, 4, 0.02f);
  EXPECT_LT(world.get<Pose>(world.stones()[0]).position.x, 3.9f) << "it comes back a little";
}

TEST(StoneStep, AThrowIsIgnoredWhileTheAvatarRests) {
  RuledWorld world;
  const ecs::Entity avatar = world.add_avatar(0, 0);
  std::size_t thrown = 0;
  for (int i = 0; i < 100; ++i) {
    world.throw_stone(0, 0, 0, 1);
    world.throw_stone(0, 0, 0, 1);
    world.tick();
    thrown += count(world, throw_effect);
    EXPECT_EQ(world.spawned.size(), count(world, throw_effect));
  }
  EXPECT_EQ(thrown, 10u) << "two in a second";
  EXPECT_LE(world.get<Walker>(avatar).rest, 10);
}

TEST(StoneStep, StonesStayInTheWorldAndOutOfObstacles) {
  core::Random random(31);
  const std::vector<ObstacleShape> shapes = test::random_shapes(random, 60, 25);
  RuledWorld world(shapes);
  for (int i = 0; i < 8; ++i) {
    const float x = random.uniform(-25, 25);
    world.add_avatar(x, random.uniform(-25, 25));
  }
  world.add_avatar(499.9f, 0);
  std::size_t seen = 0;
  for (int tick = 0; tick < 2000; ++tick) {
    for (std::size_t i = 0; i < 9; ++i)
      if (random.chance(1, 12))
        world.throw_stone(i, random.uniform(-0.5f, 0.5f), random.uniform(-0.5f, 0.5f), random.uniform(-0.5f, 0.5f));
    world.tick();
    for (const ecs::Entity stone : world.stones()) {
      const Vec3 at = world.get<Pose>(stone).position;
      ASSERT_LE(std::abs(at.x), world_edge);
      ASSERT_GE(at.y, 0);
      const Vec3 speed = world.get<Velocity>(stone).linear;
      ASSERT_LE(speed.x * speed.x + speed.z * speed.z, 15.1f * 15.1f);
      ++seen;
    }
  }
  EXPECT_GT(seen, 1000u);
}

}  // namespace
}  // namespace demo::stone_step_test
