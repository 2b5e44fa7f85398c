#include <algorithm>
#include <mobula/transport/simulated_network.hpp>

namespace mobula::transport {

SimulatedNetwork::SimulatedNetwork(std::uint64_t seed, const NetworkConditions& conditions)
    : random_(seed), conditions_(conditions) {}

void SimulatedNetwork::send(const Address& from, const Address& to, core::ByteView datagram, core::Nanoseconds now) {
  ++counters_.sent;
  counters_.bytes_sent += datagram.size();
  if (random_.chance(conditions_.loss_permille, 1000)) {
    ++counters_.lost;
    return;
  }
  launch(from, to, datagram, now);
  if (random_.chance(conditions_.duplicate_permille, 1000)) {
    ++counters_.duplicated;
    launch(from, to, datagram, now);
  }
}

void SimulatedNetwork::launch(const Address& from, const Address& to, core::ByteView datagram, core::Nanoseconds now) {
  Flight flight{.at = now + delay(), .order = order_++, .from = from, .to = to, .bytes = {}};
  if (!spare_.empty()) {
    flight.bytes = std::move(spare_.back());
    spare_.pop_back();
  }
  flight.bytes.assign(datagram.begin(), datagram.end());
  if (random_.chance(conditions_.corrupt_permille, 1000)) corrupt(flight.bytes);
  flights_.push_back(std::move(flight));
  std::push_heap(flights_.begin(), flights_.end(), later);
}

core::Nanoseconds SimulatedNetwork::delay() {
  core::Nanoseconds delay = conditions_.latency;
  if (conditions_.jitter > 0) {
    delay += static_cast<core::Nanoseconds>(random_.next() % static_cast<std::uint64_t>(conditions_.jitter + 1));
  }
  if (random_.chance(conditions_.reorder_permille, 1000)) {
    ++counters_.reordered;
    delay += conditions_.latency + conditions_.jitter + core::millisecond;
  }
  return delay;
}

void SimulatedNetwork::corrupt(core::Bytes& bytes) {
  if (bytes.empty()) return;
  ++counters_.corrupted;
  for (std::uint32_t flips = 1 + random_.below(4); flips > 0; --flips) {
    const std::uint32_t bit = random_.below(static_cast<std::uint32_t>(bytes.size() * 8));
    bytes[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
  }
}

bool SimulatedNetwork::take(core::Nanoseconds now, Flight& flight) {
  if (flights_.empty() || flights_.front().at > now) return false;
  std::pop_heap(flights_.begin(), flights_.end(), later);
  flight = std::move(flights_.back());
  flights_.pop_back();
  ++counters_.delivered;
  return true;
}

void SimulatedNetwork::recycle(Flight& flight) { spare_.push_back(std::move(flight.bytes)); }

}  // namespace mobula::transport
