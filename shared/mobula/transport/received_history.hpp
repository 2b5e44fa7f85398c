// Which sequences of the peer have come: against duplicates, and to acknowledge them.
//
// Invariant: what is acknowledged has been noted. Every noted sequence is reported at least once, and in bursts, when
// one header cannot report all of them, in two flushes, so that a lost report is no lost datagram.
#pragma once

#include <array>
#include <mobula/transport/sequence.hpp>

namespace mobula::transport {

struct Ack {
  std::uint16_t sequence = 0;
  std::uint32_t bits = 0;  // bit n: sequence - 1 - n too
};

class ReceivedHistory {
 public:
  static constexpr std::uint32_t remembered = 1024;
  static constexpr std::uint16_t acks_per_header = 33;

  enum class Novelty : std::uint8_t { fresh, duplicate, stale };
  // All sequences before the first count as received: a copy of them would be a duplicate.
  ReceivedHistory() { bits_.fill(~std::uint64_t{0}); }

  // Stale: too old to tell.
  [[nodiscard]] Novelty novelty(std::uint16_t sequence) const;
  void note(std::uint16_t sequence);

  // Once per flush, before its first next_ack().
  void begin_report();
  // For the next header. After a burst the older ones come first.
  Ack next_ack();
  // All that was to be reported in this flush has been.
  [[nodiscard]] bool reported() const { return cursor_ == newest_; }

 private:
  // Bit ~sequence % remembered, so that the bits of an Ack lie in order.
  static constexpr std::uint32_t place(std::uint16_t sequence) {
    return static_cast<std::uint32_t>(~sequence) % remembered;
  }
  [[nodiscard]] bool has(std::uint16_t sequence) const {
    return (bits_[place(sequence) / 64] >> (place(sequence) % 64) & 1) != 0;
  }
  void set(std::uint16_t sequence) { bits_[place(sequence) / 64] |= std::uint64_t{1} << (place(sequence) % 64); }
  void reset(std::uint16_t sequence) { bits_[place(sequence) / 64] &= ~(std::uint64_t{1} << (place(sequence) % 64)); }
  [[nodiscard]] Ack ack_of(std::uint16_t sequence) const;

  std::array<std::uint64_t, remembered / 64> bits_;
  std::uint16_t newest_ = 0;
  std::uint16_t cursor_ = 0;     // up to here this flush has reported
  std::uint16_t reported_ = 0;   // the newest of the last flush
  std::uint16_t confirmed_ = 0;  // the newest of the flush before it: up to here all has been reported twice
};

}  // namespace mobula::transport
