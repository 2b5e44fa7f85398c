// A game played without a server: what the server does of it in each tick, for tests of the game alone.
#pragma once

#include <map>
#include <mobula/server/game/command_dispatch.hpp>
#include <mobula/server/game/game.hpp>

namespace mobula::test {

class PlayedGame {
 public:
  // Of a world whose level has been spawned.
  PlayedGame(server::Game& game, server::World& world);

  core::Status start();
  core::Status load(core::ByteView saved);
  // Commands are done at once.
  core::Status command(const server::Player& player, core::ByteView bytes);
  // Without the end of the world's tick.
  void tick();

 private:
  server::Game& game_;
  server::World& world_;
  server::CommandDispatch commands_;
  ecs::Schedule schedule_;
  std::map<std::uint32_t, server::CommandDispatch::RateLimiters> limiters_;  // by player
};

}  // namespace mobula::test
