#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/server/sent_deltas.hpp>

namespace mobula::server {

void SentDeltas::begin(ecs::Tick tick) {
  MOBULA_ASSERT(unsettled() < window_max, "the client's acknowledgements tell of so many deltas");
  ++last_;
  deltas_[last_ % wire::ack_history] = {.begin = end_, .count = 0, .state = State::unknown, .tick = tick};
}

void SentDeltas::grow() {
  const std::size_t size = std::max<std::size_t>(64, 2 * ring_.size());
  std::vector<std::uint32_t> ring(size);
  std::vector<std::uint64_t> hashes(keeps_hashes_ ? size : 0);
  for (std::uint32_t i = begin_; i != end_; ++i) {
    ring[i & (size - 1)] = ring_[i & (ring_.size() - 1)];
    if (keeps_hashes_) hashes[i & (size - 1)] = hashes_[i & (ring_.size() - 1)];
  }
  ring_.swap(ring);
  hashes_.swap(hashes);
}

void SentDeltas::forget_settled() {
  while (settled_ != last_ && deltas_[(settled_ + 1) % wire::ack_history].state == State::settled) {
    ++settled_;
    begin_ += deltas_[settled_ % wire::ack_history].count;
  }
}

}  // namespace mobula::server
