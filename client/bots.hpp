// Many clients in one process that walk about in the demo game: a load for servers, and a check
// that every mirror is right. One thread, one pipe per bot.
#pragma once

#include <cstdint>
#include <mobula/client/access.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <vector>

namespace mobula::client {

struct BotsOptions {
  Access access;
  std::uint32_t clients = 20;
  std::uint32_t verify = ~0u;  // so many of them mirror and verify; the others acknowledge what comes unread
  double seconds = 10;
  std::uint64_t seed = 1;  // of the bots' wanderings
  bool progress = true;    // a bar on standard error
};

struct IntervalSummary {
  double mean = 0;
  double p50 = 0;
  double p99 = 0;
};

struct BotsReport {
  std::uint32_t clients = 0;
  std::uint32_t joined = 0;
  double seconds = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t events = 0;
  IntervalSummary patch_interval_ms;  // between the arrivals of a client's ticks
  std::uint64_t verified_ticks = 0;
  std::uint64_t mismatches = 0;
  std::uint32_t mirrors = 0;       // of the joined bots
  std::uint32_t entities_min = 0;  // over these mirrors, at the end
  std::uint32_t entities_max = 0;
  std::uint32_t lost = 0;  // closed before the end, silent at the end, or never joined
  std::string first_loss;
};

// Mean and percentiles (nearest rank) of the values, which are sorted in place.
IntervalSummary summarise(std::vector<double>& values_ms);

// Reasons: those of getting tokens and of opening pipes. A server that cannot be reached is no error but joined == 0.
core::Result<BotsReport> run_bots(const BotsOptions& options);

std::string to_json(const BotsReport& report);
std::string to_table(const BotsReport& report);

}  // namespace mobula::client
