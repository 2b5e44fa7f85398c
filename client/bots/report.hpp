// What a run of bots found, and what of it can be named: the measures of --require, which are also the JSON's keys.
#pragma once

#include <bots/bot.hpp>
#include <bots/interval_stats.hpp>
#include <bots/ramp.hpp>
#include <span>
#include <string>
#include <vector>

namespace mobula::client {

// One point of the charts. What was not measured in its time is NaN.
struct BotsSample {
  double seconds = 0;  // since the beginning, at its end
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

// What was run.
struct BotsRunInfo {
  std::string command_line;
  std::string server;
  std::string behaviours;
  std::string simulated;  // network conditions; empty: none
  std::string version;
  std::uint64_t seed = 0;
  std::uint64_t began_at = 0;  // seconds since 1970
};

struct BotsReport {
  BotsRunInfo info;
  std::uint32_t clients = 0;  // that were wanted
  std::uint32_t verify = 0;   // of them were to mirror and verify
  std::uint32_t joined = 0;   // at least once
  std::uint32_t lost = 0;     // at the end: turned away, thrown out, silent, or without an answer so far
  std::string first_loss;
  ReasonCounts refusals;
  ReasonCounts disconnects;
  std::uint64_t token_failures = 0;
  std::string token_failure;       // the last
  std::uint32_t mirrors = 0;       // at the end
  std::uint32_t entities_min = 0;  // over these
  std::uint32_t entities_max = 0;
  bool stopped = false;       // before its time
  bool foreign_game = false;  // commands were meant for the demo, and this server runs another game
  IntervalStats whole;
  std::vector<BotsStep> steps;  // those that were begun
  std::vector<BotsSample> samples;
};

BotsSample sample_of(const IntervalStats& interval, double seconds, std::uint32_t wanted, std::uint32_t playing);

// Why a report's intervals may be the bots' own machine's rather than the server's; empty: they are not.
std::string lateness_warning(const IntervalStats& interval);

std::string to_table(const BotsReport& report);

}  // namespace mobula::client
