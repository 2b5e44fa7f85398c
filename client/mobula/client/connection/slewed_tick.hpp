// A tick that follows a wanted tick smoothly: it runs slightly faster or slower than the server and never goes back.
// It jumps if it is far behind, and stands still if it is far ahead.
#pragma once

#include <algorithm>
#include <cmath>
#include <mobula/core/clock.hpp>

namespace mobula::client {

class SlewedTick {
 public:
  /// `speed_change_max` is a fraction of the server's speed. `far_off` is the distance that counts as far, in ticks.
  SlewedTick(core::Nanoseconds tick_length, double speed_change_max, double far_off)
      : tick_length_(static_cast<double>(tick_length)), speed_change_max_(speed_change_max), far_off_(far_off) {}

  [[nodiscard]] double value() const { return value_; }

  /// Advances to `now`, but not beyond `limit`, and returns the new value.
  double follow(double wanted, double limit, core::Nanoseconds now) {
    const auto passed = static_cast<double>(std::max<core::Nanoseconds>(now - now_, 0)) / tick_length_;
    now_ = std::max(now_, now);
    const double behind = wanted - (value_ + passed);
    double next = wanted;
    if (started_ && std::abs(behind) <= far_off_) {
      const double change = behind * std::min(passed * tick_length_ / settle_time, 1.0);
      next = value_ + passed + std::clamp(change, -passed * speed_change_max_, passed * speed_change_max_);
    }
    started_ = true;
    value_ = std::max(value_, std::min(next, limit));
    return value_;
  }

 private:
  // Time in which the whole difference would be corrected, within the limit on the speed's change.
  static constexpr double settle_time = static_cast<double>(core::second) / 2;

  double tick_length_;
  double speed_change_max_;
  double far_off_;
  double value_ = 0;
  bool started_ = false;
  core::Nanoseconds now_ = 0;
};

}  // namespace mobula::client
