// Report of a client's prediction, for operators to see. The server only displays and adds these counts.
#pragma once

#include <algorithm>
#include <cstdint>

namespace mobula::wire {

/// Bound of each count and distance of a report.
inline constexpr std::uint32_t max_reported_count = 1u << 24;

/// Counts of a client's prediction since its last report.
struct PredictionReport {
  std::uint32_t ticks = 0;  // computed for the first time
  std::uint32_t ticks_replayed = 0;
  std::uint32_t rollbacks = 0;
  std::uint32_t late_mispredictions = 0;  // explained by late commands
  std::uint32_t remote_mispredictions = 0;
  std::uint32_t stalls = 0;
  std::uint32_t corrections = 0;             // rollbacks that moved a position
  std::uint32_t corrections_mm = 0;          // sum of the distances
  std::uint32_t greatest_correction_mm = 0;  // the greatest of them
  std::uint16_t input_delay = 0;             // at present, in 1/16 ticks
  std::uint32_t level_mispredictions = 0;    // where a step read another level than the server's

  /// Returns whether no count and no distance is above max_reported_count.
  [[nodiscard]] constexpr bool is_bounded() const {
    return std::max({ticks, ticks_replayed, rollbacks, late_mispredictions, remote_mispredictions, stalls, corrections,
                     corrections_mm, greatest_correction_mm, level_mispredictions}) <= max_reported_count;
  }
  friend bool operator==(const PredictionReport&, const PredictionReport&) = default;
};

}  // namespace mobula::wire
