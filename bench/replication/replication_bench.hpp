// The real server with thousands of clients in one process: CPU time per client and tick.
#pragma once

#include <mobula/core/result.hpp>
#include <string>

#include "replication/walkers.hpp"

namespace mobula::bench {

struct ReplicationOptions {
  WalkersConfig walkers;
  std::uint32_t clients = 1000;
  std::uint32_t loss_percent = 2;  // in each direction
  double seconds = 10;             // world time, after all clients have joined and a warm-up
  bool sockets = false;            // UDP sockets, with the clients in a thread of their own
};

// Microseconds of the server's CPU time, per client and tick.
struct ReplicationCosts {
  double publish = 0;
  double choose = 0;
  double encode = 0;
  double seal = 0;
  double send = 0;
  double receive = 0;
  double game = 0;  // not in the sum

  [[nodiscard]] double sum() const { return publish + choose + encode + seal + send + receive; }
};

struct ReplicationReport {
  std::uint32_t clients = 0;
  ReplicationCosts costs;
  double bytes_per_moving_entity = 0;  // datagram bytes per visible entity that moves, and tick
  double bytes_per_client_tick = 0;
  double states_per_client_tick = 0;  // sent states
  double moving_per_client_tick = 0;  // visible entities that move
  double copies_per_string = 0;
  double tick_p50_ms = 0;  // whole tick, including the game
  double tick_p99_ms = 0;
  std::uint64_t compared = 0;        // compared states of mirrored entities
  std::uint64_t verified_ticks = 0;  // ticks verified by the server's hashes
  std::uint64_t mismatches = 0;
};

// Errors: those of starting a server and of opening sockets; "too few file descriptors"; "not all joined".
core::Result<ReplicationReport> run_replication(const ReplicationOptions& options);

std::string to_json(const ReplicationReport& report);
std::string to_table(const ReplicationReport& report, const ReplicationOptions& options);

}  // namespace mobula::bench
