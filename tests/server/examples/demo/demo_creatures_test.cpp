// Creatures of the demo: they wander near their home, and wolves hunt.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <server/examples/demo/played_demo.hpp>

namespace demo {
namespace {

namespace ecs = mobula::ecs;
using mobula::engine::Transform;
using mobula::server::Player;

TEST_F(DemoGameTest, MobsStayNearHomeWhenNobodyIsThere) {
  ticks(20 * 120);
  int strays = 0;
  int mobs = 0;
  int away = 0;
  world->registry().view<const Wander, const Transform>().each(
      [&](ecs::Entity, const Wander& wander, const Transform& transform) {
        const float distance = std::hypot(transform.position.x - wander.home.x, transform.position.z - wander.home.z);
        ++mobs;
        away += distance > 0.5f ? 1 : 0;
        // The walk home begins some seconds after crossing the edge.
        strays += distance > wander.radius + 15 * wander.speed ? 1 : 0;
      });
  EXPECT_GE(mobs, 20);
  EXPECT_EQ(strays, 0);
  EXPECT_GT(away, mobs / 2) << "they do wander";
}

TEST_F(DemoGameTest, AWolfHuntsWhoeverComesNear) {
  ecs::Entity wolf;
  world->registry().view<const Wander, const Target>().each(
      [&](ecs::Entity entity, const Wander&, const Target&) { wolf = entity; });
  ASSERT_TRUE(world->registry().valid(wolf));
  const Player player = join();
  auto place = get<Transform>(wolf).position;
  place.x += 10;
  world->registry().get<Transform>(player.entity).position = place;
  ticks(25);
  EXPECT_EQ(get<Target>(wolf).entity, player.entity);
  ticks(100);
  const auto& at = get<Transform>(wolf).position;
  EXPECT_LT(std::hypot(at.x - place.x, at.z - place.z), 2.0f);
  game.leave(*world, player);
  ticks(25);
  EXPECT_NE(get<Target>(wolf).entity, player.entity);
}

// A place that is no number is near nobody: wolves go on to hunt others, and no creature loses its own place.
TEST_F(DemoGameTest, APlayerWithoutAPlaceDisturbsNoCreature) {
  ecs::Entity wolf;
  world->registry().view<const Wander, const Target>().each(
      [&](ecs::Entity entity, const Wander&, const Target&) { wolf = entity; });
  ASSERT_TRUE(world->registry().valid(wolf));
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), 1e30f}) {
    const Player lost = join("lost");
    world->registry().get<Transform>(lost.entity).position = {bad, 0, bad};
    world->registry().get<Velocity>(lost.entity).linear = {bad, 0, 1};
    const Player prey = join("prey");
    auto place = get<Transform>(wolf).position;
    place.x += 6;
    world->registry().get<Transform>(prey.entity).position = place;
    ticks(25);
    EXPECT_EQ(get<Target>(wolf).entity, prey.entity) << bad;
    world->registry().get<Target>(wolf).entity = {lost.entity.index, lost.entity.generation};
    ticks(60);
    world->registry().view<const Wander, const Transform, const Velocity>().each(
        [&](ecs::Entity mob, const Wander&, const Transform& transform, const Velocity& velocity) {
          EXPECT_TRUE(std::isfinite(transform.position.x) && std::isfinite(transform.position.z)) << to_string(mob);
          EXPECT_TRUE(std::isfinite(velocity.linear.x) && std::isfinite(velocity.linear.z)) << to_string(mob);
        });
    game.leave(*world, lost);
    game.leave(*world, prey);
    ticks(25);
  }
}

}  // namespace
}  // namespace demo
