// Rate limiter: a rate per second and a burst after idle time.
// A token bucket, stored as the time at which it will be full again (generic cell rate algorithm).
#pragma once

#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/core/clock.hpp>

namespace mobula::transport {

/// Admitted events per second, and at once after idle time.
struct RateLimit {
  std::uint32_t per_second = 1;
  std::uint32_t burst = 1;
};

/// A RateLimit in the precomputed form that RateLimiter uses.
class Pace {
 public:
  explicit Pace(const RateLimit& limit)
      : interval_(core::second / std::max(limit.per_second, 1u)), slack_(interval_ * (std::max(limit.burst, 1u) - 1)) {
    MOBULA_ASSERT(limit.per_second > 0 && limit.burst > 0, "a rate limit that admits nothing");
  }

 private:
  friend class RateLimiter;
  core::Nanoseconds interval_;
  core::Nanoseconds slack_;
};

/// 8 bytes.
class RateLimiter {
 public:
  /// Returns whether one more event is admitted.
  [[nodiscard]] bool open(const Pace& pace, core::Nanoseconds now) const { return full_at_ - now <= pace.slack_; }
  /// Counts an event, admitted or not.
  void charge(const Pace& pace, core::Nanoseconds now) { full_at_ = std::max(full_at_, now) + pace.interval_; }
  /// Admits and charges an event. Returns false, and charges nothing, if it is above the rate.
  bool pass(const Pace& pace, core::Nanoseconds now) {
    if (!open(pace, now)) return false;
    charge(pace, now);
    return true;
  }

 private:
  core::Nanoseconds full_at_ = 0;
};

}  // namespace mobula::transport
