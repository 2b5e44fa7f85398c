// Commands of a client that the server has not carried out. They are numbered, and sent with every input until the
// server acknowledges them. Acknowledged commands stay until they are carried out, so that their effect can be
// predicted.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/wire/input.hpp>
#include <vector>

namespace mobula::client {

class CommandLog {
 public:
  struct Entry {
    std::uint32_t number = 0;
    ecs::Tick tick = 0;              ///< Tick in which the server should carry it out.
    ecs::Tick view_tick = 0;         ///< Tick that the player saw when giving it.
    std::uint8_t view_fraction = 0;  ///< Fraction of view_tick, in 1/256.
    core::Bytes bytes;
  };

  /// Adds a command and returns its number. `tick` is ServerClock::target_tick, raised to that of the last command;
  /// `view` is ServerClock::view_tick, lowered to `tick`. Reasons: "large command"; "too many commands" if
  /// commands_held_max wait already. The command is not added then.
  core::Result<std::uint32_t> add(core::ByteView bytes, ecs::Tick tick, double view);
  /// Removes the commands that the server has carried out. Outdated or impossible feedback is ignored.
  void on_feedback(const wire::CommandFeedback& feedback);
  /// Puts the commands that the server has not acknowledged into an input, the oldest first. Valid until the next add.
  void fill(wire::InputDatagram& input) const;

  /// Returns whether the server has not acknowledged all commands.
  [[nodiscard]] bool has_unacknowledged() const { return tail_ != end_; }
  /// Returns the number of commands that are not carried out; at(0) is the oldest.
  [[nodiscard]] std::size_t size() const { return end_ - next_; }
  [[nodiscard]] const Entry& at(std::size_t position) const {
    MOBULA_ASSERT(position < size(), "the position is below size");
    return entry(next_ + static_cast<std::uint32_t>(position));
  }

 private:
  [[nodiscard]] const Entry& entry(std::uint32_t number) const { return entries_[number % wire::commands_held_max]; }

  std::vector<Entry> entries_;  // command n at n % commands_held_max; empty before the first command
  std::uint32_t next_ = 1;      // the first that is not carried out
  std::uint32_t tail_ = 1;      // the first that the server has not acknowledged
  std::uint32_t end_ = 1;
  ecs::Tick last_tick_ = 0;
};

}  // namespace mobula::client
