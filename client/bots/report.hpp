// Results of a run of bots.
#pragma once

#include <bots/bot.hpp>
#include <bots/interval_stats.hpp>
#include <bots/ramp.hpp>
#include <span>
#include <string>
#include <vector>

namespace mobula::client {

/// One point of the charts. NaN where nothing was measured.
struct BotsSample {
  double seconds = 0;  // from the beginning of the run to the end of the sample
  std::uint32_t wanted = 0;
  std::uint32_t playing = 0;
  Distribution intervals;
  Distribution joins;
  Distribution rtts;
  Distribution lags;
  double bytes_in_per_second = 0;
  double bytes_out_per_second = 0;
  double loss_in_percent = 0;
  double loss_out_percent = 0;
  std::uint64_t mismatches = 0;
  double cpu_percent = 0;
};

struct BotsStep {
  RampStep step;
  IntervalStats measured;
};

/// Conditions of the run.
struct BotsRunInfo {
  std::string command_line;
  std::string server;
  std::string behaviours;
  std::string simulated;  // network conditions; empty if none
  std::string version;
  std::uint64_t seed = 0;
  std::uint64_t began_at = 0;  // seconds since 1970
};

struct BotsReport {
  BotsRunInfo info;
  std::uint32_t clients = 0;  // requested
  std::uint32_t verify = 0;   // number of bots that verify mirrors
  std::uint32_t joined = 0;   // at least once
  std::uint32_t lost = 0;     // at the end: refused, disconnected, silent, or still without an answer
  std::string first_loss;
  ReasonCounts refusals;
  ReasonCounts disconnects;
  std::uint64_t token_failures = 0;
  std::string token_failure;       // reason of the last one
  std::uint32_t mirrors = 0;       // at the end
  std::uint32_t entities_min = 0;  // in these mirrors
  std::uint32_t entities_max = 0;
  bool stopped = false;       // ended early
  bool foreign_game = false;  // bots have commands for the demo, and this server runs another game
  IntervalStats whole;
  std::vector<BotsStep> steps;  // those that began
  std::vector<BotsSample> samples;
};

BotsSample sample_of(const IntervalStats& interval, double seconds, std::uint32_t wanted, std::uint32_t playing);

/// Returns a warning if the bots' own machine was late, so that intervals may not be the server's. Empty if not.
std::string lateness_warning(const IntervalStats& interval);

std::string to_table(const BotsReport& report);

}  // namespace mobula::client
