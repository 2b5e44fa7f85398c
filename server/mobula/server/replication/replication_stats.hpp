// Counters of replication.
#pragma once

#include <cstdint>
#include <mobula/core/histogram.hpp>

namespace mobula::server {

struct ReplicationStats {
  std::uint64_t deltas_sent = 0;
  std::uint64_t delta_bytes_sent = 0;
  std::uint64_t corrections = 0;  ///< entities that a mirror had wrong
  core::Histogram client_bytes;   ///< delta bytes per client and tick, of clients that get deltas
};

}  // namespace mobula::server
