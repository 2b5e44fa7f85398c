#include <array>
#include <mobula/core/format.hpp>

#include "prediction/prediction_bench.hpp"

namespace mobula::bench {
namespace {

constexpr core::Nanoseconds ms = core::millisecond;
// Each way half of the round trip.
constexpr std::array<PredictedPath, 3> paths{{
    {"0 ms, 0%", {}},
    {"100 ± 20 ms, 5%", {.latency = 40 * ms, .jitter = 20 * ms, .loss_ppm = 50'000}},
    {"200 ± 50 ms, 10%", {.latency = 75 * ms, .jitter = 50 * ms, .loss_ppm = 100'000}},
}};

std::string to_json(const PredictedGame& game) {
  return core::format(
      R"({{"path":"{}","ticks":{},"explained":{},"unexplained":{},"rollbacks":{},"replayed":{},"stalls":{},)"
      R"("correction_cm_p50":{:.2f},"correction_cm_p99":{:.2f},"correction_cm_most":{:.2f},)"
      R"("moved_cm_p50":{:.2f},"moved_cm_p99":{:.2f},"moved_cm_most":{:.2f},"settled_ms_p50":{:.0f},)"
      R"("settled_ms_p99":{:.0f},"input_delay_ms":{:.1f}}})",
      game.path, game.ticks, game.explained, game.unexplained, game.rollbacks, game.replayed, game.stalls,
      game.correction_cm_p50, game.correction_cm_p99, game.correction_cm_most, game.moved_cm_p50, game.moved_cm_p99,
      game.moved_cm_most, game.settled_ms_p50, game.settled_ms_p99, game.input_delay_ms);
}

}  // namespace

PredictionReport run_prediction_bench(std::uint32_t ticks, std::uint32_t rounds) {
  PredictionReport report;
  for (const PredictedPath& path : paths) report.games.push_back(play_predicted(path, ticks));
  report.cost = measure_prediction(rounds);
  return report;
}

std::string to_json(const PredictionReport& report) {
  std::uint64_t explained = 0;
  std::uint64_t unexplained = 0;
  double correction = 0;
  std::string games;
  for (const PredictedGame& game : report.games) {
    explained += game.explained;
    unexplained += game.unexplained;
    correction = std::max(correction, game.correction_cm_p99);
    games += (games.empty() ? "" : ",") + to_json(game);
  }
  return core::format(
      R"({{"unexplained":{},"explained":{},"ns_per_entity_tick":{:.1f},"us_22x100":{:.1f},"correction_cm_p99":{:.2f},)"
      R"("games":[{}]}})",
      unexplained, explained, report.cost.ns_per_entity_tick, report.cost.us_22x100, correction, games);
}

std::string to_table(const PredictionReport& report) {
  std::string table =
      "path               ticks  explained  unexplained  rollbacks  replayed  stalls  cm p50   p99    most  delay ms\n";
  for (const PredictedGame& game : report.games)
    table +=
        core::format("{:<16} {:>7} {:>10} {:>12} {:>10} {:>9} {:>7} {:>7.2f} {:>6.2f} {:>6.2f} {:>8.1f}\n", game.path,
                     game.ticks, game.explained, game.unexplained, game.rollbacks, game.replayed, game.stalls,
                     game.correction_cm_p50, game.correction_cm_p99, game.correction_cm_most, game.input_delay_ms);
  table += "shown             cm per frame p50   p99    most  ms to 1 cm p50   p99\n";
  for (const PredictedGame& game : report.games)
    table += core::format("{:<16} {:>17.2f} {:>6.2f} {:>6.2f} {:>14.0f} {:>6.0f}\n", game.path, game.moved_cm_p50,
                          game.moved_cm_p99, game.moved_cm_most, game.settled_ms_p50, game.settled_ms_p99);
  table += core::format("save, compare, restore: {:.1f} ns per entity and tick; 22 ticks of 100 entities: {:.1f} µs\n",
                        report.cost.ns_per_entity_tick, report.cost.us_22x100);
  return table;
}

}  // namespace mobula::bench
