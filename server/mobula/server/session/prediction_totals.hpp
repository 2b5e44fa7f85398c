// Sums of what clients report of their predictions. They are shown and decide nothing, as clients may report anything.
#pragma once

#include <algorithm>
#include <mobula/wire/prediction_report.hpp>

namespace mobula::server {

/// Sums of reports. Each report adds at most 2^24 to a sum, so a sum never overflows.
struct PredictionTotals {
  std::uint64_t ticks = 0;  ///< computed for the first time
  std::uint64_t ticks_replayed = 0;
  std::uint64_t rollbacks = 0;
  std::uint64_t late_mispredictions = 0;
  std::uint64_t remote_mispredictions = 0;
  std::uint64_t level_mispredictions = 0;
  std::uint64_t stalls = 0;
  std::uint64_t corrections = 0;
  std::uint64_t corrections_mm = 0;

  void add(const wire::PredictionReport& report) {
    ticks += report.ticks;
    ticks_replayed += report.ticks_replayed;
    rollbacks += report.rollbacks;
    late_mispredictions += report.late_mispredictions;
    remote_mispredictions += report.remote_mispredictions;
    level_mispredictions += report.level_mispredictions;
    stalls += report.stalls;
    corrections += report.corrections;
    corrections_mm += report.corrections_mm;
  }
};

/// Reports of one client.
struct ReportedPrediction {
  std::uint64_t reports = 0;  ///< 0 if the client does not predict
  PredictionTotals totals;
  std::uint32_t greatest_correction_mm = 0;
  std::uint16_t input_delay = 0;  ///< in the last report, in 1/16 ticks

  void add(const wire::PredictionReport& report) {
    ++reports;
    totals.add(report);
    greatest_correction_mm = std::max(greatest_correction_mm, report.greatest_correction_mm);
    input_delay = report.input_delay;
  }
};

}  // namespace mobula::server
