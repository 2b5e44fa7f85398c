// When ticks begin: at a fixed rate. What is late is caught up, without pauses, up to `catch_up_max` ticks; whoever is
// later than that has lost the time, and goes on from now. So a server that is too slow never spirals. With 0 nothing
// is caught up: an overloaded world goes slower, evenly. Knows no clock and does not wait: it is told when a tick began
// and ended.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/histogram.hpp>

namespace mobula::server {

struct TickTimes {
  core::Histogram start_delay_ns;  // from when a tick was due to when it began
  core::Histogram duration_ns;
  core::Nanoseconds lost = 0;  // by which the world's time fell behind the clock's
  double load = 0;             // of the last whole second, the share that ticks took
  bool overloaded = false;     // since a second was full, or lost time; until one has room again
};

class TickPacer {
 public:
  struct Config {
    std::uint32_t ticks_per_second = 20;
    std::uint32_t catch_up_max = 5;
  };

  // The first tick is due one period from now.
  TickPacer(Config config, core::Nanoseconds now);

  [[nodiscard]] core::Nanoseconds due() const { return due_; }
  void begin(core::Nanoseconds now);
  // True if `times().overloaded` has changed: once in a second at most.
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
  core::Nanoseconds busy_ = 0;         // in this second
  core::Nanoseconds lost_before_ = 0;  // this second
  TickTimes times_;
};

}  // namespace mobula::server
