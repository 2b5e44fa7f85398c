// The accepted connections to which nothing has been sent yet: anybody can make those, so they are few, few for each
// host, and the oldest of them gives way to the next. Who is answered has shown a token, and is no longer among them.
//
//   links   by slot of the connection {older, newer, host}: a list by age; not in it: host is none
//   hosts   how many a host has: an IPv4 address, or an IPv6 network of 64 bits, of which one has 2^64 addresses
//
// Invariant: the hosts' counts add up to the length of the list; no host is kept that has none.
#pragma once

#include <mobula/transport/address.hpp>
#include <mobula/transport/bounded_table.hpp>
#include <vector>

namespace mobula::net {

class UnansweredStreams {
 public:
  static constexpr std::uint32_t none = ~0u;

  UnansweredStreams(std::uint32_t slots, std::uint32_t streams_max, std::uint32_t per_host_max,
                    std::uint64_t table_seed);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] bool full() const { return size_ == hosts_.capacity(); }
  [[nodiscard]] bool contains(std::uint32_t slot) const { return links_[slot].host != none; }
  // The slot, or none.
  [[nodiscard]] std::uint32_t oldest() const { return oldest_; }
  // This machine may have as many as there are at all.
  [[nodiscard]] bool host_is_full(const transport::Address& address) const;

  // It is not full and the slot is not among them.
  void add(std::uint32_t slot, const transport::Address& address);
  // A slot that is not among them is none of ours.
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
