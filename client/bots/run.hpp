// Many clients in one process: a load for servers, and a check that mirrors are right. One thread, one pipe per bot;
// another thread fetches connect tokens.
//
// Bots are updated in slices of the update interval, so that neither this loop nor the server's socket sees them all at
// one moment.
#pragma once

#include <bots/behaviour.hpp>
#include <bots/ramp.hpp>
#include <bots/report.hpp>
#include <functional>
#include <mobula/client/pipe/access.hpp>

namespace mobula::client {

struct BotsOptions {
  Access access;
  Ramp ramp{20, 10 * core::second};
  BehaviourMix behaviours;     // empty: they wander
  std::uint32_t verify = ~0u;  // so many of them mirror and verify; the others acknowledge what comes unread
  std::uint64_t seed = 1;      // of all that bots decide
  // Told of each sample.
  std::function<void(const BotsSample& sample)> progress;
};

// Until the ramp is over or somebody says stop (SIGINT, SIGTERM). Reasons: those of getting tokens and of opening
// pipes, and "too few open files". A server that cannot be reached is no error but joined == 0.
core::Result<BotsReport> run_bots(const BotsOptions& options);

}  // namespace mobula::client
