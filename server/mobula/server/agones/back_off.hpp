// Growing waits between the repeats of a request.
#pragma once

#include <algorithm>
#include <mobula/core/clock.hpp>

namespace mobula::agones {

class BackOff {
 public:
  static constexpr core::Nanoseconds wait_min = core::second / 4;
  static constexpr core::Nanoseconds wait_max = 8 * core::second;

  [[nodiscard]] bool due(core::Nanoseconds now) const { return now >= at_; }
  void failed(core::Nanoseconds now) {
    at_ = now + wait_;
    wait_ = std::min(2 * wait_, wait_max);
  }
  void reset() { *this = {}; }

 private:
  core::Nanoseconds at_ = 0;
  core::Nanoseconds wait_ = wait_min;
};

}  // namespace mobula::agones
