#include <algorithm>
#include <mobula/core/time_histogram.hpp>

namespace mobula::core {

void TimeHistogram::add(Nanoseconds time) {
  time = std::max<Nanoseconds>(time, 0);
  fine_.add(static_cast<std::uint64_t>(time));
  ++counts_[static_cast<std::size_t>(std::ranges::lower_bound(bounds, time) - bounds.begin())];
}

std::array<std::uint64_t, TimeHistogram::bounds.size()> TimeHistogram::counts_up_to_bounds() const {
  std::array<std::uint64_t, bounds.size()> counts{};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) counts[i] = sum += counts_[i];
  return counts;
}

}  // namespace mobula::core
