// A tick that follows a wanted one without jumps: it runs a little faster or slower than the server, never back. Where
// it is far behind it jumps, where it is far ahead it stands still.
#pragma once

#include <algorithm>
#include <cmath>
#include <mobula/core/clock.hpp>

namespace mobula::client {

class SlewedTick {
 public:
  // `speed_change_max`: a part of the server's speed. `far_off`: in ticks.
  SlewedTick(core::Nanoseconds tick_length, double speed_change_max, double far_off)
      : tick_length_(static_cast<double>(tick_length)), speed_change_max_(speed_change_max), far_off_(far_off) {}

  [[nodiscard]] double value() const { return value_; }

  // Moves on to now, but not beyond `limit`.
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
  // What it is off by would be gone after so long, if its speed may change by so much.
  static constexpr double settle_time = static_cast<double>(core::second) / 2;

  double tick_length_;
  double speed_change_max_;
  double far_off_;
  double value_ = 0;
  bool started_ = false;
  core::Nanoseconds now_ = 0;
};

}  // namespace mobula::client
