// A minimal game for tests of the server.
#pragma once

#include <mobula/schema/components.hpp>
#include <mobula/schema/engine.hpp>
#include <mobula/server/game/game.hpp>
#include <server/hamlet.hpp>

namespace mobula::test {

// Players are entities with Health, which the demo's Move command sets to its x.
class TinyGame : public server::Game {
 public:
  [[nodiscard]] core::ByteView schema() const override { return game_schema()->bytes(); }
  core::Result<ecs::Entity> join(server::World& world, const server::Player& player) override {
    if (player.name == "nobody") return core::Error{"banned", "nobody is not welcome"};
    const core::Result<ecs::Entity> entity = world.create(demo::Health{});
    if (!entity) return entity;
    names.push_back(player.name);
    players.push_back(player);
    return entity;
  }
  void leave(server::World& world, const server::Player& player) override {
    ++left;
    world.destroy(player.entity);
  }
  server::CommandTable commands() override;
  void tick(server::World& world) override {
    ++ticks;
    for (std::uint32_t i = 0; i < churn; ++i) {
      if (churning.size() <= i)
        world.registry().add<engine::Transform>(churning.emplace_back(world.registry().create()));
      world.registry().get<engine::Transform>(churning[i]).position.x = world.random().uniform(-500, 500);
    }
  }

  std::vector<std::string> names;
  std::vector<server::Player> players;  // in the order in which they joined
  bool refuse_commands = false;
  struct Ran {
    server::CommandContext context;
    ecs::Tick tick = 0;
  };
  std::vector<Ran> ran;  // commands that were not refused
  std::vector<ecs::Entity> churning;
  std::uint32_t churn = 0;  // entities that change each tick
  int left = 0;
  int ticks = 0;
};

}  // namespace mobula::test
