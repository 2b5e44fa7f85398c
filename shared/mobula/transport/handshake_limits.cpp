#include <mobula/core/hash.hpp>
#include <mobula/transport/handshake_limits.hpp>

namespace mobula::transport {

HandshakeLimits::HandshakeLimits(const RateLimit& global, const RateLimit& per_address, std::uint64_t seed)
    : global_pace_(global), address_pace_(per_address), seed_(seed), limiters_(limiter_count) {}

Drop HandshakeLimits::pass(const Address& from, core::Nanoseconds now) {
  // An IPv6 client usually controls a whole /64.
  const std::size_t prefix_bytes = from.is_v4() ? 16 : 8;
  const std::uint64_t hash = core::hash64(core::as_bytes(from.ip.data(), prefix_bytes), seed_);
  if (!limiters_[hash % limiter_count].pass(address_pace_, now)) return Drop::address_limit;
  return global_.pass(global_pace_, now) ? Drop::none : Drop::global_limit;
}

}  // namespace mobula::transport
