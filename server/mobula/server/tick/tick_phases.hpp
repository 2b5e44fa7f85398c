// What a server's ticks take, by what is done.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/core/clock.hpp>

namespace mobula::server {

// In this order; choose and encode take turns, client by client, with what each has acknowledged.
enum class TickPhase : std::uint8_t {
  receive,  // what clients said: inputs, acknowledgements, commands, messages
  game,     // its rules, and the hierarchy
  publish,  // what has changed, and where everything is
  choose,   // what a client sees, and what of it may go out now
  encode,   // strings of entities, made or found, and deltas written
  seal,     // datagrams made, sealed, and handed to the output
  count,
};

class TickPhases {
 public:
  using Clock = core::Nanoseconds (*)();

  // Null: nothing is timed.
  explicit TickPhases(Clock clock) : clock_(clock) {}

  void begin() {
    if (clock_ != nullptr) last_ = clock_();
  }
  // What has passed since the last call of either was that.
  void end(TickPhase phase) {
    if (clock_ == nullptr) return;
    const core::Nanoseconds now = clock_();
    spent_[static_cast<std::size_t>(phase)] += now - last_;
    last_ = now;
  }
  // In all ticks so far.
  [[nodiscard]] core::Nanoseconds spent(TickPhase phase) const { return spent_[static_cast<std::size_t>(phase)]; }

 private:
  Clock clock_;
  core::Nanoseconds last_ = 0;
  std::array<core::Nanoseconds, static_cast<std::size_t>(TickPhase::count)> spent_{};
};

}  // namespace mobula::server
