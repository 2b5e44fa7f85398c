// From points in a level's JSON to moving guards: a component with its own source format.
#include <gtest/gtest.h>

#include <cmath>
#include <examples/demo/compilers.hpp>
#include <examples/demo/demo_game.hpp>
#include <examples/demo/line.hpp>
#include <mobula/schema/components.hpp>
#include <resource/test_level.hpp>
#include <server/hamlet.hpp>
#include <server/played_game.hpp>

namespace demo {
namespace {

namespace core = mobula::core;
namespace ecs = mobula::ecs;
namespace test = mobula::test;
using mobula::engine::Transform;
using mobula::resource::Compiled;
using mobula::server::World;

// Prefabs that the demo requires of a level.
const std::string spawned_prefabs = R"(
    "avatar":{"spawnable":true,"components":{"Transform":{},"Avatar":{},"Name":{}}},
    "pickup":{"components":{"Transform":{},"Pickup":{}}},
    "coin":{"prefab":"pickup","spawnable":true},
    "medkit":{"prefab":"pickup","spawnable":true},
    "key":{"prefab":"pickup","spawnable":true})";

// Compiles a level with them and these entities.
Compiled compile(const std::string& entities) {
  const std::string prefabs = spawned_prefabs + R"(,"guard":{"components":{"Transform":{},
                                 "Patrol":{"points":[[0,0,0],[20,0,0],[20,0,20]],"speed":2}}})";
  return test::compile_files({{"level.json", R"({"prefabs":{)" + prefabs + R"(},"entities":{)" + entities + "}}"}},
                             test::demo_schema(), component_compilers());
}

TEST(Patrol, GuardsOfOnePrefabShareOneLineThatClientsDoNotGet) {
  const auto level = test::load_compiled(
      compile(R"("a":{"prefab":"guard"},"b":{"prefab":"guard","components":{"Patrol":{"walked":9}}})"));
  ASSERT_EQ(level->statics().size(), 1u);
  EXPECT_EQ(level->statics()[0].type, line_type);
  EXPECT_TRUE(Line::check(level->statics()[0].data));
  const auto patrol = test::component_of<Patrol>(level->level(), 1);
  EXPECT_EQ(patrol.line, level->statics()[0].id);
  EXPECT_EQ(patrol.walked, 9.0f);
  const auto copy = *mobula::resource::Resource::from_bytes(level->clients_bytes());
  EXPECT_TRUE(copy->statics().empty());
}

TEST(Patrol, AGuardFollowsItsLineAndFacesItsDirection) {
  const auto level = test::load_compiled(compile(R"("a":{"prefab":"guard"})"));
  const auto world = std::move(*World::make({.schema = test::game_schema(), .level = level}));
  DemoGame game;
  ASSERT_TRUE(game.check_level(level.get()));
  ASSERT_TRUE(world->spawn_level());
  test::PlayedGame played(game, *world);
  ASSERT_TRUE(played.start());
  const ecs::Entity guard = world->registry().entities().at(0);
  const Line line(level->statics()[0].data);
  Transform before = world->registry().get<const Transform>(guard);
  float walked = 0;
  for (int i = 0; i < 2000; ++i) {
    played.tick();
    const Transform now = world->registry().get<const Transform>(guard);
    const float dx = now.position.x - before.position.x;
    const float dz = now.position.z - before.position.z;
    if (i > 0) {
      EXPECT_NEAR(std::sqrt(dx * dx + dz * dz), 0.1f, 0.02f) << "2 m/s, 20 ticks per second, tick " << i;
    }
    walked += std::sqrt(dx * dx + dz * dz);
    before = now;
    world->end_tick();
  }
  EXPECT_GT(walked, 2 * line.length()) << "more than once round";
  EXPECT_NEAR(before.rotation.y * before.rotation.y + before.rotation.w * before.rotation.w, 1.0f, 1e-4f);
}

TEST(Patrol, InvalidPatrolsAreReportedWithTheirPlace) {
  const struct {
    const char* patrol;
    const char* error;
  } table[] = {
      {R"({})", ": a Patrol without points; expected \"points\": [[x, y, z], …]\n"},
      {R"({"points":[[0,0,0]]})", ": a patrol goes through 2 to 1000 points; expected [[x, y, z], …]\n"},
      {R"({"points":7})", ": a patrol goes through 2 to 1000 points; expected [[x, y, z], …]\n"},
      {R"({"points":[[0,0,0],[0,0]]})", ": expected a point [x, y, z], each from -500 to 500\n"},
      {R"({"points":[[0,0,0],[0,501,0]]})", ": expected a point [x, y, z], each from -500 to 500\n"},
      {R"({"points":[[0,0,0],[0,1,0]],"spede":1})",
       "'spede' is not a field of Patrol; expected one of line, speed, walked"},
  };
  for (const auto& each : table) {
    SCOPED_TRACE(each.patrol);
    const std::string errors =
        test::errors_of(compile(std::string(R"("a":{"components":{"Patrol":)") + each.patrol + "}}"));
    EXPECT_NE(errors.find(each.error), std::string::npos) << errors;
  }
}

TEST(Patrol, ALevelWithAnInvalidLineIsRefused) {
  DemoGame game;
  const auto level =
      test::load_text(R"({"prefabs":{)" + spawned_prefabs + R"(},"statics":[{"type":"Line","data":"0000"}]})");
  const core::Status playable = game.check_level(level.get());
  ASSERT_FALSE(playable.ok());
  EXPECT_STREQ(playable.error().reason, "bad line");
}

}  // namespace
}  // namespace demo
