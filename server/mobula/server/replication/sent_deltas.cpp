#include <mobula/core/assert.hpp>
#include <mobula/server/replication/sent_deltas.hpp>

namespace mobula::server {

void SentDeltas::begin(ecs::Tick tick) {
  MOBULA_ASSERT(unsettled() < window_max, "more unsettled deltas than an acknowledgement covers");
  ++last_;
  if (last_ % trimmed_each == 0) groups_.trim(), hashes_.trim();
  deltas_[last_ % wire::ack_history] = {
      .begin = groups_.end(), .first_hash = hashes_.end(), .tick = tick, .count = 0, .state = State::unknown};
}

void SentDeltas::forget_settled() {
  while (settled_ != last_ && deltas_[(settled_ + 1) % wire::ack_history].state == State::settled) ++settled_;
  const Record* const oldest = settled_ != last_ ? &deltas_[(settled_ + 1) % wire::ack_history] : nullptr;
  groups_.forget_before(oldest != nullptr ? oldest->begin : groups_.end());
  hashes_.forget_before(oldest != nullptr ? oldest->first_hash : hashes_.end());
}

}  // namespace mobula::server
