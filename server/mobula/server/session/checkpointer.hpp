// Restores a world from its store, and saves it there: at regular checkpoints, on demand, and once at the end. Without
// a store its functions do nothing.
#pragma once

#include <functional>
#include <mobula/server/game/game.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/session/players.hpp>
#include <mobula/server/session/server_config.hpp>
#include <mobula/server/session/sessions.hpp>
#include <mobula/server/store/store.hpp>

namespace mobula::server {

class Checkpointer {
 public:
  /// All outlive this.
  Checkpointer(const ServerConfig& config, World& world, Game& game, const Players& players, Sessions& sessions)
      : config_(config), world_(world), game_(game), players_(players), sessions_(sessions) {}

  /// Returns the level that the world begins with: that of the saved world if there is one, else the configured one.
  /// Errors: "other level", and those of reading the saved level.
  static core::Result<std::shared_ptr<const resource::Resource>> first_level(const ServerConfig& config);
  [[nodiscard]] bool has_saved_world() const { return config_.store != nullptr && config_.store->has_world(); }
  /// Restores the saved world, its game and its players. Errors: those of World::restore and Game::load.
  core::Status restore();
  /// Starts saving the world as it is now. Error: that of Store::begin.
  core::Status begin();

  /// Sets the function that returns the world's crossings for a checkpoint of a tick. Without it, those of the restored
  /// world are kept.
  void on_save_crossings(std::function<core::Bytes()> crossings) { save_crossings_ = std::move(crossings); }
  /// Returns the crossings of the restored world. Empty for a new one.
  [[nodiscard]] const core::Bytes& saved_crossings() const { return saved_crossings_; }

  /// Saves the world if a checkpoint is due. Once per tick, at its end.
  void update(core::Nanoseconds now, std::uint64_t unix_seconds);
  /// Saves the world between ticks. Errors: "no store", "busy".
  core::Status checkpoint(std::uint64_t unix_seconds);
  /// Saves the world for the last time, between ticks, and waits for it. Errors: those of Store::finish.
  core::Status finish(std::uint64_t unix_seconds);

 private:
  [[nodiscard]] store::Facts facts(std::uint64_t unix_seconds, bool between_ticks);

  const ServerConfig& config_;
  World& world_;
  Game& game_;
  const Players& players_;
  Sessions& sessions_;
  core::Bytes saved_crossings_;
  std::function<core::Bytes()> save_crossings_;
  ecs::Tick saved_tick_ = 0;        // tick of the last checkpoint
  core::Nanoseconds saved_at_ = 0;  // 0 before the first tick
};

}  // namespace mobula::server
