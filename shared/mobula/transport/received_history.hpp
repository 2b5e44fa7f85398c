// Received sequences of the peer, to detect duplicates and to acknowledge them.
//
// Invariant: only noted sequences are acknowledged. Every noted sequence is reported at least once. A burst that one
// header cannot report is reported in two flushes: a lost report must not look like lost datagrams.
#pragma once

#include <array>
#include <mobula/transport/sequence.hpp>

namespace mobula::transport {

/// Acknowledgement of a sequence and of the 32 before it.
struct Ack {
  std::uint16_t sequence = 0;
  std::uint32_t bits = 0;  // bit n: sequence - 1 - n was received too
};

/// History of received sequences.
class ReceivedHistory {
 public:
  static constexpr std::uint32_t remembered = 1024;
  static constexpr std::uint16_t acks_per_header = 33;

  enum class Novelty : std::uint8_t { fresh, duplicate, stale };
  /// Sequences before the first count as received, so a datagram with one is a duplicate.
  ReceivedHistory() { bits_.fill(~std::uint64_t{0}); }

  /// Classifies a sequence. stale: too old to be known.
  [[nodiscard]] Novelty novelty(std::uint16_t sequence) const;
  void note(std::uint16_t sequence);

  /// Starts the report of a flush. Call it once per flush, before the first next_ack().
  void begin_report();
  /// Returns the ack for the next header. After a burst older sequences are reported first.
  Ack next_ack();
  /// Returns whether this flush has reported everything.
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
  std::uint16_t cursor_ = 0;     // reported by this flush up to here
  std::uint16_t reported_ = 0;   // newest of the last flush
  std::uint16_t confirmed_ = 0;  // newest of the flush before; reported twice up to here
};

}  // namespace mobula::transport
