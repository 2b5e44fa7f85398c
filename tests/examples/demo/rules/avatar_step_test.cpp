#include <gtest/gtest.h>

#include <cmath>
#include <examples/demo/rules/ruled_world.hpp>
#include <limits>

namespace demo::avatar_step_test {
namespace {

using test::box;
using test::cylinder;
using test::RuledWorld;
using test::Transform;
using test::Vec3;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(AvatarStep, RandomWalksAreFreeAndWithinTheLimit) {
  core::Random random(21);
  const std::vector<ObstacleShape> shapes = test::random_shapes(random, 80, 25);
  RuledWorld world(shapes);
  for (int i = 0; i < 6; ++i) {
    Vec3 place{random.uniform(-25, 25), 0, random.uniform(-25, 25)};
    while (world.obstacles.deepest(place, avatar_radius, avatar_height)) place.x += 1;
    world.add_avatar(place.x, place.z);
  }
  const float most = avatar_speed / 20 + 0.05f;  // a push out of a second obstacle adds to the way
  for (int tick = 0; tick < 4000; ++tick) {
    std::vector<Vec3> before;
    for (std::size_t i = 0; i < 6; ++i) {
      before.push_back(world.get<Pose>(world.avatars[i]).position);
      if (!random.chance(1, 15)) continue;
      const float x = random.uniform(-1, 1);
      const float z = random.uniform(-1, 1);
      if (random.chance(1, 2)) {
        world.walk_to(i, 25 * x, 25 * z);
      } else {
        world.move(i, x * 0.7f, z * 0.7f);
      }
    }
    world.tick();
    for (std::size_t i = 0; i < 6; ++i) {
      const Vec3 at = world.get<Pose>(world.avatars[i]).position;
      ASSERT_FALSE(world.obstacles.deepest(at, avatar_radius, avatar_height)) << tick << ' ' << i;
      ASSERT_LE(std::hypot(at.x - before[i].x, at.z - before[i].z), most) << tick << ' ' << i;
    }
  }
}

TEST(AvatarStep, AWalkToAFreePlaceEndsThere) {
  RuledWorld world;
  const ecs::Entity avatar = world.add_avatar(0, 0);
  for (const auto& [x, z] : std::vector<std::pair<float, float>>{{3, -4}, {200, 91.37f}, {-450, 499}, {-450, 499}}) {
    world.walk_to(0, x, z);
    world.tick();
    for (int i = 0; i < 4000 && world.get<Walker>(avatar).has_goal; ++i) world.tick();
    EXPECT_NEAR(world.get<Pose>(avatar).position.x, x, 0.02f);
    EXPECT_NEAR(world.get<Pose>(avatar).position.z, z, 0.02f);
    EXPECT_EQ(world.get<Velocity>(avatar), Velocity{});
  }
}

TEST(AvatarStep, AWalkIntoAnObstacleEndsBeforeIt) {
  const std::vector<ObstacleShape> hut{box(0, 10, 2, 2)};
  RuledWorld world(hut);
  const ecs::Entity avatar = world.add_avatar(1, 0);
  world.walk_to(0, 0, 10);
  int ticks = 0;
  for (world.tick(); ticks < 200 && world.get<Walker>(avatar).has_goal; ++ticks) world.tick();
  EXPECT_LT(ticks, 100);
  EXPECT_EQ(world.get<Velocity>(avatar), Velocity{});
  EXPECT_NEAR(world.get<Pose>(avatar).position.z, 10 - 2 - avatar_radius, 0.02f);
}

TEST(AvatarStep, AWalkPastAnObstacleGoesAroundIt) {
  const std::vector<ObstacleShape> well{cylinder(0.3f, 5, 1)};
  RuledWorld world(well);
  const ecs::Entity avatar = world.add_avatar(0, 0);
  world.walk_to(0, 0, 10);
  for (int i = 0; i < 120; ++i) world.tick();
  EXPECT_NEAR(world.get<Pose>(avatar).position.x, 0, 0.02f);
  EXPECT_NEAR(world.get<Pose>(avatar).position.z, 10, 0.02f);
}

TEST(AvatarStep, AnAvatarInsideAnObstacleGetsOut) {
  const std::vector<ObstacleShape> hut{box(0, 0, 2, 2)};
  RuledWorld world(hut);
  const ecs::Entity avatar = world.add_avatar(0.5f, 0);
  world.move(0, 1, 0);
  world.ticks(20);
  EXPECT_GT(world.get<Pose>(avatar).position.x, 2 + avatar_radius);
}

TEST(AvatarStep, InvalidCommandsChangeNothing) {
  RuledWorld world;
  const ecs::Entity avatar = world.add_avatar(0, 0);
  world.move(0, 0.5f, 0.25f);
  world.tick();
  const Velocity before = world.get<Velocity>(avatar);
  for (const auto& [x, z] : std::vector<std::pair<float, float>>{{1, 1}, {nan, 0}, {0, 1e30f}}) world.move(0, x, z);
  for (const auto& [x, z] : std::vector<std::pair<float, float>>{{501, 0}, {nan, 0}, {0, 1e30f}})
    world.walk_to(0, x, z);
  world.throw_stone(0, nan, 0, 0);
  world.throw_stone(0, 0, 0, 0);
  world.throw_stone(0, 2, 0, 0);
  world.tick();
  EXPECT_EQ(world.get<Velocity>(avatar), before);
  EXPECT_FALSE(world.get<Walker>(avatar).has_goal);
  EXPECT_TRUE(world.stones().empty());
}

TEST(AvatarStep, CommandsForAnEntityWithoutAWalkerAreIgnored) {
  RuledWorld world;
  world.avatars.push_back(world.registry.create(Transform{}));
  world.move(0, 1, 0);
  world.walk_to(0, 1, 0);
  world.throw_stone(0, 1, 0, 0);
  world.ticks(3);
  EXPECT_EQ(world.get<Transform>(world.avatars[0]), Transform{});
  EXPECT_TRUE(world.stones().empty());
}

TEST(AvatarStep, APlaceThatIsNoNumberStaysWithItsAvatar) {
  RuledWorld world(std::vector{box(0, 10, 2, 2)});
  const ecs::Entity broken = world.add_avatar(0, 0);
  const ecs::Entity other = world.add_avatar(5, 0);
  world.registry.get<Pose>(broken).position.x = nan;
  world.walk_to(0, 3, 3);
  world.move(1, 1, 0);
  world.ticks(20);
  EXPECT_NEAR(world.get<Pose>(other).position.x, 9, 0.02f);
}

TEST(AvatarStep, AnAvatarOnACartWalksInItsFrame) {
  const std::vector<ObstacleShape> hut{box(1, 0, 2, 2)};  // in the frame of the world
  RuledWorld world(hut);
  const ecs::Entity avatar = world.add_avatar(0, 0);
  // The cart is turned by 90 degrees: its +x is the world's -z.
  const float half = std::sqrt(0.5f);
  world.registry.add<Carrier>(avatar, {.position = {100, 0, 0}, .rotation = {.x = 0, .y = half, .z = 0, .w = half}});
  world.walk_to(0, 100, -3);
  world.ticks(40);
  EXPECT_NEAR(world.get<Pose>(avatar).position.x, 3, 0.02f);
  EXPECT_NEAR(world.get<Pose>(avatar).position.z, 0, 0.02f);
  world.throw_stone(0, 0, 1, 0);
  world.tick();
  ASSERT_EQ(world.stones().size(), 1u);
  EXPECT_NEAR(world.get<Pose>(world.stones()[0]).position.x, 100, 0.1f);
  EXPECT_NEAR(world.get<Pose>(world.stones()[0]).position.z, -3, 0.1f);
}

TEST(AvatarStep, NobodyLeavesTheWorld) {
  RuledWorld world;
  const ecs::Entity avatar = world.add_avatar(499, -499);
  world.move(0, 0.7f, -0.7f);
  world.ticks(40);
  EXPECT_EQ(world.get<Pose>(avatar).position.x, world_edge);
  EXPECT_EQ(world.get<Pose>(avatar).position.z, -world_edge);
}

}  // namespace
}  // namespace demo::avatar_step_test
