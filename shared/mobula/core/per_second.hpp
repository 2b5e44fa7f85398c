// Limits events per second, counted in windows of a second. A window begins with the first event after the previous
// one.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>

namespace mobula::core {

/// Limits events per second.
class PerSecond {
 public:
  explicit PerSecond(std::uint32_t count_max) : count_max_(count_max) {}

  /// Counts an event and returns whether it is admitted.
  bool admit(Nanoseconds now) {
    if (now >= ends_) {
      ends_ = now + second;
      count_ = 0;
    }
    if (count_ == count_max_) return false;
    ++count_;
    return true;
  }

 private:
  std::uint32_t count_max_;
  std::uint32_t count_ = 0;  // in the current window
  Nanoseconds ends_ = 0;
};

}  // namespace mobula::core
