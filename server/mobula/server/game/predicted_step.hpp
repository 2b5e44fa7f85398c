// The step of the rules that clients predict, as the server runs it. Commands wait here for the step. The game receives
// its spawned entities and its effects. Owned by the server; one thread.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <mobula/prediction/step.hpp>
#include <mobula/server/game/world.hpp>
#include <optional>
#include <vector>

namespace mobula::server {

class Game;

struct PredictedStepStats {
  std::uint64_t commands = 0;  // received by a step
  std::uint64_t dropped = 0;   // the player had lost its entity when the step began
  std::uint64_t spawned = 0;   // entities
  std::uint64_t effects = 0;
  std::uint64_t overruns = 0;  // steps that took longer than a tick
};

class PredictedStep {
 public:
  /// Makes the step of a world. `rules` may be null, and live as long as this. Errors: those of
  /// PredictedTypes::resolve.
  static core::Result<PredictedStep> make(const World& world, const prediction::Rules* rules);

  /// Returns whether the game has rules that clients predict.
  [[nodiscard]] bool has_rules() const { return rules_ != nullptr; }
  /// Queues a verified command for the step of this tick. Its bytes are copied.
  void queue(std::uint32_t player, std::uint32_t number, core::ByteView bytes);
  /// Runs the step with the queued commands. Then calls Game::step_spawned and Game::effect. Does nothing without
  /// rules.
  void run(World& world, Game& game);
  /// Notes how long a step took. Counts and logs it if that is longer than a tick.
  void note_time(core::Nanoseconds took, std::uint32_t ticks_per_second);

  [[nodiscard]] const PredictedStepStats& stats() const { return stats_; }

 private:
  // Command bytes are kept in pieces, so that each command is aligned.
  struct alignas(prediction::Command::alignment) Piece {
    std::array<std::byte, prediction::Command::alignment> bytes;
  };
  struct Queued {
    std::uint32_t player;
    std::uint32_t number;
    std::uint32_t arrival;  // a player who has reconnected may use a number twice in a tick
    std::uint32_t first;    // piece
    std::uint32_t size;     // bytes

    auto operator<=>(const Queued&) const = default;
  };

  explicit PredictedStep(const prediction::Rules* rules) : rules_(rules) {}
  void make_commands(const World& world);
  void give_spawned(World& world, Game& game);
  void give_effects(World& world, Game& game);

  const prediction::Rules* rules_;
  std::optional<prediction::PredictedTypes> types_;  // nothing without rules
  std::vector<Queued> queue_;
  std::vector<Piece> pieces_;
  std::vector<prediction::Command> commands_;
  prediction::EffectList effects_;
  std::vector<prediction::Spawned> spawned_;
  prediction::StepScratch scratch_;
  PredictedStepStats stats_;
};

}  // namespace mobula::server
