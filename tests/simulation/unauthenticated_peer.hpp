// Somebody who sends the server what no client would, now and then very much of it: noise, datagrams of others once
// more and somewhat changed, and requests with tokens that are another's, or nobody's. They have no session, and must
// never get one.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/random.hpp>
#include <mobula/transport/address.hpp>
#include <vector>

namespace mobula::sim {

class UnauthenticatedPeer {
 public:
  UnauthenticatedPeer(std::uint64_t seed, const transport::Address& own) : random_(seed), own_(own) {}

  // What goes to the server passes by.
  void overhear(const transport::Address& from, core::ByteView datagram);
  // send(from, datagram), some times.
  template <class Send>
  void act(Send&& send) {
    for (std::uint32_t count = random_.below(6); count > 0; --count) {
      const Letter letter = make();
      send(letter.from, core::ByteView(letter.bytes));
    }
    flood(send);
  }

 private:
  struct Letter {
    transport::Address from;
    core::Bytes bytes;
  };
  static constexpr std::uint32_t kept = 64;
  static constexpr std::uint32_t floods_each = 3000;  // ticks
  static constexpr std::uint32_t flood_ticks = 140;
  static constexpr std::uint32_t flood_datagrams = 300;  // in a tick: a session may send a hundred

  // With a datagram that somebody might have sent, in his name, for longer than a session may.
  template <class Send>
  void flood(Send&& send) {
    if (flood_ticks_ == 0 && (heard_.empty() || !random_.chance(1, floods_each))) return;
    if (flood_ticks_ == 0) {
      flood_ticks_ = flood_ticks;
      flood_ = heard_[random_.below(static_cast<std::uint32_t>(heard_.size()))];
      if (!flood_.bytes.empty()) flood_.bytes.back() ^= std::byte{1};
    }
    --flood_ticks_;
    for (std::uint32_t count = flood_datagrams; count > 0; --count) send(flood_.from, core::ByteView(flood_.bytes));
  }

  [[nodiscard]] Letter make();

  core::Random random_;
  transport::Address own_;
  std::vector<Letter> heard_;
  Letter flood_;
  std::uint32_t flood_ticks_ = 0;  // left
};

}  // namespace mobula::sim
