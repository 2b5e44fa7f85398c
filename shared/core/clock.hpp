// Time as nanoseconds of a monotonic clock. Only mains, net and benchmarks read it;
// protocol and game code is handed `now`, so that a simulator can be its clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace mobula::core {

using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds microsecond = 1'000;
inline constexpr Nanoseconds millisecond = 1'000'000;
inline constexpr Nanoseconds second = 1'000'000'000;

inline Nanoseconds monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace mobula::core
