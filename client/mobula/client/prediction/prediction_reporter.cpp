#include <algorithm>
#include <limits>
#include <mobula/client/prediction/prediction_reporter.hpp>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds report_interval = core::second;
constexpr double millimetres = 1000;
constexpr double input_delay_parts = 16;

// Rounds; what is no number counts as 0.
std::uint32_t rounded(double value, std::uint32_t most) {
  return value > 0 ? static_cast<std::uint32_t>(std::min(value + 0.5, static_cast<double>(most))) : 0;
}

std::uint32_t counted(std::uint64_t before, std::uint64_t now) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(now - before, wire::max_reported_count));
}

std::uint32_t distance(double metres) { return rounded(metres * millimetres, wire::max_reported_count); }

}  // namespace

wire::PredictionReport report_of(const PredictionStats& before, const PredictionStats& now,
                                 double greatest_correction) {
  constexpr std::uint32_t delay_max = std::numeric_limits<std::uint16_t>::max();
  return {
      .ticks = counted(before.ticks, now.ticks),
      .ticks_replayed = counted(before.ticks_replayed, now.ticks_replayed),
      .rollbacks = counted(before.rollbacks, now.rollbacks),
      .late_mispredictions = counted(before.late_mispredictions, now.late_mispredictions),
      .remote_mispredictions = counted(before.remote_mispredictions, now.remote_mispredictions),
      .stalls = counted(before.stalls, now.stalls),
      .corrections = counted(before.corrections, now.corrections),
      .corrections_mm = distance(now.sum_of_corrections - before.sum_of_corrections),
      .greatest_correction_mm = distance(greatest_correction),
      .input_delay = static_cast<std::uint16_t>(rounded(now.input_delay * input_delay_parts, delay_max)),
      .level_mispredictions = counted(before.level_mispredictions, now.level_mispredictions),
  };
}

void PredictionReporter::update(const PredictionStats& stats, Connection& connection, core::Nanoseconds now) {
  if (std::exchange(noted_, stats.corrections) != stats.corrections)
    greatest_correction_ = std::max(greatest_correction_, stats.last_correction);
  if (now < next_report_) return;
  const wire::PredictionReport report = report_of(reported_, stats, greatest_correction_);
  if (report == wire::PredictionReport{.input_delay = report.input_delay}) return;
  if (!connection.send_report(report)) return;
  next_report_ = now + report_interval;
  reported_ = stats;
  greatest_correction_ = 0;
}

}  // namespace mobula::client
