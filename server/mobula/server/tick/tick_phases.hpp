// Time spent in each phase of a tick.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/core/clock.hpp>

namespace mobula::server {

/// Phases in the order of the tick. choose and encode alternate from client to client.
enum class TickPhase : std::uint8_t {
  receive,  // inputs, acknowledgements, commands and messages of clients
  game,     // rules of the game, and the hierarchy
  publish,  // detection of changes, and positions for interest
  choose,   // visibility query and choice of entities to send
  encode,   // encoded deltas, made or copied
  seal,     // datagrams packed, sealed, and passed to the output
  count,
};

class TickPhases {
 public:
  using Clock = core::Nanoseconds (*)();

  /// `clock` null disables timing.
  explicit TickPhases(Clock clock) : clock_(clock) {}

  void begin() {
    if (clock_ != nullptr) last_ = clock_();
  }
  /// Adds the time since the last begin() or end() to a phase.
  void end(TickPhase phase) {
    if (clock_ == nullptr) return;
    const core::Nanoseconds now = clock_();
    spent_[static_cast<std::size_t>(phase)] += now - last_;
    last_ = now;
  }
  /// Returns the time since the last begin() or end(), 0 without a clock.
  [[nodiscard]] core::Nanoseconds elapsed() const { return clock_ == nullptr ? 0 : clock_() - last_; }
  /// Returns the time spent in a phase in all ticks so far.
  [[nodiscard]] core::Nanoseconds spent(TickPhase phase) const { return spent_[static_cast<std::size_t>(phase)]; }

 private:
  Clock clock_;
  core::Nanoseconds last_ = 0;
  std::array<core::Nanoseconds, static_cast<std::size_t>(TickPhase::count)> spent_{};
};

}  // namespace mobula::server
