// Measurements of an interval: a second, a step of the ramp, or the run. Intervals can be added. The memory does not
// grow with their length.
#pragma once

#include <bots/counts.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/histogram.hpp>

namespace mobula::client {

struct IntervalStats {
  core::Nanoseconds length = 0;
  core::Nanoseconds cpu = 0;        // CPU time of this process
  core::Nanoseconds bots_time = 0;  // sum of the playing time of all bots
  Counts counts;
  core::Histogram intervals_us;  // between the arrivals of a bot's ticks
  core::Histogram joins_us;      // from the first request to the first tick
  core::Histogram rtts_us;
  core::Histogram lags_us;          // delay of the bots' own loop
  core::Histogram corrections_um;   // distances by which predicted positions were corrected
  core::Histogram input_delays_us;  // in bots that predict

  void add(const IntervalStats& later);
  void clear();
};

/// Distribution of times in milliseconds, or of another measure. All members are 0 without measurements.
struct Distribution {
  std::uint64_t count = 0;
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};
Distribution distribution_ms(const core::Histogram& microseconds);
Distribution distribution_cm(const core::Histogram& micrometres);

}  // namespace mobula::client
