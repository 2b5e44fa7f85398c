// Costs of zones, measured: ghosts, crossings and their records in etcd.
#pragma once

#include <cstdint>
#include <mobula/core/clock.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cpu_clock.hpp"

namespace mobula::bench {

/// Runs work and returns the CPU time that this thread takes for it.
template <class Work>
core::Nanoseconds cpu_time(Work&& work) {
  const core::Nanoseconds begin = thread_cpu_now();
  work();
  return thread_cpu_now() - begin;
}

/// Two zones. All entities of one are near its border and move, so the other has a ghost of each.
struct BorderCost {
  std::uint32_t ghosts = 0;
  double link_bytes = 0;         // per tick, to the zone that has the ghosts
  double client_bytes = 0;       // per tick, to a client in the zone of the entities, which sees the same
  double mirror_ns = 0;          // per ghost and tick: decoding
  double copy_ns = 0;            // copying to ghosts
  double publish_ns = 0;         // publishing ghosts as own entities, without clients
  double send_ns = 0;            // in the zone of the entities: one client more
  std::uint64_t checks = 0;      // ticks compared by hash, and ghosts compared with the mirror
  std::uint64_t mismatches = 0;  // among them, that differed
};
BorderCost measure_border(std::uint32_t entities, std::uint32_t ticks);

/// A zone without neighbours, beside the same world without a cluster: CPU time of the simulation thread per tick.
struct AloneCost {
  std::uint32_t clients = 0;  // each sees all entities, all of which move
  double world_us = 0;
  double zone_us = 0;
};
AloneCost measure_alone(std::uint32_t entities, std::uint32_t clients, std::uint32_t ticks);

/// Entities that cross between two zones one by one, and a node without zones beside them.
struct CrossingCost {
  std::uint32_t crossings = 0;
  double record_bytes = 0;   // key and value in etcd
  double commits = 0;        // transactions per crossing
  double written_bytes = 0;  // keys and values put per crossing
  double release_us = 0;     // CPU time per crossing: packing at the source
  double receive_us = 0;     // spawning at the target
  double source_us = 0;      // the source's node
  double target_us = 0;      // the target's node
  double bystander_us = 0;   // any other node
};
CrossingCost measure_crossings(std::uint32_t crossings);

/// A real etcd. Nobody watches it.
struct EtcdCost {
  double node_percent = 0;          // share of a core: a node without worlds
  double placement_ms_p99 = 0;      // from the request to the placed world
  double single_commit_ms_p99 = 0;  // commit of the same size, beside it
  double commits_per_second = 0;    // transactions with a record and a ledger, 64 at a time
  double commit_ms_p50 = 0;
  double commit_ms_p99 = 0;
  std::uint64_t failed = 0;  // commits
};
/// Measures the etcd of these members, which is to have no other load. `time`: for each part.
EtcdCost measure_etcd(const std::vector<std::string>& members, std::size_t record_bytes, core::Nanoseconds time);

struct ZoneReport {
  BorderCost border{};
  AloneCost alone{};
  CrossingCost crossings{};
  std::optional<EtcdCost> etcd{};
};
std::string to_table(const ZoneReport& report);
std::string to_json(const ZoneReport& report);

}  // namespace mobula::bench
