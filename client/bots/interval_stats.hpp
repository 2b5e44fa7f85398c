// Measurements of an interval: a second, a step of the ramp, or the whole run. Intervals can be added; the memory does
// not grow with their length.
#pragma once

#include <bots/counts.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/histogram.hpp>

namespace mobula::client {

struct IntervalStats {
  core::Nanoseconds length = 0;
  core::Nanoseconds cpu = 0;        // of this process
  core::Nanoseconds bots_time = 0;  // of all bots that played, added up
  Counts counts;
  core::Histogram intervals_us;  // between the arrivals of a bot's ticks
  core::Histogram joins_us;      // from the first request to the first tick
  core::Histogram rtts_us;
  core::Histogram lags_us;  // of the bots' own loop

  void add(const IntervalStats& later);
  void clear();
};

// Of time, in milliseconds. All 0 where nothing was measured.
struct Distribution {
  std::uint64_t count = 0;
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};
Distribution distribution_ms(const core::Histogram& microseconds);

}  // namespace mobula::client
