#include <server/played_game.hpp>

namespace mobula::test {

PlayedGame::PlayedGame(server::Game& game, server::World& world)
    : game_(game),
      world_(world),
      step_(std::move(*server::PredictedStep::make(world, game.rules()))),
      commands_(game.commands(), world.ticks_per_second(), step_),
      schedule_(world.registry()) {}

core::Status PlayedGame::start() {
  core::Status started = game_.start(world_);
  if (started) game_.systems(world_, schedule_);
  return started;
}

core::Status PlayedGame::load(core::ByteView saved) {
  core::Status loaded = game_.load(world_, saved);
  if (loaded) game_.systems(world_, schedule_);
  return loaded;
}

core::Status PlayedGame::command(const server::Player& player, core::ByteView bytes) {
  return commands_.run(world_, player, limiters_[player.id], bytes, {});
}

void PlayedGame::tick() {
  step_.run(world_, game_);
  game_.tick(world_);
  schedule_.run();
}

}  // namespace mobula::test
