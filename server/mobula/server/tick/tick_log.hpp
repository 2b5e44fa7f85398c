// Times and bytes of the last ticks, one row each, and totals of all ticks, for the inspector and metrics. Written by
// the simulation thread after each tick. Fixed size: 144 KB.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <mobula/core/clock.hpp>
#include <mobula/core/time_histogram.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/server/tick/tick_phases.hpp>
#include <string_view>

namespace mobula::server {

inline constexpr std::size_t tick_phase_count = static_cast<std::size_t>(TickPhase::count);
using PhaseTimes = std::array<core::Nanoseconds, tick_phase_count>;

/// Returns the name of a phase, such as "receive".
std::string_view to_string(TickPhase phase);

/// Row of one tick. 104 bytes.
struct TickRow {
  ecs::Tick tick = 0;
  std::uint32_t sessions = 0;
  std::uint32_t newcomers = 0;  // sessions that have not received all that they see
  core::Nanoseconds start_delay = 0;
  core::Nanoseconds duration = 0;
  PhaseTimes phases{};
  std::uint64_t sent_bytes = 0;  // since the previous tick, like received_bytes
  std::uint64_t received_bytes = 0;
};

class TickLog {
 public:
  static constexpr std::size_t rows_max = 512;

  void add(const TickRow& row);

  /// Rows are numbered from 0. Rows with first() <= number < end() are available.
  [[nodiscard]] std::uint64_t first() const { return end_ - std::min<std::uint64_t>(end_, rows_max); }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  [[nodiscard]] const TickRow& row(std::uint64_t number) const { return rows_[number % rows_max]; }
  /// Returns the times of a phase over all ticks.
  [[nodiscard]] const core::TimeHistogram& phase(TickPhase phase) const {
    return phases_[static_cast<std::size_t>(phase)];
  }

 private:
  std::array<TickRow, rows_max> rows_;
  std::uint64_t end_ = 0;
  std::array<core::TimeHistogram, tick_phase_count> phases_;
};

}  // namespace mobula::server
