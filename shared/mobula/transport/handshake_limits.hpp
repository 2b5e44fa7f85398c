// How many connection requests a second are worth opening: of all addresses together, and of one IPv4 address or IPv6
// /64. The sources share a fixed number of gates, chosen with a secret seed: nothing is kept for an address, and who
// shares a gate with a flood is another one for each server.
#pragma once

#include <mobula/transport/address.hpp>
#include <mobula/transport/drop.hpp>
#include <mobula/transport/rate_limiter.hpp>
#include <vector>

namespace mobula::transport {

class HandshakeLimits {
 public:
  HandshakeLimits(const RateLimit& global, const RateLimit& per_address, std::uint64_t seed);

  // none, address_limit or global_limit. What one address has too much is not charged to all.
  Drop pass(const Address& from, core::Nanoseconds now);

 private:
  static constexpr std::size_t gate_count = 4096;

  Pace global_pace_;
  Pace address_pace_;
  std::uint64_t seed_;
  RateLimiter global_;
  std::vector<RateLimiter> gates_;
};

}  // namespace mobula::transport
