// Sent datagrams and their outcomes.
//
// A datagram is waiting until it is acknowledged or declared lost. A lost one is kept for some seconds, since it may
// still be acknowledged. Late acknowledgements are the only sign of a sudden rise of the RTT.
// Invariant: oldest_waiting_ is waiting, or nothing is. Nothing before it is waiting. All waiting datagrams are stored.
#pragma once

#include <algorithm>
#include <array>
#include <mobula/core/clock.hpp>
#include <mobula/transport/number_ring.hpp>
#include <mobula/transport/sequence.hpp>

namespace mobula::transport {

/// State of a sent datagram.
enum class SentState : std::uint8_t { none, waiting, lost, acked };

/// 24 bytes.
struct SentDatagram {
  static constexpr std::size_t chunks_max = 4;

  core::Nanoseconds at = 0;
  std::array<std::uint16_t, chunks_max> chunks{};  // chunks of one lane
  std::uint16_t size = 0;
  std::uint16_t first_tag = 0;  // number of its first tag in Fates
  std::uint8_t tag_count = 0;
  std::uint8_t chunk_count = 0;
  std::uint8_t lane = 0;
  SentState state = SentState::none;
};

/// History of sent datagrams.
class SentHistory {
 public:
  static constexpr int ack_bits = 32;  // besides the acknowledged sequence itself
  static constexpr std::uint32_t capacity_min = 32;
  static constexpr std::uint32_t capacity_max = 2048;
  /// Capacity up to which it grows to keep lost datagrams of the last lost_remembered.
  static constexpr std::uint32_t capacity_for_lost = 512;
  static constexpr core::Nanoseconds lost_remembered = 5 * core::second;
  // Sequences beyond the newest acknowledged one. Each side may get this far ahead, and again as far by answers to the
  // other's datagrams. That is half of the distance at which a sequence is taken for an old one.
  static constexpr std::uint16_t unacknowledged_max = 0x2000;

  /// Returns the sequence of the next datagram passed to add().
  [[nodiscard]] std::uint16_t next() const { return next_; }
  [[nodiscard]] bool was_sent(std::uint16_t sequence) const { return is_after(next_, sequence); }
  [[nodiscard]] std::uint32_t in_flight() const { return distance(oldest_waiting_, next_); }
  /// Returns whether the peer has acknowledged nothing for so long that sequences must not rise any further.
  [[nodiscard]] bool is_used_up() const { return distance(newest_acked_, next_) > unacknowledged_max; }
  /// Requires in_flight() > 0.
  [[nodiscard]] const SentDatagram& oldest_waiting() const { return ring_[oldest_waiting_]; }

  /// Adds a datagram. If the ring is full at its maximum, the oldest is declared lost: on_lost(const SentDatagram&).
  template <class OnLost>
  void add(const SentDatagram& datagram, OnLost&& on_lost) {
    if (must_grow(datagram.at)) {
      grow();
    } else if (in_flight() == ring_.capacity()) {
      give_up_oldest(on_lost);
    }
    ring_[next_] = datagram;
    ring_[next_].state = SentState::waiting;
    if (in_flight() == 0) oldest_at_ = datagram.at;
    ++next_;
    peak_ = std::max(peak_, in_flight());
  }

  /// Handles the peer's ack and bits. Calls on_ack(const SentDatagram&, bool newest) for each datagram acknowledged for
  /// the first time. Its state is still the previous one, waiting or lost. `newest`: its sequence is `ack`.
  template <class OnAck>
  void handle_acks(std::uint16_t ack, std::uint32_t bits, OnAck&& on_ack) {
    const std::uint64_t mask = std::uint64_t{bits} << 1 | 1;  // bit n: sequence ack - n
    std::uint64_t fresh = mask & ~known_acks(ack);
    last_ack_ = ack;
    last_mask_ = mask;
    if (is_after(ack, newest_acked_)) newest_acked_ = ack;
    for (; fresh != 0; fresh &= fresh - 1) {
      const int n = std::countr_zero(fresh);
      const std::uint16_t sequence = plus(ack, -n);
      if (const std::uint16_t age = distance(sequence, next_); age == 0 || age > ring_.capacity()) continue;
      SentDatagram& datagram = ring_[sequence];
      if (datagram.state != SentState::waiting && datagram.state != SentState::lost) continue;
      on_ack(static_cast<const SentDatagram&>(datagram), n == 0);
      datagram.state = SentState::acked;
    }
    skip_decided();
  }

  /// Declares datagrams lost that later ack bits cannot reach, once the peer has acknowledged `ack`.
  template <class OnLost>
  void give_up_overtaken(std::uint16_t ack, OnLost&& on_lost) {
    while (in_flight() > 0 && is_after(ack, plus(oldest_waiting_, ack_bits))) give_up_oldest(on_lost);
  }

  /// Declares datagrams lost that were sent before `time`. Sequences are in the order of sending, so it stops at the
  /// first younger one.
  template <class OnLost>
  void give_up_sent_before(core::Nanoseconds time, OnLost&& on_lost) {
    while (in_flight() > 0 && oldest_at_ < time) give_up_oldest(on_lost);
  }

  /// Frees memory that has not been needed since the last call. Call it every few seconds.
  void trim(core::Nanoseconds now);
  void check() const;

 private:
  template <class OnLost>
  void give_up_oldest(OnLost&& on_lost) {
    SentDatagram& datagram = ring_[oldest_waiting_++];
    datagram.state = SentState::lost;
    on_lost(static_cast<const SentDatagram&>(datagram));
    skip_decided();
  }
  void skip_decided() {
    while (in_flight() > 0 && oldest_waiting().state != SentState::waiting) ++oldest_waiting_;
    if (in_flight() > 0) oldest_at_ = oldest_waiting().at;
  }
  // Bits of a mask at `ack` that the last mask already contained.
  [[nodiscard]] std::uint64_t known_acks(std::uint16_t ack) const {
    const std::uint16_t step = distance(last_ack_, ack);
    return step < 64 ? last_mask_ << step : 0;
  }
  [[nodiscard]] bool must_grow(core::Nanoseconds now) const {
    if (in_flight() == ring_.capacity()) return ring_.capacity() < capacity_max;
    return ring_.capacity() < capacity_for_lost && is_recently_lost(ring_[next_], now);
  }
  static bool is_recently_lost(const SentDatagram& datagram, core::Nanoseconds now) {
    return datagram.state == SentState::lost && now - datagram.at < lost_remembered;
  }
  void grow();
  void set_capacity(std::uint32_t capacity);

  NumberRing<SentDatagram> ring_;
  core::Nanoseconds oldest_at_ = 0;  // send time of the oldest waiting one
  std::uint64_t last_mask_ = 0;
  std::uint32_t peak_ = 0;  // maximum in flight since the last trim
  std::uint16_t last_ack_ = 0;
  std::uint16_t newest_acked_ = 0;
  std::uint16_t next_ = 1;
  std::uint16_t oldest_waiting_ = 1;
};

}  // namespace mobula::transport
