// Many clients in one process: a load for servers, and a check of mirrors. One thread runs all bots, with one pipe per
// bot.
// Another thread fetches connect tokens.
//
// Bots are updated in slices of the update interval, which spreads their load on this loop and on the server's socket.
#pragma once

#include <bots/behaviour.hpp>
#include <bots/bot.hpp>
#include <bots/ramp.hpp>
#include <bots/report.hpp>
#include <functional>
#include <mobula/client/pipe/access.hpp>

namespace mobula::client {

struct BotsOptions {
  Access access;
  Ramp ramp{20, 10 * core::second};
  BehaviourMix behaviours;  // empty means wander
  // Number of bots that mirror and verify. The others acknowledge deltas without reading them.
  std::uint32_t verify = ~0u;
  std::uint64_t seed = 1;  // seed of all random decisions
  BotRules predicts;       // bots that mirror predict by these
  // Receives each sample.
  std::function<void(const BotsSample& sample)> progress;
};

/// Runs until the ramp ends or a signal stops it (SIGINT, SIGTERM). Errors: those of fetching tokens and opening pipes,
/// "too few open files"; those of fetch_resources() if bots predict. Otherwise an unreachable server is not an error
/// but gives joined == 0.
core::Result<BotsReport> run_bots(const BotsOptions& options);

}  // namespace mobula::client
