// Counters of a UDP socket.
#pragma once

#include <cstdint>

namespace mobula::net {

/// Counters of a UDP socket.
struct UdpCounters {
  std::uint64_t datagrams_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t dropped_full = 0;  // the kernel's buffer had no room
  std::uint64_t send_errors = 0;   // for example unreachable
  std::uint64_t too_long = 0;      // received with more than datagram_bytes_max, dropped
  std::uint64_t send_calls = 0;    // system calls
};

}  // namespace mobula::net
