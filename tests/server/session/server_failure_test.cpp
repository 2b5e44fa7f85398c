// A game's mistake is reported with the tick and the code that made it.
#include <gtest/gtest.h>

#include <server/hamlet.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server::server_failure_test {
namespace {

struct CarelessGame : test::TinyGame {
  enum class Place { nowhere, tick, system, join } place = Place::nowhere;

  static void fail(World& world) {
    const ecs::Entity entity = world.create().value();
    world.destroy(entity);
    world.registry().destroy(entity);
  }
  void tick(World& world) override {
    TinyGame::tick(world);
    if (place == Place::tick) fail(world);
  }
  core::Result<ecs::Entity> join(World& world, const Player& player) override {
    if (place != Place::join) return TinyGame::join(world, player);
    const ecs::Entity entity = world.create().value();
    world.destroy(entity);
    return entity;
  }
  void systems(World& world, ecs::Schedule& schedule) override {
    TinyGame::systems(world, schedule);
    schedule.add("demolition", schedule.add_phase("late"), [this, &world](const ecs::SystemContext&) {
      if (place == Place::system) fail(world);
    });
  }
};

TEST(ServerFailureDeathTest, AMistakeInTickIsNamed) {
  CarelessGame game;
  test::Village village{game};
  village.ticks(3);
  game.place = CarelessGame::Place::tick;
  EXPECT_DEATH(village.tick(), "destroying entity [0-9.]*, which is not alive *tick=4 running=Game::tick");
}

TEST(ServerFailureDeathTest, ADeadPlayerEntityIsNamed) {
  CarelessGame game;
  test::Village village{game};
  game.place = CarelessGame::Place::join;
  village.join();
  EXPECT_DEATH(village.ticks(20), "Game::join returned entity [0-9.]*, which is dead .*running=Game::join");
}

TEST(ServerFailureDeathTest, AMistakeInASystemIsNamed) {
  CarelessGame game;
  test::Village village{game};
  game.place = CarelessGame::Place::system;
  EXPECT_DEATH(village.tick(), "destroying entity [0-9.]*, which is not alive *tick=1 running=demolition");
}

}  // namespace
}  // namespace mobula::server::server_failure_test
