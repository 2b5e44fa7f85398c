#include <algorithm>
#include <mobula/client/connection/delta_progress.hpp>

namespace mobula::client {

bool DeltaProgress::is_new(std::uint32_t sequence) const {
  if (sequence > input_.newest) return true;
  const std::uint32_t age = input_.newest - sequence;
  return age < wire::late_max && !input_.has(age);
}

std::uint32_t DeltaProgress::on_received(const wire::DeltaHeader& header) {
  const bool late = is_late(header.sequence);
  std::uint32_t given_up = 0;
  wire::InputDatagram& acks = input_;
  if (late) {
    const std::uint32_t age = acks.newest - header.sequence;
    acks.received[age / 64] |= 1ull << age % 64;
  } else {
    given_up = count_given_up(header.sequence - acks.newest);
    note_newest(header.sequence);
    server_complete_ = header.complete;
  }
  has_news_ = true;
  arrivals_.add(header.sequence);
  tick_ = std::max(tick_, header.tick);
  if (!header.short_numbers) long_sequence_ = std::max(long_sequence_, header.sequence);
  complete_ = server_complete_ && none_missing();
  return given_up;
}

void DeltaProgress::note_newest(std::uint32_t sequence) {
  input_.received = wire::later(input_.received, sequence - input_.newest);
  input_.received[0] |= 1;
  input_.newest = sequence;
}

// Counts the missing deltas that become too old to be accepted when the newest advances by `steps`.
std::uint32_t DeltaProgress::count_given_up(std::uint32_t steps) const {
  std::uint32_t count = steps > wire::late_max ? steps - wire::late_max : 0;
  for (std::uint32_t age = wire::late_max - std::min(steps, wire::late_max); age < wire::late_max; ++age)
    if (age < input_.newest && !input_.has(age)) ++count;
  return count;
}

// Considers the deltas whose fate the server did not know when it sent the newest: of all others it knew what was lost.
bool DeltaProgress::none_missing() const {
  const std::uint32_t open = input_.newest - newest_acknowledged();
  if (open > wire::ack_history) return false;
  for (std::uint32_t age = 0; age < open; ++age)
    if (!input_.has(age)) return false;
  return true;
}

// Returns the newest delta whose fate the server knows. 0 if there is none, or it is too long ago.
std::uint32_t DeltaProgress::newest_acknowledged() const {
  const bool is_kept = input_.ack - acknowledged_ < acknowledgements_kept;
  return is_kept ? newest_at_[acknowledged_ % acknowledgements_kept] : 0;
}

wire::InputDatagram& DeltaProgress::acknowledge() {
  ++input_.ack;
  has_news_ = false;
  // The server knows whether deltas further back were received.
  const std::uint32_t open = std::min(input_.newest - newest_acknowledged() + wire::late_max, wire::ack_history);
  input_.words = static_cast<std::uint8_t>(std::max(1u, (open + 63) / 64));
  newest_at_[input_.ack % acknowledgements_kept] = input_.newest;
  return input_;
}

}  // namespace mobula::client
