// Monotonic time in nanoseconds. Only main functions, net and benchmarks read the clock. Protocol and game code gets
// `now` as a parameter, so that a simulator can control the time.
#pragma once

#include <chrono>
#include <cstdint>

namespace mobula::core {

using Nanoseconds = std::int64_t;

inline constexpr Nanoseconds microsecond = 1'000;
inline constexpr Nanoseconds millisecond = 1'000'000;
inline constexpr Nanoseconds second = 1'000'000'000;

/// Returns a time, a number of nanoseconds of any type, in seconds.
template <class Number>
constexpr double in_seconds(Number nanoseconds) {
  return static_cast<double>(nanoseconds) / second;
}
/// Returns such a time in milliseconds.
template <class Number>
constexpr double in_ms(Number nanoseconds) {
  return static_cast<double>(nanoseconds) / millisecond;
}

/// Returns the time since a moment that the system chooses.
inline Nanoseconds monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Returns unix seconds, used for the expiry of connect tokens.
inline std::uint64_t unix_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

}  // namespace mobula::core
