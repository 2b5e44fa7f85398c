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

// Seconds since 1970: what connect tokens expire by.
inline std::uint64_t unix_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

}  // namespace mobula::core
