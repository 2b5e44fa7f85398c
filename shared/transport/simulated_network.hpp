// A network in memory for tests and simulations: datagrams are delayed, lost, doubled, reordered and corrupted
// as a seed decides. Same seed and same calls, same deliveries. Owns the datagrams in flight and reuses their memory.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/core/random.hpp>
#include <mobula/transport/address.hpp>
#include <vector>

namespace mobula::transport {

struct NetworkConditions {
  core::Nanoseconds latency = 0;  // one way
  core::Nanoseconds jitter = 0;   // added: uniform in [0, jitter]
  std::uint32_t loss_permille = 0;
  std::uint32_t duplicate_permille = 0;
  std::uint32_t reorder_permille = 0;  // held back by another latency + jitter + 1 ms
  std::uint32_t corrupt_permille = 0;  // one to four bits flipped
};

struct NetworkCounters {
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t delivered = 0;
  std::uint64_t bytes_sent = 0;
};

class SimulatedNetwork {
 public:
  SimulatedNetwork(std::uint64_t seed, const NetworkConditions& conditions);

  // For what is sent from now on.
  void set_conditions(const NetworkConditions& conditions) { conditions_ = conditions; }
  void send(const Address& from, const Address& to, core::ByteView datagram, core::Nanoseconds now);

  // Hands out what has arrived by `now`, oldest first: receive(from, to, datagram). It may send.
  template <class Receive>
  void deliver(core::Nanoseconds now, Receive&& receive) {
    Flight flight;
    while (take(now, flight)) {
      receive(static_cast<const Address&>(flight.from), static_cast<const Address&>(flight.to),
              core::ByteView(flight.bytes));
      recycle(flight);
    }
  }

  [[nodiscard]] std::size_t in_flight() const { return flights_.size(); }
  // When the next datagram arrives; undefined when none is in flight.
  [[nodiscard]] core::Nanoseconds next_arrival() const { return flights_.front().at; }
  [[nodiscard]] const NetworkCounters& counters() const { return counters_; }

 private:
  struct Flight {
    core::Nanoseconds at = 0;
    std::uint64_t order = 0;  // equal times arrive as they were sent
    Address from;
    Address to;
    core::Bytes bytes;
  };
  static bool later(const Flight& a, const Flight& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }

  bool take(core::Nanoseconds now, Flight& flight);
  void recycle(Flight& flight);
  void launch(const Address& from, const Address& to, core::ByteView datagram, core::Nanoseconds now);
  void corrupt(core::Bytes& bytes);
  core::Nanoseconds delay();

  core::Random random_;
  NetworkConditions conditions_;
  NetworkCounters counters_;
  std::vector<Flight> flights_;  // heap, earliest first
  std::vector<core::Bytes> spare_;
  std::uint64_t order_ = 0;
};

}  // namespace mobula::transport
