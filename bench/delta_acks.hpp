// Deltas accepted by a client of a benchmark, and the acknowledgements in its inputs.
#pragma once

#include <algorithm>
#include <mobula/wire/delta.hpp>

namespace mobula::bench {

class DeltaAcks {
 public:
  // Returns whether a delta may still be accepted.
  [[nodiscard]] bool is_new(std::uint32_t sequence) const {
    if (sequence > input_.newest) return true;
    const std::uint32_t age = input_.newest - sequence;
    return age < wire::late_max && !input_.has(age);
  }
  // Accepts a delta, each once.
  void on_delta(const wire::DeltaHeader& header) {
    received_ack_ = std::max(received_ack_, header.ack);
    tick_ = std::max(tick_, header.tick);
    if (!header.short_numbers) long_sequence_ = std::max(long_sequence_, header.sequence);
    if (header.sequence > input_.newest) move_on(header.sequence - input_.newest);
    const std::uint32_t age = input_.newest - header.sequence;
    if (age < wire::ack_history) input_.received[age / 64] |= 1ull << age % 64;
  }
  // Returns what completes the short numbers of the next delta.
  [[nodiscard]] wire::KnownNumbers known() const { return {input_.newest, tick_, input_.ack, long_sequence_}; }
  // Returns the next input. It acknowledges only deltas that the server does not know to be acknowledged.
  const wire::InputDatagram& next() {
    ++input_.ack;
    const std::uint32_t open = input_.newest - newest_at_[received_ack_ % acks_kept] + wire::late_max;
    input_.words = static_cast<std::uint8_t>((std::min(open, wire::ack_history) + 63) / 64);
    newest_at_[input_.ack % acks_kept] = input_.newest;
    return input_;
  }

 private:
  static constexpr std::uint32_t acks_kept = 256;

  void move_on(std::uint32_t steps) {
    input_.received = wire::later(input_.received, steps);
    input_.newest += steps;
  }

  wire::InputDatagram input_;
  std::uint32_t received_ack_ = 0;  // newest one that the server is known to have received
  ecs::Tick tick_ = 0;
  std::uint32_t long_sequence_ = 0;
  std::array<std::uint32_t, acks_kept> newest_at_{};  // by acknowledgement: its newest delta
};

}  // namespace mobula::bench
