// Poses, which clients predict, and Transforms, which all others see.
#include <gtest/gtest.h>

#include <server/examples/demo/played_demo.hpp>

namespace demo::poses_test {
namespace {

namespace ecs = mobula::ecs;
using mobula::engine::Transform;
using mobula::server::Player;

class Poses : public DemoGameTest {
 protected:
  void expect_same(ecs::Entity entity) {
    EXPECT_EQ(get<Pose>(entity).position, get<Transform>(entity).position);
    EXPECT_EQ(get<Pose>(entity).rotation, get<Transform>(entity).rotation);
  }
};

TEST_F(Poses, ATransformFollowsItsPose) {
  const Player player = join();
  expect_same(player.entity);
  ASSERT_EQ(refusal(player, mobula::test::move_command(0.6f, 0.8f)), "");
  const float before = get<Transform>(player.entity).position.x;
  for (int i = 0; i < 20; ++i) {
    ticks(1);
    expect_same(player.entity);
  }
  EXPECT_NEAR(get<Transform>(player.entity).position.x, before + 2.4f, 0.01f);
}

TEST_F(Poses, ATeleportMovesThePose) {
  const Player player = join();
  ticks(2);
  world->registry().get<Transform>(player.entity).position.x = 42;
  ticks(1);
  EXPECT_EQ(get<Pose>(player.entity).position.x, 42);
  expect_same(player.entity);
}

TEST_F(Poses, AnAvatarWithAParentHasItsPlace) {
  const ecs::Entity raft = *world->create(Transform{.position = {100, 0, 0}, .rotation = {}});
  const Player player = join();
  ticks(1);
  EXPECT_EQ(world->registry().try_get<const Carrier>(player.entity), nullptr);
  ASSERT_TRUE(world->hierarchy().set_parent(player.entity, raft).ok());
  ticks(1);
  EXPECT_EQ(get<Carrier>(player.entity).position.x, 100);
  world->registry().get<Transform>(raft).position.x = 101;
  ticks(1);
  EXPECT_EQ(get<Carrier>(player.entity).position.x, 101);
  world->destroy(raft);
  ticks(2);
  EXPECT_EQ(world->registry().try_get<const Carrier>(player.entity), nullptr);
}

TEST_F(Poses, AStandingAvatarIsNotWritten) {
  const Player player = join();
  ticks(3);
  const ecs::Tick before = world->tick();
  ticks(5);
  // Avatars alone have these components, and there is one.
  for (const std::string_view name : {Pose::component_name, Walker::component_name}) {
    const ecs::PoolId pool =
        world->registry().find_pool(mobula::core::StringId32(name), mobula::core::StringId32(name));
    ASSERT_NE(pool, ecs::no_pool);
    ASSERT_EQ(world->registry().pool(pool).size(), 1u);
    EXPECT_LT(world->registry().pool(pool).change_ticks()[0], before) << name;
  }
}

TEST_F(Poses, AnAvatarOfAnOldSaveGetsWhatTheRulesNeed) {
  const Player before = join();
  ticks(2);
  world->registry().get<Transform>(before.entity).position.x = 42;
  world->registry().remove<Pose>(before.entity);
  world->registry().remove<Walker>(before.entity);
  world->registry().remove<Velocity>(before.entity);
  ticks(2);
  const Player again{.id = before.id, .name = "ada", .entity = before.entity};
  ASSERT_EQ(game.join(*world, again).value(), before.entity);
  EXPECT_EQ(get<Pose>(before.entity).position.x, 42);
  ASSERT_EQ(refusal(again, mobula::test::move_command(1, 0)), "");
  ticks(20);
  EXPECT_NEAR(get<Transform>(before.entity).position.x, 46, 0.01f);
}

TEST_F(Poses, AStoneIsSeenByOthers) {
  const Player player = join();
  ASSERT_EQ(refusal(player, mobula::client::throw_command(0, 0.6f, 0.8f)), "");
  ticks(1);
  std::vector<ecs::Entity> stones;
  world->each<const Stone>([&](ecs::Entity entity, const Stone&) { stones.push_back(entity); });
  ASSERT_EQ(stones.size(), 1u);
  expect_same(stones[0]);
  EXPECT_EQ(get<mobula::server::Relevance>(stones[0]).owner, player.id);
  EXPECT_EQ(ecs::Entity(get<Stone>(stones[0]).by), player.entity);
  const ecs::PoolId body = world->registry().pool_of<RenderData>("Body");
  ASSERT_NE(world->registry().try_get<RenderData>(stones[0], body), nullptr);
  ticks(10);
  expect_same(stones[0]);
  ticks(60);
  EXPECT_FALSE(world->registry().valid(stones[0]));
}

}  // namespace
}  // namespace demo::poses_test
