// Accepted connections to which nothing has been sent yet. Unauthenticated peers can open them, so their number is
// limited in total and per host, and a new one replaces the oldest. An answered client has shown a token and is
// removed.
//
//   links   {older, newer, host} by slot of the connection: a list by age. host is `none` if the slot is not in it
//   hosts   number of connections per host: an IPv4 address or an IPv6 /64
//
// Invariant: the counts of the hosts add up to the length of the list; no host has count 0.
#pragma once

#include <mobula/transport/address.hpp>
#include <mobula/transport/bounded_table.hpp>
#include <vector>

namespace mobula::net {

/// List of unanswered connections, limited in total and per host.
class UnansweredStreams {
 public:
  static constexpr std::uint32_t none = ~0u;

  UnansweredStreams(std::uint32_t slots, std::uint32_t streams_max, std::uint32_t per_host_max,
                    std::uint64_t table_seed);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] bool full() const { return size_ == hosts_.capacity(); }
  [[nodiscard]] bool contains(std::uint32_t slot) const { return links_[slot].host != none; }
  /// Returns the slot of the oldest connection, or `none`.
  [[nodiscard]] std::uint32_t oldest() const { return oldest_; }
  /// Returns whether the host has reached its limit. This machine has no limit of its own.
  [[nodiscard]] bool host_is_full(const transport::Address& address) const;

  /// Adds a slot. The list must not be full or hold the slot.
  void add(std::uint32_t slot, const transport::Address& address);
  /// Removes a slot. Does nothing if the list does not hold it.
  void remove(std::uint32_t slot);
  void check() const;

 private:
  struct Link {
    std::uint32_t older = none;
    std::uint32_t newer = none;
    std::uint32_t host = none;
  };

  const std::uint32_t per_host_max_;
  std::vector<Link> links_;
  transport::BoundedTable<transport::Address, std::uint32_t> hosts_;
  std::uint32_t oldest_ = none;
  std::uint32_t newest_ = none;
  std::uint32_t size_ = 0;
};

}  // namespace mobula::net
