// Somebody who sends the server what no client would: noise, datagrams of others once more and somewhat changed, and
// requests with tokens that are another's, or nobody's. They have no session, and must never get one.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/random.hpp>
#include <mobula/transport/address.hpp>
#include <vector>

namespace mobula::sim {

class Hostile {
 public:
  Hostile(std::uint64_t seed, const transport::Address& own) : random_(seed), own_(own) {}

  // What goes to the server passes by.
  void overhear(const transport::Address& from, core::ByteView datagram);
  // send(from, datagram), some times.
  template <class Send>
  void act(Send&& send) {
    for (std::uint32_t count = random_.below(6); count > 0; --count) {
      const Letter letter = make();
      send(letter.from, core::ByteView(letter.bytes));
    }
  }

 private:
  struct Letter {
    transport::Address from;
    core::Bytes bytes;
  };
  static constexpr std::uint32_t kept = 64;

  [[nodiscard]] Letter make();

  core::Random random_;
  transport::Address own_;
  std::vector<Letter> heard_;
};

}  // namespace mobula::sim
