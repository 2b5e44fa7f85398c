// Determinism of the demo: the same seed and inputs give the same states.
#include <gtest/gtest.h>

#include <examples/demo/demo_game.hpp>
#include <server/hamlet.hpp>
#include <server/played_game.hpp>
#include <vector>

namespace demo {
namespace {

namespace core = mobula::core;
using mobula::server::Player;
using mobula::server::Publisher;
using mobula::server::World;
using mobula::test::move_command;

std::uint64_t history(std::uint64_t seed) {
  const auto made = World::make({.schema = mobula::test::game_schema(), .level = mobula::test::hamlet(), .seed = seed});
  World& world = **made;
  EXPECT_TRUE(world.spawn_level().ok());
  Publisher publisher(world.registry(), *mobula::test::game_schema());
  DemoGame game;
  mobula::test::PlayedGame played(game, world);
  EXPECT_TRUE(played.start().ok());
  core::Random inputs(99);
  std::vector<Player> players;
  std::uint64_t hash = 0;
  for (std::uint32_t tick = 0; tick < 300; ++tick) {
    if (tick % 50 == 0) {
      players.push_back({.id = tick + 1, .name = "bot", .entity = {}});
      players.back().entity = game.join(world, players.back()).value();
      world.add_viewer(players.back().id, players.back().entity);
    }
    if (tick == 170) {
      game.leave(world, players.front());
      players.erase(players.begin());
    }
    for (const Player& player : players)
      if (inputs.chance(1, 10)) {
        const float x = inputs.uniform(-0.7f, 0.7f);
        const float z = inputs.uniform(-0.7f, 0.7f);
        EXPECT_TRUE(played.command(player, move_command(x, z)).ok());
      }
    played.tick();
    publisher.publish();
    hash = hash * 31 + publisher.published().hash();
    world.end_tick();
  }
  world.registry().check();
  publisher.published().check();
  return hash;
}

TEST(DemoGame, SameSeedAndInputsGiveTheSameHistory) {
  EXPECT_EQ(history(1), history(1));
  EXPECT_NE(history(1), history(2));
  EXPECT_EQ(history(1), 0xabc7cd611d624be2u) << "whichever compiler and preset";
}

}  // namespace
}  // namespace demo
