// Local addresses that peers have sent to, so that a socket of all addresses answers from the one that was asked. The
// kernel would take the first address of the interface, and the peer, or its NAT, drops such an answer.
//
// Most peers ask at one address, so only the others are remembered. Memory is bounded: beyond peers_max, those are
// forgotten that have sent nothing for longest, and are answered from the usual address until they send again.
#pragma once

#include <array>
#include <cstddef>
#include <mobula/transport/address.hpp>
#include <unordered_map>

namespace mobula::net {

class AskedAddresses {
 public:
  static constexpr std::size_t peers_max = 65'536;
  /// An IPv6 address, or an IPv4 address as `::ffff:a.b.c.d`.
  using Ip = std::array<std::uint8_t, 16>;

  /// Notes that a peer has sent to a local address.
  void note(const transport::Address& peer, const Ip& local);
  /// Returns the address from which to answer a peer. All zeros if nobody has sent anything.
  [[nodiscard]] const Ip& find(const transport::Address& peer) const;
  [[nodiscard]] std::size_t size() const { return recent_.size() + former_.size(); }

 private:
  using Peers = std::unordered_map<transport::Address, Ip>;

  Ip usual_{};    // all zeros before the first peer
  Peers recent_;  // they have sent since the former ones were recent
  Peers former_;
};

}  // namespace mobula::net
