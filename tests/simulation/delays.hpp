// Commands of simulated players by their input delay.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace mobula::sim {

// Number of commands by the ticks from when they were given to their execution.
struct Delays {
  static constexpr std::size_t ticks_max = 63;  // longer ones count as this

  void add(std::size_t ticks) { ++by_ticks[std::min(ticks, ticks_max)]; }
  void add(const Delays& more) {
    for (std::size_t i = 0; i <= ticks_max; ++i) by_ticks[i] += more.by_ticks[i];
  }
  [[nodiscard]] std::uint64_t count() const {
    return std::accumulate(by_ticks.begin(), by_ticks.end(), std::uint64_t{0});
  }
  // Returns the ticks that this percentage of all commands took at most; 0 without commands.
  [[nodiscard]] std::size_t percentile(std::uint64_t percent) const {
    std::uint64_t above = count() * (100 - percent) / 100;
    std::size_t ticks = by_ticks.size();
    while (ticks > 0 && by_ticks[ticks - 1] <= above) above -= by_ticks[--ticks];
    return ticks == 0 ? 0 : ticks - 1;
  }

  std::array<std::uint64_t, ticks_max + 1> by_ticks{};
};

}  // namespace mobula::sim
