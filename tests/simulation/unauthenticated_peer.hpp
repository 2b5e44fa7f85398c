// Unauthenticated peer: has no session and must never get one. It sends the server noise, replayed and modified
// datagrams, and requests with stolen or invalid tokens; sometimes it floods.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/random.hpp>
#include <mobula/transport/address.hpp>
#include <vector>

namespace mobula::sim {

class UnauthenticatedPeer {
 public:
  UnauthenticatedPeer(std::uint64_t seed, const transport::Address& own) : random_(seed), own_(own) {}

  // Called for each datagram sent to the server.
  void intercept(const transport::Address& from, core::ByteView datagram);
  // Calls send(from, datagram) for each datagram of a tick.
  template <class Send>
  void act(Send&& send) {
    for (std::uint32_t count = random_.below(6); count > 0; --count) {
      const Packet packet = make();
      send(packet.from, core::ByteView(packet.bytes));
    }
    flood(send);
  }

 private:
  struct Packet {
    transport::Address from;
    core::Bytes bytes;
  };
  static constexpr std::uint32_t kept = 64;
  static constexpr std::uint32_t floods_each = 3000;  // ticks
  static constexpr std::uint32_t flood_ticks = 140;
  static constexpr std::uint32_t flood_datagrams = 300;  // per tick; a session may send a hundred

  // Repeats a modified datagram under another client's address, for longer than a session may.
  template <class Send>
  void flood(Send&& send) {
    if (flood_ticks_ == 0 && (intercepted_.empty() || !random_.chance(1, floods_each))) return;
    if (flood_ticks_ == 0) {
      flood_ticks_ = flood_ticks;
      flood_ = intercepted_[random_.below(static_cast<std::uint32_t>(intercepted_.size()))];
      if (!flood_.bytes.empty()) flood_.bytes.back() ^= std::byte{1};
    }
    --flood_ticks_;
    for (std::uint32_t count = flood_datagrams; count > 0; --count) send(flood_.from, core::ByteView(flood_.bytes));
  }

  [[nodiscard]] Packet make();

  core::Random random_;
  transport::Address own_;
  std::vector<Packet> intercepted_;
  Packet flood_;
  std::uint32_t flood_ticks_ = 0;  // remaining
};

}  // namespace mobula::sim
