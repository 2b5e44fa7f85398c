// Time of a process without the times in which it could not run: stopped, suspended, or busy for seconds. Silence of
// others is measured by it, because their datagrams have waited for this process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mobula/core/clock.hpp>

namespace mobula::core {

/// Starts with the first `now`. A step back counts as 0, a step above `step_max` as `step_max`.
class AwakeClock {
 public:
  static constexpr Nanoseconds step_max = 2 * second;

  /// Returns the time at `now`. Call it at least once per second.
  Nanoseconds advance(Nanoseconds now) {
    if (!begun_) time_ = now;
    if (begun_ && now > last_) {
      const std::uint64_t step = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(last_);
      time_ += static_cast<Nanoseconds>(std::min(step, std::uint64_t{step_max}));
    }
    begun_ = true;
    last_ = now;
    return time_;
  }

 private:
  Nanoseconds last_ = 0;
  Nanoseconds time_ = 0;
  bool begun_ = false;
};

}  // namespace mobula::core
