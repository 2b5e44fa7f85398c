// Log of a rush, in which more clients join than a tick serves: its begin, its progress each second, and its end.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>

namespace mobula::server {

class Rush {
 public:
  /// Number of newcomers from which on a rush begins although none waits.
  static constexpr std::uint32_t newcomers_least = 16;

  struct Progress {
    std::uint32_t present = 0;  ///< newcomers
    std::uint32_t waiting = 0;  ///< newcomers without a turn in this tick
    std::uint64_t arrived = 0;  ///< in all
    core::Nanoseconds longest_wait = 0;
    core::Nanoseconds tick = 0;    ///< duration of the tick
    core::Nanoseconds period = 0;  ///< time between ticks
  };

  /// Follows a tick.
  void update(const Progress& progress, core::Nanoseconds now);
  [[nodiscard]] bool lasts() const { return lasts_; }

 private:
  void begin(const Progress& progress, core::Nanoseconds now);
  void end(const Progress& progress);

  bool lasts_ = false;
  core::Nanoseconds began_ = 0;  // connection of the first newcomer
  core::Nanoseconds last_busy_ = 0;
  core::Nanoseconds last_arrival_ = 0;
  core::Nanoseconds next_line_ = 0;
  std::uint64_t arrived_before_ = 0;
  std::uint64_t arrived_ = 0;
  core::Nanoseconds longest_tick_ = 0;
};

}  // namespace mobula::server
