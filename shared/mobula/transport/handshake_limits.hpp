// Rate limits for connection requests: for all addresses together, and per IPv4 address or IPv6 /64.
// Sources share a fixed number of rate limiters, chosen by a hash with a secret seed. Nothing is stored per address,
// and the sources that share a limiter with a flood differ from server to server.
#pragma once

#include <mobula/transport/address.hpp>
#include <mobula/transport/drop.hpp>
#include <mobula/transport/rate_limiter.hpp>
#include <vector>

namespace mobula::transport {

/// Rate limits for connection requests.
class HandshakeLimits {
 public:
  HandshakeLimits(const RateLimit& global, const RateLimit& per_address, std::uint64_t seed);

  /// Returns none, address_limit or global_limit. A request above its address's limit does not count for the global
  /// one.
  Drop pass(const Address& from, core::Nanoseconds now);

 private:
  static constexpr std::size_t limiter_count = 4096;

  Pace global_pace_;
  Pace address_pace_;
  std::uint64_t seed_;
  RateLimiter global_;
  std::vector<RateLimiter> limiters_;
};

}  // namespace mobula::transport
