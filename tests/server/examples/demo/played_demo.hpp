// Test fixture: the demo game in the level of the hamlet, driven through the interface that the server uses.
#pragma once

#include <gtest/gtest.h>

#include <examples/demo/demo_game.hpp>
#include <memory>
#include <mobula/schema/components.hpp>
#include <optional>
#include <server/hamlet.hpp>
#include <server/played_game.hpp>
#include <string>
#include <utility>

namespace demo {

class DemoGameTest : public testing::Test {
 protected:
  explicit DemoGameTest(std::shared_ptr<const mobula::resource::Resource> level = mobula::test::hamlet(),
                        std::uint32_t entities_max = 1u << 20)
      : world(std::move(*mobula::server::World::make({.schema = mobula::test::game_schema(),
                                                      .level = std::move(level),
                                                      .seed = 7,
                                                      .entities_max = entities_max}))) {
    EXPECT_TRUE(world->spawn_level().ok());
    played.emplace(game, *world);
    EXPECT_TRUE(played->start().ok());
  }
  mobula::server::Player join(const std::string& name = "ada") {
    mobula::server::Player player{.id = ++players, .name = name, .entity = {}};
    player.entity = game.join(*world, player).value();
    world->add_viewer(player.id, player.entity);
    return player;
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) {
      played->tick();
      world->end_tick();
    }
  }
  template <class T>
  const T& get(mobula::ecs::Entity entity) {
    return world->registry().get<const T>(entity);
  }
  std::string refusal(const mobula::server::Player& player, mobula::core::ByteView command) {
    const mobula::core::Status done = played->command(player, command);
    return done ? "" : done.error().reason;
  }

  DemoGame game;
  std::unique_ptr<mobula::server::World> world;
  std::optional<mobula::test::PlayedGame> played;
  std::uint32_t players = 0;
};

}  // namespace demo
