// From obstacles in a level's JSON to the static resource that the rules read.
#include <gtest/gtest.h>

#include <cmath>
#include <examples/demo/compilers.hpp>
#include <examples/demo/demo_game.hpp>
#include <examples/demo/rules/obstacles.hpp>
#include <examples/demo/rules/rules.hpp>
#include <mobula/schema/components.hpp>
#include <resource/test_level.hpp>
#include <server/hamlet.hpp>

namespace demo::obstacle_compiler_test {
namespace {

using mobula::resource::Compiled;
using mobula::resource::Resource;
using mobula::resource::Static;

Compiled compile(const std::string& entities) {
  return mobula::test::compile_files({{"level.json", R"({"entities":{)" + entities + "}}"}},
                                     mobula::test::demo_schema(), component_compilers());
}

Obstacles obstacles_of(const Resource& level) {
  const Static* const found = level.find_static_of(obstacles_type);
  return found == nullptr ? Obstacles() : Obstacles(found->data);
}

TEST(ObstacleCompiler, PlacesObstaclesInTheWorld) {
  const auto level = mobula::test::load_compiled(compile(R"(
    "well":{"components":{"Transform":{"position":[5,1,-7]},"Obstacle":{"radius":2,"height":3}}},
    "yard":{"components":{"Transform":{"position":[100,0,0],"rotation":{"yaw":90}}},
      "children":{"hut":{"components":{"Transform":{"position":[0,0,10]},"Obstacle":{"half_x":1,"half_z":4}}}}})"));
  const Static* const found = level->find_static_of(obstacles_type);
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(Obstacles::check(found->data));
  const Obstacles obstacles(found->data);
  ASSERT_EQ(obstacles.size(), 2u);
  EXPECT_EQ(obstacles.at(0), (ObstacleShape{.x = 5, .z = -7, .radius = 2, .bottom = 1, .top = 4}));
  // A turn of 90 degrees takes +z to +x.
  const ObstacleShape hut = obstacles.at(1);
  EXPECT_NEAR(hut.x, 110, 1e-4f);
  EXPECT_NEAR(hut.z, 0, 1e-4f);
  EXPECT_NEAR(hut.sine, 1, 1e-6f);
  EXPECT_TRUE(overlap(hut, 113.5f, 0, 0.1f));
  EXPECT_FALSE(overlap(hut, 110, 3.5f, 0.1f));
  // Clients have the static, but not the components.
  const auto copy = *Resource::from_bytes(level->clients_bytes());
  EXPECT_EQ(obstacles_of(*copy).size(), 2u);
}

TEST(ObstacleCompiler, ALevelWithoutObstaclesHasNoStatic) {
  const auto level = mobula::test::load_compiled(compile(R"("rock":{"components":{"Transform":{}}})"));
  EXPECT_TRUE(level->statics().empty());
}

TEST(ObstacleCompiler, RefusesWhatIsNeitherBoxNorCylinder) {
  for (const std::string bad : {R"({})", R"({"radius":1,"half_x":1,"half_z":1})", R"({"half_x":1})", R"({"radius":-1})",
                                R"({"radius":1,"height":0})", R"({"radius":101})"})
    EXPECT_NE(mobula::test::errors_of(compile(R"("rock":{"components":{"Transform":{},"Obstacle":)" + bad + "}}"))
                  .find("neither a box nor a cylinder"),
              std::string::npos)
        << bad;
}

TEST(ObstacleCompiler, TheGameRefusesDamagedObstacles) {
  const std::string level = R"({"prefabs":{
      "avatar":{"spawnable":true,"components":{"Transform":{},"Avatar":{},"Name":{}}},
      "pickup":{"components":{"Transform":{},"Pickup":{}}},
      "coin":{"prefab":"pickup","spawnable":true},"medkit":{"prefab":"pickup","spawnable":true},
      "key":{"prefab":"pickup","spawnable":true}},
    "names":[{"text":"Obstacles"}],"statics":[{"type":"Obstacles","data":"00"}]})";
  DemoGame game;
  const auto checked = game.check_level(mobula::test::load_text(level).get());
  ASSERT_FALSE(checked.ok());
  EXPECT_STREQ(checked.error().reason, "bad obstacles");
}

TEST(ObstacleCompiler, TheVillageIsOpenWherePlayersBegin) {
  const auto level = mobula::test::village();
  const Obstacles obstacles = obstacles_of(*level);
  EXPECT_GT(obstacles.size(), 4500u);
  const auto world = std::move(*mobula::server::World::make({.schema = mobula::test::game_schema(), .level = level}));
  ASSERT_TRUE(world->spawn_level().ok());
  world->hierarchy().update();
  int places = 0;
  world->each<const SpawnPoint, const mobula::hierarchy::WorldTransform>(
      [&](const SpawnPoint&, const mobula::hierarchy::WorldTransform& at) {
        ++places;
        EXPECT_FALSE(obstacles.deepest(at.position, avatar_radius + 2, avatar_height));
      });
  EXPECT_EQ(places, 8);
  EXPECT_TRUE(obstacles.deepest({20, 0, 15}, avatar_radius, avatar_height)) << "a hut";
  EXPECT_TRUE(obstacles.deepest({-30, 0, 60}, avatar_radius, avatar_height)) << "the wall";
  EXPECT_FALSE(obstacles.deepest({0, 0, 60}, avatar_radius, avatar_height)) << "a gate";
}

}  // namespace
}  // namespace demo::obstacle_compiler_test
