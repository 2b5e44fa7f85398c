#include <client/mirror/interpolation_world.hpp>
#include <mobula/client/mirror/world_pose.hpp>
#include <mobula/hierarchy/hierarchy.hpp>

namespace mobula::client {
namespace {

using engine::Parent;
using engine::Transform;
using hierarchy::WorldTransform;

// Two entities that may turn, and a cup that stands still in the world while it is handed from one to the other.
class WorldPoseTest : public InterpolationTest {
 protected:
  static constexpr double tolerance = 0.02;

  Transform& at(ecs::Entity entity) { return world.registry.get<Transform>(entity); }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  void hand_over(ecs::Entity thing, ecs::Entity parent) {
    ASSERT_TRUE(hierarchy.set_parent_in_place(thing, parent).ok());
  }
  [[nodiscard]] ecs::Entity parent_at(double tick) {
    const auto parent = sample<Parent>(mirror(), cup, tick);
    return parent ? parent->entity : ecs::null_entity;
  }
  // Expects the cup at one place in the world at all moments around `tick`, below `before` until then, `after` from
  // then.
  void expect_still(ecs::Tick tick, ecs::Entity before, ecs::Entity after, double ticks_before = 4) {
    for (double view_tick = tick - ticks_before; view_tick < tick + 1.0; view_tick += 0.125) {
      EXPECT_EQ(parent_at(view_tick), view_tick < tick ? before : after) << view_tick;
      const std::optional<WorldTransform> shown = sample_world(mirror(), cup, view_tick);
      ASSERT_TRUE(shown) << view_tick;
      EXPECT_NEAR(static_cast<double>(shown->position.x), 0, tolerance) << view_tick;
      EXPECT_NEAR(static_cast<double>(shown->position.y), 0, tolerance) << view_tick;
      EXPECT_NEAR(static_cast<double>(shown->position.z), 0, tolerance) << view_tick;
      EXPECT_NEAR(std::abs(static_cast<double>(shown->rotation.w)), 1, 1e-4) << view_tick;
    }
  }

  ecs::Entity a = create(-100);
  ecs::Entity b = create(100);
  ecs::Entity cup = create(0);
  hierarchy::Hierarchy hierarchy{world.registry};
};

TEST_F(WorldPoseTest, AChildHandedOverInEachTickStandsStill) {
  mirror().set_view_tick(1);
  hand_over(cup, a);
  ticks(5);
  for (int i = 0; i < 6; ++i) {
    hand_over(cup, i % 2 == 0 ? b : a);
    tick();
    expect_still(mirror().tick_of(cup), i % 2 == 0 ? a : b, i % 2 == 0 ? b : a, 1);
  }
}

TEST_F(WorldPoseTest, AChildHandedOverAfterALongRestStandsStill) {
  mirror().set_view_tick(1);
  hand_over(cup, a);
  for (const ecs::Entity parent : {b, a}) {
    const ecs::Entity before = parent == b ? a : b;
    ticks(40);
    mirror().set_view_tick(now() - 4.0);
    hand_over(cup, parent);
    tick();
    const ecs::Tick tick = mirror().tick_of(cup);
    ASSERT_EQ(tick + 1, now());
    expect_still(tick, before, parent);
    ticks(2);
    expect_still(tick, before, parent);
  }
}

TEST_F(WorldPoseTest, ParentsThatAreTurnedShowTheChildInOnePlace) {
  mirror().set_view_tick(1);
  at(a).rotation = turned(1.2);
  at(b).rotation = turned(-2.1);
  hand_over(cup, a);
  ticks(5);
  hand_over(cup, b);
  tick();
  const ecs::Tick tick = mirror().tick_of(cup);
  for (double view_tick = tick - 2.0; view_tick <= tick; view_tick += 0.125) {
    const auto shown = sample_world(mirror(), cup, view_tick);
    ASSERT_TRUE(shown);
    EXPECT_NEAR(static_cast<double>(shown->position.x), 0, 0.3) << "rotations of 10 bits, 100 m away";
    EXPECT_NEAR(static_cast<double>(shown->position.z), 0, 0.3) << view_tick;
    EXPECT_LT(angle_between(shown->rotation, turned(0)), 0.01) << view_tick;
  }
}

TEST_F(WorldPoseTest, AParentThatSpawnsInTheSameTickCountsFromThen) {
  mirror().set_view_tick(1);
  hand_over(cup, a);
  ticks(5);
  const ecs::Entity spawned = create(37);
  hand_over(cup, spawned);
  tick();
  const ecs::Tick tick = mirror().tick_of(cup);
  EXPECT_FALSE(Interpolation(mirror()).is_there(spawned, tick - 0.01));
  expect_still(tick, a, spawned, 2);
}

TEST_F(WorldPoseTest, ALostDeltaWithTheNewParentIsNoMotion) {
  mirror().set_view_tick(1);
  hand_over(cup, a);
  ticks(5);
  const ecs::Tick before = now();
  hand_over(cup, b);
  const core::Bytes late = end_tick();
  at(cup).position.y = 0.01f;  // so that the next delta has the cup
  tick();
  ASSERT_EQ(mirror().tick_of(cup), before + 1);
  expect_still(before + 1, a, b, 1.5);
}

TEST_F(WorldPoseTest, ALateDeltaShowsTheNewParentFromItsTick) {
  mirror().set_view_tick(1);
  hand_over(cup, a);
  ticks(5);
  const ecs::Tick before = now();
  hand_over(cup, b);
  const core::Bytes late = end_tick();
  at(cup).position.x -= 0.02f;
  tick();
  ASSERT_TRUE(apply(late));
  expect_still(before, a, b, 1.5);
}

// Adding and removing the component Parent makes another composition of the entity.
TEST_F(WorldPoseTest, AChildThatGainsAndLosesAParentStandsStill) {
  mirror().set_view_tick(1);
  ticks(5);
  for (const bool attached : {true, false, true}) {
    at(a).position.z += 0.01f;
    hand_over(cup, attached ? a : ecs::null_entity);
    tick();
    const ecs::Tick tick = mirror().tick_of(cup);
    expect_still(tick, attached ? ecs::null_entity : a, attached ? a : ecs::null_entity, 0.75);
    ticks(1);
    expect_still(tick, attached ? ecs::null_entity : a, attached ? a : ecs::null_entity, 0.75);
    mirror().check();
  }
}

// It was drawn below the parent of that moment, which moves on; the state that follows is that of a root.
TEST_F(WorldPoseTest, AChildFollowsItsMovingParentUntilItLetsGo) {
  mirror().set_view_tick(1);
  hand_over(cup, a);
  for (int i = 0; i < 6; ++i) {
    at(a).position.z += 1;
    tick();
  }
  hand_over(cup, ecs::null_entity);
  tick();
  const ecs::Tick let_go = mirror().tick_of(cup);
  EXPECT_NEAR(static_cast<double>(sample_world(mirror(), cup, let_go - 0.5)->position.z), 6, tolerance);
  EXPECT_NEAR(static_cast<double>(sample_world(mirror(), cup, let_go - 1.5)->position.z), 5.5, tolerance);
  EXPECT_NEAR(static_cast<double>(sample_world(mirror(), cup, let_go - 2.5)->position.z), 4.5, tolerance);
}

TEST_F(WorldPoseTest, AChildOfADestroyedParentHasItsNextPlace) {
  mirror().set_view_tick(1);
  hand_over(cup, a);
  ticks(5);
  hand_over(cup, b);
  world.destroy(0);  // a
  tick();
  const ecs::Tick tick = mirror().tick_of(cup);
  for (double view_tick = tick - 2.0; view_tick < tick + 1.0; view_tick += 0.25)
    EXPECT_NEAR(static_cast<double>(sample_world(mirror(), cup, view_tick)->position.x), 0, tolerance) << view_tick;
}

TEST_F(WorldPoseTest, EqualsTheServersWorldTransformsInBits) {
  std::vector<ecs::Entity> all{a, b, cup};
  for (int i = 0; i < 12; ++i) all.push_back(create(static_cast<float>(i)));
  for (int round = 0; round < 60; ++round) {
    const auto any = [&] { return all[world.random.below(static_cast<std::uint32_t>(all.size()))]; };
    static_cast<void>(hierarchy.set_parent(any(), world.random.chance(1, 4) ? ecs::null_entity : any()));
    const ecs::Entity moved = any();
    at(moved) = quantised({{world.random.uniform(-9, 9), world.random.uniform(-9, 9), world.random.uniform(-9, 9)},
                           turned(static_cast<double>(world.random.uniform(-3, 3)))});
    mirror().set_view_tick(now() - 1.0);
    hierarchy.update();
    std::vector<WorldTransform> expected;
    for (const ecs::Entity entity : all) {
      at(entity) = quantised(at(entity));
      expected.push_back(hierarchy.world(entity));
    }
    tick();
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(sample_world(mirror(), all[i], mirror().tick()), expected[i]) << "round " << round << ", " << i;
  }
}

TEST_F(WorldPoseTest, EntitiesInACircleAndWithoutTransformAreBounded) {
  world.registry.add<Parent>(a).entity = b;
  world.registry.add<Parent>(b).entity = a;
  const ecs::Entity bare = world.create();
  world.registry.add<Parent>(bare).entity = a;
  world.registry.add<Parent>(cup).entity = bare;
  tick();
  EXPECT_EQ(sample_world(mirror(), a, now())->position.x, -100) << "a root";
  EXPECT_EQ(sample_world(mirror(), b, now())->position.x, 100) << "a root";
  EXPECT_EQ(sample_world(mirror(), bare, now()), std::nullopt);
  EXPECT_EQ(sample_world(mirror(), cup, now())->position.x, 0) << "its parent has no Transform";
  EXPECT_EQ(sample_world(mirror(), ecs::null_entity, now()), std::nullopt);
}

TEST_F(WorldPoseTest, ATeleportedParentTakesItsChildrenAlong) {
  mirror().set_view_tick(1);
  std::vector<ecs::Entity> children;
  for (int i = 0; i < 50; ++i) {
    children.push_back(create(0));
    hand_over(children.back(), a);
  }
  world.registry.add<engine::Cuts>(a);
  ticks(8);
  at(a).position = {150, 0, 50};
  ++world.registry.get<engine::Cuts>(a).count;
  tick();
  const ecs::Tick tick = mirror().tick_of(a);
  for (double view_tick = tick - 4.0; view_tick < tick + 1.0; view_tick += 0.25)
    for (const ecs::Entity child : children) {
      const bool before = view_tick < tick;
      EXPECT_NEAR(static_cast<double>(sample_world(mirror(), child, view_tick)->position.x), before ? 0 : 250, 0.02);
      EXPECT_NEAR(static_cast<double>(sample_world(mirror(), child, view_tick)->position.z), before ? 0 : 50, 0.02);
    }
}

}  // namespace
}  // namespace mobula::client
