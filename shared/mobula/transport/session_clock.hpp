// A session's own time: it never goes back and never leaps, whatever the clock of its owner does.
// A step back counts as no time, a step of more than ten seconds as one second.
#pragma once

#include <mobula/core/clock.hpp>

namespace mobula::transport {

class SessionClock {
 public:
  explicit SessionClock(core::Nanoseconds told) : told_(told) {}

  [[nodiscard]] core::Nanoseconds now() const { return now_; }
  // What now() would be after advance(told).
  [[nodiscard]] core::Nanoseconds at(core::Nanoseconds told) const {
    if (told <= told_) return now_;
    const std::uint64_t step = static_cast<std::uint64_t>(told) - static_cast<std::uint64_t>(told_);
    return now_ + (step > leap ? core::second : static_cast<core::Nanoseconds>(step));
  }
  // A time of this clock in the owner's, as long as that did not jump since.
  [[nodiscard]] core::Nanoseconds told(core::Nanoseconds time) const { return told_ - (now_ - time); }
  void advance(core::Nanoseconds told) {
    now_ = at(told);
    told_ = told;
  }

 private:
  static constexpr std::uint64_t leap = 10 * core::second;

  core::Nanoseconds told_;
  core::Nanoseconds now_ = 0;
};

}  // namespace mobula::transport
