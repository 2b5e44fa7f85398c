// Time of a session: it never goes back and never jumps, even if the owner's clock does.
// A step back counts as 0, a step of more than ten seconds as one second.
#pragma once

#include <mobula/core/clock.hpp>

namespace mobula::transport {

/// Time of a session: starts at 0 and never goes back or jumps.
class SessionClock {
 public:
  explicit SessionClock(core::Nanoseconds owner_now) : owner_now_(owner_now) {}

  [[nodiscard]] core::Nanoseconds now() const { return now_; }
  /// Returns the now() that advance(owner_now) would result in.
  [[nodiscard]] core::Nanoseconds at(core::Nanoseconds owner_now) const {
    if (owner_now <= owner_now_) return now_;
    const std::uint64_t step = static_cast<std::uint64_t>(owner_now) - static_cast<std::uint64_t>(owner_now_);
    return now_ + (step > leap ? core::second : static_cast<core::Nanoseconds>(step));
  }
  /// Converts a time of this clock to the owner's, valid if the owner's has not jumped since.
  [[nodiscard]] core::Nanoseconds to_owner_time(core::Nanoseconds time) const { return owner_now_ - (now_ - time); }
  void advance(core::Nanoseconds owner_now) {
    now_ = at(owner_now);
    owner_now_ = owner_now;
  }

 private:
  static constexpr std::uint64_t leap = 10 * core::second;

  core::Nanoseconds owner_now_;
  core::Nanoseconds now_ = 0;
};

}  // namespace mobula::transport
