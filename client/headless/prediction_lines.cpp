#include <cmath>
#include <headless/prediction_lines.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {
namespace {

constexpr double um_per_metre = 1e6;
constexpr double um_per_cm = 1e4;
constexpr double greatest_metres = 1e6;  // more is shown as this

double in_cm(std::uint64_t um) { return static_cast<double>(um) / um_per_cm; }

}  // namespace

std::string PredictionLines::note(core::Nanoseconds now) {
  const PredictionStats& stats = prediction_.stats();
  if (std::exchange(corrections_, stats.corrections) != stats.corrections && stats.last_correction > 0)
    corrections_um_.add(
        static_cast<std::uint64_t>(std::min(stats.last_correction, greatest_metres) * um_per_metre + 0.5));
  const bool remote = std::exchange(remote_mispredictions_, stats.remote_mispredictions) != stats.remote_mispredictions;
  if (!remote || connection_.mirror() == nullptr || !limit_.admit(now)) return "";
  return "mispredicted: " + describe(prediction_.last_misprediction(), *connection_.mirror()) + limit_.more() + '\n';
}

double PredictionLines::input_delay_ms() const {
  const std::uint32_t ticks_per_second = connection_.ticks_per_second();
  return ticks_per_second == 0 ? 0 : prediction_.stats().input_delay * 1000 / ticks_per_second;
}

std::string PredictionLines::summary() const {
  if (!prediction_.started()) return "predicted: nothing yet\n";
  const PredictionStats& stats = prediction_.stats();
  return core::format(
      "predicted: {} ticks, mispredictions {} late, {} remote and {} level, {} rollbacks, {} ticks replayed, "
      "{} corrections of p50 {:.1f} cm, p99 {:.1f} cm, max {:.1f} cm, input delay {:.0f} ms\n",
      stats.ticks, stats.late_mispredictions, stats.remote_mispredictions, stats.level_mispredictions, stats.rollbacks,
      stats.ticks_replayed, stats.corrections, in_cm(corrections_um_.percentile(0.5)),
      in_cm(corrections_um_.percentile(0.99)), in_cm(corrections_um_.max()), input_delay_ms());
}

std::string PredictionLines::members() const {
  const PredictionStats& stats = prediction_.stats();
  return core::format(
      R"(,"predicted_ticks":{},"late_mispredictions":{},"remote_mispredictions":{},"level_mispredictions":{},)"
      R"("rollbacks":{},"replayed_ticks":{},"prediction_stalls":{},"prediction_stalled_ms":{},"prediction_corrections":{},)"
      R"("p50_correction_cm":{:.2f},"p99_correction_cm":{:.2f},"max_correction_cm":{:.2f},"input_delay_ms":{:.1f})",
      stats.ticks, stats.late_mispredictions, stats.remote_mispredictions, stats.level_mispredictions, stats.rollbacks,
      stats.ticks_replayed, stats.stalls, stats.stalled_time / core::millisecond, stats.corrections,
      in_cm(corrections_um_.percentile(0.5)), in_cm(corrections_um_.percentile(0.99)), in_cm(corrections_um_.max()),
      input_delay_ms());
}

}  // namespace mobula::client
