// Counters of a Server. Each of its parts adds to those of its own.
#pragma once

#include <cstdint>
#include <map>
#include <mobula/core/histogram.hpp>
#include <string>

namespace mobula::server {

struct ServerStats {
  std::uint64_t deltas_sent = 0;
  std::uint64_t delta_bytes_sent = 0;
  std::uint64_t commands = 0;                     ///< executed
  std::uint64_t rejoins = 0;                      ///< players whose client reconnected
  std::uint64_t replaced = 0;                     ///< players taken over from another client by a log-in
  std::uint64_t corrections = 0;                  ///< entities that a mirror had wrong
  std::map<std::string, std::uint64_t> refusals;  ///< commands, messages, inputs and connections, by reason
  core::Histogram client_bytes;                   ///< delta bytes per client and tick, of clients that get deltas
};

}  // namespace mobula::server
