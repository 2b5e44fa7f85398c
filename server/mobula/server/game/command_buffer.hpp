// Jitter buffer for the commands of one player: commands wait here for their tick.
//
// - Commands run in the order of their numbers, each in its tick, at most per_tick_max per tick.
// - A command that does not fit, or arrives after its tick, runs in the next tick. One that arrives more than late_max
//   ticks late is dropped.
// - A missing number delays those behind it until the tick of the next command that has arrived. Then the missing one
//   is given up, and ignored if it still arrives.
// - A command whose turn comes more than wire::command_ticks_late_max ticks after its tick is dropped. Thus five bits
//   hold the ticks by which a command was late.
// - A malformed command waits for its turn as well, so that it is refused once and delays no other.
//
// The outcome of each command that is done is kept until commands_held_max later ones are done. A client knows the
// outcomes of all older ones, because it gives no more commands than that before it does.
//
// Invariant: slot n % commands_held_max holds command n, next_ <= n < next_ + commands_held_max.
#pragma once

#include <algorithm>
#include <array>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/server/game/acknowledged_deltas.hpp>
#include <mobula/server/game/late_commands.hpp>
#include <mobula/wire/input.hpp>
#include <optional>
#include <span>
#include <vector>

namespace mobula::server {

/// Circumstances of a command, for its handler.
struct CommandContext {
  std::uint32_t number = 0;  // 1, 2, … within the client's connection
  ecs::Tick tick = 0;        // tick the command was meant for; it may run in a later one
  // Moment the player was looking at: view_tick + view_fraction / 256.
  ecs::Tick view_tick = 0;
  std::uint8_t view_fraction = 0;  // in 1/256 tick
  // The newest 64 deltas that the client had when it gave the command. Each was sent to it. Unknown (newest is 0) if it
  // had none, or if the command was under way for very long.
  wire::SeenDeltas seen{};
};

/// Counters of a player's commands.
struct CommandBufferStats {
  std::uint64_t handed_out = 0;
  LateCommands late;
  std::uint64_t repeated = 0;  // duplicates
};

class CommandBuffer {
 public:
  static constexpr std::size_t per_tick_max = 4;
  static constexpr ecs::Tick ahead_max = 16;
  static constexpr ecs::Tick late_max = 16;

  struct Due {
    CommandContext context;
    core::ByteView bytes;
    const char* fault;  // names the mistake of a malformed command; null if there is none
  };

  CommandBuffer() = default;
  /// Makes an empty buffer for a client whose commands begin with a number; 0 for that of its first input. It counts on
  /// from `former`.
  CommandBuffer(const CommandBufferStats& former, std::uint32_t first) : next_(first), end_(first), stats_(former) {}

  /// Stores the new commands of an input. `next_tick` is the next tick to run; a command for it is in time. Stops at
  /// the first refused command to keep the order; the client sends it again. All that the input acknowledges was sent
  /// to the client. Errors: "early command", "too many commands".
  core::Status on_input(const wire::InputDatagram& input, ecs::Tick next_tick);
  /// Returns the commands to run in this tick, each once. Valid until the next call of on_input() or due().
  std::span<const Due> due(ecs::Tick tick);
  /// Notes that a command of the last due() was refused and had no effect.
  void on_refused(std::uint32_t number);

  /// Returns the number from which a client that goes on elsewhere is expected; 0 for that of its first input.
  [[nodiscard]] std::uint32_t expected() const { return next_; }
  /// Returns the number of the first command that is not done.
  [[nodiscard]] std::uint32_t next() const { return std::max(next_, 1u); }
  /// Returns the feedback that the client is sent after due().
  [[nodiscard]] wire::CommandFeedback feedback() const;
  [[nodiscard]] const CommandBufferStats& stats() const { return stats_; }

 private:
  enum class State : std::uint8_t { empty, held, dropped };

  struct Slot {
    State state = State::empty;
    CommandContext context;
    core::Bytes bytes;
    const char* fault = nullptr;
  };

  Slot& slot(std::uint32_t number) { return slots_[number % wire::commands_held_max]; }
  [[nodiscard]] const Slot& slot(std::uint32_t number) const { return slots_[number % wire::commands_held_max]; }
  core::Status store(std::uint32_t number, const wire::InputCommand& command, ecs::Tick next_tick,
                     const wire::SeenDeltas& seen);
  void finish(bool has_run, ecs::Tick late);
  [[nodiscard]] std::uint32_t first_held() const;

  std::vector<Slot> slots_;                // empty before the first command
  std::uint32_t next_ = 1;                 // number of the first command not done
  std::uint32_t end_ = 1;                  // number after the last command held
  std::int8_t margin_ = 0;                 // ticks
  std::optional<std::int8_t> new_margin_;  // smallest margin since the last due()
  std::uint64_t unusual_ = 0;              // bit n: command next_ - 1 - n did not run in its own tick
  std::array<std::uint8_t, wire::commands_held_max> late_{};  // slot n % commands_held_max is that of command n
  AcknowledgedDeltas acknowledged_;
  std::vector<Due> due_;
  CommandBufferStats stats_;
};

}  // namespace mobula::server
