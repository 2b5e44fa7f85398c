// Places in the demo are places in the world: spawn points and pickups may be attached to entities, which may move.
#include <gtest/gtest.h>

#include <cmath>
#include <resource/test_level.hpp>
#include <server/examples/demo/played_demo.hpp>
#include <vector>

namespace demo::demo_carts_test {
namespace {

namespace ecs = mobula::ecs;
using mobula::engine::Parent;
using mobula::engine::Transform;
using mobula::engine::Vec3;
using mobula::hierarchy::WorldTransform;
using mobula::server::Player;
using mobula::server::World;

constexpr int coin_ticks = 20;  // until it respawns

// A coin on a cart, at (30, 0.5, 0), and a spawn point on a tower, at (-40, 0, -40).
std::shared_ptr<const mobula::resource::Resource> level(int mesh = 1) {
  return mobula::test::load_text(R"({"prefabs":{
      "avatar":{"spawnable":true,"components":{"Transform":{},"Avatar":{},"Name":{},"Velocity":{},"Inventory":{}}},
      "coin":{"spawnable":true,"components":{"Transform":{},"Pickup":{"kind":"coin","respawn_seconds":1}}},
      "medkit":{"spawnable":true,"components":{"Transform":{},"Pickup":{"kind":"medkit"}}},
      "key":{"spawnable":true,"components":{"Transform":{},"Pickup":{"kind":"key"}}}},
    "entities":{
      "cart":{"components":{"Transform":{"position":[30,0,0]},"Health":{"current":)" +
                                 std::to_string(mesh) + R"(}},
        "children":{"coin":{"prefab":"coin","components":{"Transform":{"position":[0,0.5,0]}}}}},
      "tower":{"components":{"Transform":{"position":[-40,0,-40]}},
        "children":{"spawn":{"components":{"Transform":{},"SpawnPoint":{}}}}},
      "wolf":{"components":{"Transform":{"position":[200,0,200]},"Velocity":{},"Target":{},
        "Wander":{"home":[200,0,200],"radius":500,"speed":2}}}}})");
}

class DemoCarts : public DemoGameTest {
 protected:
  DemoCarts() : DemoGameTest(level()) {
    cart = world->level_entities()[0];
    coin = the_pickup();
  }
  // Returns the only pickup; null if there is none.
  ecs::Entity the_pickup() { return pickup_of(*world); }
  static ecs::Entity pickup_of(World& of) {
    ecs::Entity found;
    of.registry().view<const Pickup>().each([&](ecs::Entity entity, const Pickup&) {
      EXPECT_FALSE(found);
      found = entity;
    });
    return found;
  }
  void put(ecs::Entity entity, float x, float z) { world->registry().get<Transform>(entity).position = {x, 0, z}; }
  void take_the_coin() {
    const Player ada = join();
    put(ada.entity, 30, 0);
    ticks(1);
    EXPECT_FALSE(the_pickup());
    game.leave(*world, ada);
  }
  static void expect_at(World& of, ecs::Entity pickup, ecs::Entity parent, const Vec3& local, const Vec3& place) {
    of.hierarchy().update();
    ASSERT_TRUE(of.registry().valid(pickup));
    const Parent* above = of.registry().try_get<const Parent>(pickup);
    EXPECT_EQ(above == nullptr ? ecs::null_entity : ecs::Entity(above->entity), parent);
    EXPECT_EQ(of.registry().get<const Transform>(pickup).position, local);
    EXPECT_EQ(of.registry().get<const WorldTransform>(pickup).position, place);
  }

  ecs::Entity cart;
  ecs::Entity coin;
};

TEST_F(DemoCarts, AvatarsSpawnWhereASpawnPointIsInTheWorld) {
  for (int i = 0; i < 10; ++i) {
    const Vec3 at = get<Transform>(join().entity).position;
    EXPECT_LE(std::hypot(at.x + 40, at.z + 40), 2 * std::sqrt(2.0f));
  }
}

TEST_F(DemoCarts, ACoinOnACartIsTakenWhereTheCartIs) {
  const Player ada = join();
  put(ada.entity, 0, 0);
  ticks(3);
  EXPECT_TRUE(world->registry().valid(coin)) << "its Transform alone is near";
  EXPECT_EQ(get<Avatar>(ada.entity).score, 0u);
  put(cart, 0, 1);
  ticks(1);
  EXPECT_FALSE(world->registry().valid(coin)) << "the cart has come in this tick";
  EXPECT_EQ(get<Avatar>(ada.entity).score, 1u);
}

TEST_F(DemoCarts, AnAvatarOnACartTakesWhatTheCartReaches) {
  const ecs::Entity other = *world->create(Transform{.position = {30, 0, 50}, .rotation = {}});
  const Player ada = join();
  put(ada.entity, 0, 0);
  ASSERT_TRUE(world->hierarchy().set_parent(ada.entity, other).ok());
  ticks(1);
  EXPECT_TRUE(world->registry().valid(coin));
  put(other, 30, 0.5f);
  ticks(1);
  EXPECT_FALSE(world->registry().valid(coin));
}

TEST_F(DemoCarts, ATakenCoinIsBackOnItsCartThoughTheCartHasMoved) {
  take_the_coin();
  put(cart, 60, 10);
  ticks(coin_ticks + 1);
  expect_at(*world, the_pickup(), cart, {0, 0.5f, 0}, {60, 0.5f, 10});
}

TEST_F(DemoCarts, ATakenCoinWithoutItsCartIsBackAtItsPlace) {
  take_the_coin();
  world->destroy_tree(cart);
  ticks(coin_ticks + 1);
  expect_at(*world, the_pickup(), ecs::null_entity, {30, 0.5f, 0}, {30, 0.5f, 0});
}

TEST_F(DemoCarts, ATakenCoinIsBackOnItsCartAfterARestart) {
  take_the_coin();
  const auto restored = std::move(*World::make({.schema = mobula::test::game_schema(), .level = level(), .seed = 7}));
  ASSERT_TRUE(restored->spawn_level());
  restored->destroy_tree(pickup_of(*restored));
  restored->registry().get<Transform>(cart).position = {60, 0, 10};
  DemoGame next;
  mobula::test::PlayedGame playing(next, *restored);
  ASSERT_TRUE(playing.load(game.save(*world)).ok());
  for (int i = 0; i <= coin_ticks; ++i) {
    playing.tick();
    restored->end_tick();
  }
  expect_at(*restored, pickup_of(*restored), cart, {0, 0.5f, 0}, {60, 0.5f, 10});
}

TEST_F(DemoCarts, ATakenCoinIsBackOnTheSuccessorOfItsCart) {
  const ecs::Entity other = *world->create(Transform{.position = {}, .rotation = {}});
  ASSERT_TRUE(world->hierarchy().set_parent(coin, other).ok())
      << "not below the cart, which is replaced with all below";
  put(other, 30, 0);
  take_the_coin();
  mobula::server::LevelChange change;
  const ecs::Entity next = *world->create(Transform{.position = {50, 0, 0}, .rotation = {}});
  change.removed = {{other, next}};
  game.level_changed(*world, change);
  world->destroy(other);
  ticks(coin_ticks + 1);
  expect_at(*world, the_pickup(), next, {0, 0.5f, 0}, {50, 0.5f, 0});
}

TEST_F(DemoCarts, APickupOnAPickupIsTakenOnceAndReturns) {
  const ecs::Entity below = *world->spawn("key");
  put(below, 30, 0);
  ASSERT_TRUE(world->hierarchy().set_parent(coin, below).ok());
  world->registry().get<Pickup>(below).respawn_seconds = 1;
  const Player ada = join();
  put(ada.entity, 30, 0);
  ticks(1);
  EXPECT_FALSE(the_pickup()) << "both are taken";
  EXPECT_EQ(get<Inventory>(ada.entity).item_count, 2);
  game.leave(*world, ada);
  ticks(coin_ticks + 1);
  int pickups = 0;
  world->registry().view<const Pickup, const Transform>().each([&](const Pickup&, const Transform& at) {
    EXPECT_EQ(at.position.x, 30);
    ++pickups;
  });
  EXPECT_EQ(pickups, 2);
}

TEST_F(DemoCarts, AWolfHuntsAnAvatarWhereItIsInTheWorld) {
  const ecs::Entity wolf = world->level_entities().back();
  const ecs::Entity raft = *world->create(Transform{.position = {210, 0, 200}, .rotation = {}});
  const Player ada = join();
  put(ada.entity, 0, 0);
  ASSERT_TRUE(world->hierarchy().set_parent(ada.entity, raft).ok());
  ticks(25);
  EXPECT_EQ(get<Target>(wolf).entity, ada.entity);
  EXPECT_GT(get<Velocity>(wolf).linear.x, 2.5f) << "towards the raft";
}

TEST_F(DemoCarts, AnAvatarOnARaftWalksToThePlaceInTheWorld) {
  const ecs::Entity raft = *world->create(Transform{.position = {100, 0, 0}, .rotation = {}});
  const Player ada = join();
  put(ada.entity, 0, 0);
  ASSERT_TRUE(world->hierarchy().set_parent(ada.entity, raft).ok());
  ticks(1);
  ASSERT_EQ(refusal(ada, mobula::test::walk_to_command(104, 3)), "");
  ticks(60);
  world->hierarchy().update();
  const Vec3 at = get<WorldTransform>(ada.entity).position;
  EXPECT_NEAR(at.x, 104, 0.25f);
  EXPECT_NEAR(at.z, 3, 0.25f);
}

}  // namespace
}  // namespace demo::demo_carts_test
