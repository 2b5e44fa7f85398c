// Runs a game without a server, as the server runs it in each tick. For tests of the game alone.
#pragma once

#include <map>
#include <mobula/server/game/command_dispatch.hpp>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/predicted_step.hpp>

namespace mobula::test {

class PlayedGame {
 public:
  // The level of the world has been spawned. Both outlive this.
  PlayedGame(server::Game& game, server::World& world);

  core::Status start();
  core::Status load(core::ByteView saved);
  // Executes a command at once.
  core::Status command(const server::Player& player, core::ByteView bytes);
  // Runs a tick, but does not end the world's tick.
  void tick();

 private:
  server::Game& game_;
  server::World& world_;
  server::PredictedStep step_;
  server::CommandDispatch commands_;
  ecs::Schedule schedule_;
  std::map<std::uint32_t, server::CommandDispatch::RateLimiters> limiters_;  // by player
};

}  // namespace mobula::test
