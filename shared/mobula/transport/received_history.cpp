#include <mobula/transport/received_history.hpp>

namespace mobula::transport {
namespace {

// Reports reach back no further, so that the 32 bits of an ack never wrap around the ring.
constexpr std::uint16_t report_reach = ReceivedHistory::remembered - 64;

}  // namespace

ReceivedHistory::Novelty ReceivedHistory::novelty(std::uint16_t sequence) const {
  if (is_after(sequence, newest_)) return Novelty::fresh;
  if (distance(sequence, newest_) >= remembered) return Novelty::stale;
  return has(sequence) ? Novelty::duplicate : Novelty::fresh;
}

void ReceivedHistory::note(std::uint16_t sequence) {
  if (is_after(sequence, newest_)) {
    if (distance(newest_, sequence) >= remembered) {
      bits_.fill(0);
    } else {
      for (std::uint16_t s = plus(newest_, 1); s != sequence; ++s) reset(s);
    }
    newest_ = sequence;
  } else {
    // A late datagram is reported too.
    for (std::uint16_t* mark : {&cursor_, &reported_, &confirmed_}) {
      if (!is_after(sequence, *mark)) *mark = plus(sequence, -1);
    }
  }
  set(sequence);
}

void ReceivedHistory::begin_report() {
  cursor_ = confirmed_;
  if (distance(cursor_, newest_) > report_reach) cursor_ = plus(newest_, -static_cast<int>(report_reach));
  confirmed_ = reported_;
  reported_ = newest_;
}

Ack ReceivedHistory::next_ack() {
  while (distance(cursor_, newest_) > acks_per_header) {
    const std::uint16_t before = cursor_;
    cursor_ = plus(before, acks_per_header);
    for (std::uint16_t s = cursor_; s != before; --s) {
      if (has(s)) return ack_of(s);
    }
  }
  cursor_ = newest_;
  return ack_of(newest_);
}

Ack ReceivedHistory::ack_of(std::uint16_t sequence) const {
  const std::uint32_t start = static_cast<std::uint32_t>(-sequence) % remembered;  // bit of sequence - 1
  const std::uint32_t shift = start % 64;
  std::uint64_t bits = bits_[start / 64] >> shift;
  if (shift > 32) bits |= bits_[(start / 64 + 1) % bits_.size()] << (64 - shift);
  return {sequence, static_cast<std::uint32_t>(bits)};
}

}  // namespace mobula::transport
