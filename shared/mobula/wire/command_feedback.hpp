// State of a client's commands, which deltas carry until the client has it. Kept apart from the wire: nothing here
// allocates, and most feedback has no outcomes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace mobula::wire {

// Commands of one client that a server keeps before their tick: numbers from the first one that is not done. A client
// knows the outcomes of all but as many.
inline constexpr std::uint32_t commands_held_max = 64;
// Ticks by which a command may run after its own tick. A server drops those that would run later.
inline constexpr std::uint8_t command_ticks_late_max = 30;
// In place of such ticks: the command had no effect. It was refused, dropped or given up.
inline constexpr std::uint8_t command_not_run = 0;

/// Feedback on commands. Equal feedback states the same.
struct CommandFeedback {
  std::uint32_t done = 0;  // numbers up to this one are carried out, dropped or given up
  std::uint8_t held = 0;   // commands after `done` that wait for their tick: they need not be sent again
  std::int8_t margin = 0;  // ticks by which the latest of the newest commands was early; negative if late
  // Bit n: command done - n has another outcome than that it ran in its own tick.
  std::uint64_t unusual = 0;
  // One entry for each of these, in the order of the bits: the ticks by which it was late, or command_not_run.
  std::array<std::uint8_t, commands_held_max> late{};

  /// Returns the number of outcomes.
  [[nodiscard]] std::size_t outcomes() const { return static_cast<std::size_t>(std::popcount(unusual)); }
  [[nodiscard]] bool empty() const { return done == 0 && held == 0 && margin == 0; }
  /// Leaves out the outcomes of commands up to this number.
  void drop_outcomes(std::uint32_t last) {
    const std::uint32_t kept = last < done ? done - last : 0;
    if (kept < commands_held_max) unusual &= (std::uint64_t{1} << kept) - 1;
  }
  // Entries beyond the outcomes do not count. Most feedback has none.
  bool operator==(const CommandFeedback& other) const {
    if (done != other.done || held != other.held || margin != other.margin || unusual != other.unusual) return false;
    for (std::size_t i = 0; i < outcomes(); ++i)
      if (late[i] != other.late[i]) return false;
    return true;
  }
};

}  // namespace mobula::wire
