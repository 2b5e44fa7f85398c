#include <algorithm>
#include <client/prediction/court.hpp>

#include "prediction/prediction_bench.hpp"
#include "prediction/shown_motion.hpp"

namespace mobula::bench {
namespace {

constexpr std::size_t crate_count = 8;
constexpr int settling_ticks = 200;

// Returns the value below which this share of the sorted values lies.
double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto place = static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1));
  return sorted[place];
}

std::vector<double> sorted(std::vector<double> values) {
  std::ranges::sort(values);
  return values;
}

}  // namespace

PredictedGame play_predicted(const PredictedPath& path, std::uint32_t ticks) {
  test::Court court(crate_count, path.conditions);
  const client::PredictionConfig config{.input_delay = {.least = 0, .most = 4, .predicted_max = 48},
                                        .position_component = "Body"};
  test::Court::Guest& guest = court.join(config);
  ShownMotion motion(court, guest, config);
  const auto frame = [&] {
    const core::Nanoseconds now = court.village.now;
    court.frame();
    motion.frame(now);
  };
  for (int i = 0; i < 3 * settling_ticks; ++i) frame();
  for (const ecs::Entity crate : court.game.crates) motion.set_predicted(crate);
  for (int i = 0; i < 3 * settling_ticks; ++i) frame();
  motion.clear();
  const client::PredictionStats before = guest.prediction.stats();
  std::vector<double> corrections;
  double delay = 0;
  const ecs::Tick first = guest.prediction.reconciled_tick();
  for (std::uint32_t i = 0; i < 3 * ticks; ++i) {
    const std::uint64_t count = guest.prediction.stats().corrections;
    court.act(guest);
    frame();
    const client::PredictionStats& now = guest.prediction.stats();
    if (now.corrections != count) corrections.push_back(now.last_correction * 100);
    delay += now.input_delay;
  }
  std::ranges::sort(corrections);
  const std::vector<double> moved = sorted(motion.moved_cm());
  const std::vector<double> settled = sorted(motion.settled_ms());
  const client::PredictionStats& after = guest.prediction.stats();
  constexpr double tick_ms = static_cast<double>(test::Village::tick_length) / core::millisecond;
  return {.path = path.name,
          .ticks = guest.prediction.reconciled_tick() - first,
          .explained = after.late_mispredictions - before.late_mispredictions,
          .unexplained = after.remote_mispredictions - before.remote_mispredictions,
          .rollbacks = after.rollbacks - before.rollbacks,
          .replayed = after.ticks_replayed - before.ticks_replayed,
          .stalls = after.stalls - before.stalls,
          .correction_cm_p50 = quantile(corrections, 0.5),
          .correction_cm_p99 = quantile(corrections, 0.99),
          .correction_cm_most = quantile(corrections, 1),
          .moved_cm_p50 = quantile(moved, 0.5),
          .moved_cm_p99 = quantile(moved, 0.99),
          .moved_cm_most = quantile(moved, 1),
          .settled_ms_p50 = quantile(settled, 0.5),
          .settled_ms_p99 = quantile(settled, 0.99),
          .input_delay_ms = delay / (3 * std::max(ticks, 1u)) * tick_ms};
}

}  // namespace mobula::bench
