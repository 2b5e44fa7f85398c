// Fixed tick rate. Late ticks are caught up without pauses, up to `catch_up_max` ticks; time beyond that is lost, and
// the schedule continues from now. So an overloaded server never spirals. With catch_up_max = 0 an overloaded world
// slows down evenly. The pacer has no clock and does not wait: the caller passes begin and end of each tick.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/time_histogram.hpp>

namespace mobula::server {

/// Measured times of ticks.
struct TickTimes {
  core::TimeHistogram start_delay_ns;  // from the due time to the begin of a tick
  core::TimeHistogram duration_ns;
  core::Nanoseconds lost = 0;  // world time lost against the clock
  core::Nanoseconds span = 0;  // length of the last full second, which is longer after a pause
  double load = 0;             // share of it spent in ticks, 0 to 1
  double held_up = 0;          // share of it in which a tick was due, none ran, and none had begun, 0 to 1
  bool overloaded = false;     // hysteresis: set by a full second or lost time, cleared below 80% load
};

class TickPacer {
 public:
  struct Config {
    std::uint32_t ticks_per_second = 20;
    std::uint32_t catch_up_max = 5;
  };

  /// Makes a pacer whose first tick is due one period from now.
  TickPacer(Config config, core::Nanoseconds now);

  [[nodiscard]] core::Nanoseconds due() const { return due_; }  // when the next tick is due
  void begin(core::Nanoseconds now);
  /// Ends a tick. Returns true if times().overloaded has changed, at most once per second.
  bool end(core::Nanoseconds now);

  [[nodiscard]] core::Nanoseconds period() const { return period_; }
  [[nodiscard]] const TickTimes& times() const { return times_; }

 private:
  bool judge(core::Nanoseconds now);

  core::Nanoseconds period_;
  std::uint32_t catch_up_max_;
  core::Nanoseconds due_;
  core::Nanoseconds began_;
  core::Nanoseconds second_began_;
  core::Nanoseconds ended_;            // the last tick
  core::Nanoseconds busy_ = 0;         // in this second
  core::Nanoseconds held_up_ = 0;      // in this second
  core::Nanoseconds lost_before_ = 0;  // this second
  TickTimes times_;
};

}  // namespace mobula::server
