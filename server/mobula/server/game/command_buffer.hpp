// Commands of one player that wait for their tick: what arrives unevenly is carried out evenly.
//
// They are carried out in the order of their numbers, each at its tick, at most per_tick_max in a tick. What does not
// fit, and what comes after its tick, takes the next one; what comes more than late_max ticks after is dropped. A
// number that is missing holds the others up until the tick of the next one that is there; then it is given up, and
// passed over if it still comes.
//
// Invariant: slot n % commands_held_max is for command n, next_ <= n < next_ + commands_held_max.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/wire/input.hpp>
#include <optional>
#include <span>
#include <vector>

namespace mobula::server {

// Of a command, for the game.
struct CommandContext {
  std::uint32_t number = 0;  // 1, 2, … of this client's connection
  ecs::Tick tick = 0;        // it was meant for; it may be carried out in a later one
  // What the player was looking at: so much of the way from this tick to the next.
  ecs::Tick view_tick = 0;
  std::uint8_t view_fraction = 0;  // 1/256
};

struct CommandBufferStats {
  std::uint64_t handed_out = 0;
  std::uint64_t late = 0;      // of them: came after their tick, and took another
  std::uint64_t dropped = 0;   // came too late
  std::uint64_t given_up = 0;  // had not come when those after them were due
  std::uint64_t repeated = 0;  // came again
};

class CommandBuffer {
 public:
  static constexpr std::size_t per_tick_max = 4;
  static constexpr ecs::Tick ahead_max = 16;
  static constexpr ecs::Tick late_max = 16;

  struct Due {
    CommandContext context;
    core::ByteView bytes;
  };

  // Takes what is new of an input. `next_tick` will be the next to run: what is meant for it is in time. At the first
  // that is refused it stops, as order must be kept; it may come again. Reasons: "early command", "too many commands".
  core::Status take(const wire::InputDatagram& input, ecs::Tick next_tick);
  // Those to be carried out in this tick; each is handed out once. Valid until the next call of take or due.
  std::span<const Due> due(ecs::Tick tick);

  // What the client is told after that.
  [[nodiscard]] wire::CommandFeedback feedback() const;
  [[nodiscard]] const CommandBufferStats& stats() const { return stats_; }

 private:
  enum class State : std::uint8_t { empty, held, dropped };

  struct Slot {
    State state = State::empty;
    CommandContext context;
    core::Bytes bytes;
  };

  Slot& slot(std::uint32_t number) { return slots_[number % wire::commands_held_max]; }
  [[nodiscard]] const Slot& slot(std::uint32_t number) const { return slots_[number % wire::commands_held_max]; }
  core::Status take(std::uint32_t number, const wire::InputCommand& command, ecs::Tick next_tick);
  [[nodiscard]] std::uint32_t first_there() const;

  std::vector<Slot> slots_;  // none before the first command
  std::uint32_t next_ = 1;   // the first that is not done
  std::uint32_t end_ = 1;    // after the last that is there
  std::int8_t margin_ = 0;
  std::optional<std::int8_t> new_margin_;  // the smallest since commands were last due
  std::vector<Due> due_;
  CommandBufferStats stats_;
};

}  // namespace mobula::server
