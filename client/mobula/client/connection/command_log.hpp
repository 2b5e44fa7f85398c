// The commands that a client has given and the server has not carried out: numbered, and said again with every input
// until the server has them. Those that it has but that are not done stay here too, for whoever predicts their effect.
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
    ecs::Tick tick = 0;  // it is meant for
    ecs::Tick view_tick = 0;
    std::uint8_t view_fraction = 0;  // 1/256
    core::Bytes bytes;
  };

  // `tick` and `view`: ServerClock's target and view. A tick before that of the last command becomes that one, a view
  // after the tick the tick. Gives the command's number. Reasons: "large command", "too many commands": the server has
  // not carried out commands_held_max, and this one is not taken.
  core::Result<std::uint32_t> add(core::ByteView bytes, ecs::Tick tick, double view);
  // What the server says has become of them. Late news, and what cannot be true, changes nothing.
  void on_feedback(const wire::CommandFeedback& feedback);
  // Puts the tail into an input: what the server does not have yet, the oldest first. Valid until the next add.
  void fill(wire::InputDatagram& input) const;

  // Not done yet, by number; `at` from 0 for the oldest.
  [[nodiscard]] std::size_t size() const { return end_ - next_; }
  [[nodiscard]] const Entry& at(std::size_t position) const {
    MOBULA_ASSERT(position < size(), "there is no such command");
    return entry(next_ + static_cast<std::uint32_t>(position));
  }

 private:
  [[nodiscard]] const Entry& entry(std::uint32_t number) const { return entries_[number % wire::commands_held_max]; }

  std::vector<Entry> entries_;  // command n at n % commands_held_max; none before the first
  std::uint32_t next_ = 1;      // the first that is not done
  std::uint32_t tail_ = 1;      // the first that the server does not have
  std::uint32_t end_ = 1;
  ecs::Tick last_tick_ = 0;
};

}  // namespace mobula::client
