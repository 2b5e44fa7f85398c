// Cost and errors of prediction, for mobula-prediction-bench.
#pragma once

#include <cstdint>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <string>
#include <vector>

namespace mobula::bench {

/// Network of a measured game.
struct PredictedPath {
  const char* name;
  transport::NetworkConditions conditions;
};

/// A game over one path.
struct PredictedGame {
  std::string path;
  std::uint64_t ticks = 0;        // that the client has reconciled
  std::uint64_t explained = 0;    // mispredictions that late commands explain
  std::uint64_t unexplained = 0;  // others
  std::uint64_t rollbacks = 0;
  std::uint64_t replayed = 0;  // ticks
  std::uint64_t stalls = 0;
  double correction_cm_p50 = 0;  // all are of corrections that moved a position
  double correction_cm_p99 = 0;
  double correction_cm_most = 0;
  // Movement of what is shown, per frame in which a correction of less than a metre decays.
  double moved_cm_p50 = 0;
  double moved_cm_p99 = 0;
  double moved_cm_most = 0;
  double settled_ms_p50 = 0;  // until less than 1 cm is left of a correction below a metre
  double settled_ms_p99 = 0;
  double input_delay_ms = 0;  // mean
};

/// Costs without rules.
struct PredictionCost {
  double ns_per_entity_tick = 0;  // save, compare, restore
  double us_22x100 = 0;           // a replay of 22 ticks of 100 entities
};

struct PredictionReport {
  std::vector<PredictedGame> games;
  PredictionCost cost;
};

/// Plays games of `ticks` ticks each, and measures the cost `rounds` times; the least counts.
PredictionReport run_prediction_bench(std::uint32_t ticks, std::uint32_t rounds);
PredictionCost measure_prediction(std::uint32_t rounds);
PredictedGame play_predicted(const PredictedPath& path, std::uint32_t ticks);

std::string to_json(const PredictionReport& report);
std::string to_table(const PredictionReport& report);

}  // namespace mobula::bench
