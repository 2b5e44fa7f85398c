// Lets so many of something through per second, counted in windows that begin with the first that comes after the last.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>

namespace mobula::core {

class PerSecond {
 public:
  explicit PerSecond(std::uint32_t count_max) : count_max_(count_max) {}

  // Whether one more may pass now.
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
  std::uint32_t count_ = 0;  // in the second under way
  Nanoseconds ends_ = 0;
};

}  // namespace mobula::core
