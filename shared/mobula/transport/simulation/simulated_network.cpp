#include <algorithm>
#include <mobula/core/hash.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>

namespace mobula::transport {
namespace {

constexpr std::uint32_t all_ppm = 1'000'000;

bool includes(SimulatedNetwork::Way cut, SimulatedNetwork::Way way) {
  return (static_cast<unsigned>(cut) & static_cast<unsigned>(way)) != 0;
}

}  // namespace

SimulatedNetwork::SimulatedNetwork(std::uint64_t seed, const NetworkConditions& conditions)
    : random_(seed), conditions_(conditions) {}

std::size_t SimulatedNetwork::HashEnds::operator()(const Ends& ends) const noexcept {
  return core::hash64(core::as_bytes(&ends, 1));
}

void SimulatedNetwork::send(const Address& from, const Address& to, core::ByteView datagram, core::Nanoseconds now) {
  const Ends ends{from, to};
  ++counters_.sent;
  counters_.bytes_sent += datagram.size();
  if (is_cut(ends, datagram.size())) {
    ++counters_.cut;
    return;
  }
  Path none;
  Path& on = conditions_.burst_ppm > 0 || conditions_.bandwidth_bytes_per_second > 0 ? path(ends, now) : none;
  if (overflows(on, now)) {
    ++counters_.overflowed;
    return;
  }
  const core::Nanoseconds sent_at = transmit(on, datagram.size(), now);
  if (is_lost(on)) {
    ++counters_.lost;
    return;
  }
  launch(ends, datagram, sent_at);
  if (chance(conditions_.duplicate_ppm)) {
    ++counters_.duplicated;
    launch(ends, datagram, sent_at);
  }
}

// A share of 0 draws no random number, so that disabled conditions do not change the results of others.
bool SimulatedNetwork::chance(std::uint32_t share_ppm) { return share_ppm > 0 && random_.chance(share_ppm, all_ppm); }

bool SimulatedNetwork::is_lost(Path& path) {
  if (conditions_.burst_ppm == 0) path.in_burst = false;
  if (!path.in_burst && chance(conditions_.burst_ppm)) {
    path.in_burst = true;
    ++counters_.bursts;
  }
  if (!path.in_burst) return chance(conditions_.loss_ppm);
  path.in_burst = !random_.chance(1, std::max(1u, conditions_.burst_length));
  return chance(conditions_.burst_loss_ppm);
}

bool SimulatedNetwork::overflows(const Path& path, core::Nanoseconds now) const {
  return conditions_.bandwidth_bytes_per_second > 0 && path.busy_until > now + conditions_.queue;
}

// Returns the time at which the datagram's last byte is sent.
core::Nanoseconds SimulatedNetwork::transmit(Path& path, std::size_t bytes, core::Nanoseconds now) const {
  if (conditions_.bandwidth_bytes_per_second == 0) return now;
  const std::uint64_t duration =
      bytes * static_cast<std::uint64_t>(core::second) / conditions_.bandwidth_bytes_per_second;
  path.busy_until = std::max(path.busy_until, now) + static_cast<core::Nanoseconds>(duration);
  return path.busy_until;
}

SimulatedNetwork::Path& SimulatedNetwork::path(const Ends& ends, core::Nanoseconds now) {
  if (paths_.size() >= path_cleanup_size_) forget_idle_paths(now);
  return paths_[ends];
}

void SimulatedNetwork::forget_idle_paths(core::Nanoseconds now) {
  std::erase_if(paths_, [now](const auto& entry) {
    const Path& path = entry.second;
    return path.busy_until <= now && !path.in_burst && !path.cut;
  });
  path_cleanup_size_ = std::max(path_cleanup_size_, paths_.size() * 2);
}

void SimulatedNetwork::heal(const Address& address) { cuts_.erase(address); }
void SimulatedNetwork::cut_path(const Address& from, const Address& to) { paths_[{from, to}].cut = true; }
void SimulatedNetwork::heal_path(const Address& from, const Address& to) {
  if (const auto found = paths_.find({from, to}); found != paths_.end()) found->second.cut = false;
}

bool SimulatedNetwork::is_cut(const Ends& ends, std::size_t bytes) const {
  const auto cut_off = [&](const Address& address, Way way) {
    const auto found = cuts_.find(address);
    return found != cuts_.end() && bytes > found->second.bytes && includes(found->second.way, way);
  };
  if (!cuts_.empty() && (cut_off(ends.from, Way::from) || cut_off(ends.to, Way::to))) return true;
  if (paths_.empty()) return false;
  const auto found = paths_.find(ends);
  return found != paths_.end() && found->second.cut;
}

void SimulatedNetwork::launch(const Ends& ends, core::ByteView datagram, core::Nanoseconds now) {
  Flight flight{.at = now + delay(), .order = order_++, .from = ends.from, .to = ends.to, .bytes = {}};
  if (!spare_.empty()) {
    flight.bytes = std::move(spare_.back());
    spare_.pop_back();
  }
  flight.bytes.assign(datagram.begin(), datagram.end());
  if (chance(conditions_.corrupt_ppm)) corrupt(flight.bytes);
  flights_.push_back(std::move(flight));
  std::push_heap(flights_.begin(), flights_.end(), later);
}

core::Nanoseconds SimulatedNetwork::delay() {
  core::Nanoseconds delay = conditions_.latency;
  if (conditions_.jitter > 0) {
    delay += static_cast<core::Nanoseconds>(random_.next() % static_cast<std::uint64_t>(conditions_.jitter + 1));
  }
  if (chance(conditions_.reorder_ppm)) {
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

bool SimulatedNetwork::pop_arrived(core::Nanoseconds now, Flight& flight) {
  if (flights_.empty() || flights_.front().at > now) return false;
  std::pop_heap(flights_.begin(), flights_.end(), later);
  flight = std::move(flights_.back());
  flights_.pop_back();
  ++counters_.delivered;
  return true;
}

void SimulatedNetwork::recycle(Flight& flight) { spare_.push_back(std::move(flight.bytes)); }

bool SimulatedNetwork::in_flight_to(const Address& to) const {
  return std::any_of(flights_.begin(), flights_.end(), [&](const Flight& flight) { return flight.to == to; });
}

}  // namespace mobula::transport
