// Histogram of times, in nanoseconds. Counts exactly up to round bounds, which metrics export so that alerts can name
// them. A Histogram, whose buckets are powers of two, yields percentiles.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/histogram.hpp>

namespace mobula::core {

class TimeHistogram {
 public:
  static constexpr std::array<Nanoseconds, 19> bounds{
      25 * microsecond,   50 * microsecond,   100 * microsecond, 250 * microsecond, 500 * microsecond,
      1 * millisecond,    2500 * microsecond, 5 * millisecond,   10 * millisecond,  25 * millisecond,
      50 * millisecond,   100 * millisecond,  250 * millisecond, 500 * millisecond, 1 * second,
      2500 * millisecond, 5 * second,         10 * second,       25 * second};

  /// Adds a time. A negative one counts as 0.
  void add(Nanoseconds time);

  [[nodiscard]] std::uint64_t count() const { return fine_.count(); }
  [[nodiscard]] std::uint64_t sum() const { return fine_.sum(); }
  [[nodiscard]] std::uint64_t max() const { return fine_.max(); }
  [[nodiscard]] double mean() const { return fine_.mean(); }
  [[nodiscard]] std::uint64_t percentile(double share) const { return fine_.percentile(share); }
  /// Returns, by bound, the number of times up to and including it.
  [[nodiscard]] std::array<std::uint64_t, bounds.size()> counts_up_to_bounds() const;

 private:
  Histogram fine_;
  std::array<std::uint64_t, bounds.size() + 1> counts_{};  // by the least bound that is not exceeded; the last has none
};

}  // namespace mobula::core
