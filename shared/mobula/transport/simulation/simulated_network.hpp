// A network in memory for tests and simulations: datagrams are delayed, lost, doubled, reordered, corrupted, cut off
// and held up by narrow paths as a seed decides. Same seed and same calls, same deliveries. Owns the datagrams in
// flight and reuses their memory.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/core/random.hpp>
#include <mobula/transport/address.hpp>
#include <unordered_map>
#include <vector>

namespace mobula::transport {

// Shares are in parts per million: 50'000 is 5%. As text: conditions_text.hpp.
struct NetworkConditions {
  core::Nanoseconds latency = 0;  // one way
  core::Nanoseconds jitter = 0;   // added: uniform in [0, jitter]
  std::uint32_t loss_ppm = 0;
  std::uint32_t duplicate_ppm = 0;
  std::uint32_t reorder_ppm = 0;  // held back by another latency + jitter + 1 ms
  std::uint32_t corrupt_ppm = 0;  // one to four bits flipped
  // Bursts of loss, one by one for each path from an address to another (Gilbert and Elliott's two states).
  std::uint32_t burst_ppm = 0;               // that a datagram outside a burst begins one
  std::uint32_t burst_length = 1;            // datagrams in a burst, in the mean; at least 1
  std::uint32_t burst_loss_ppm = 1'000'000;  // of the datagrams in a burst, instead of loss_ppm
  // What each path carries; 0: no limit. What would wait longer than `queue` before it is sent is dropped.
  std::uint64_t bandwidth_bytes_per_second = 0;
  core::Nanoseconds queue = 100 * core::millisecond;

  bool operator==(const NetworkConditions&) const = default;
};

// sent + duplicated = lost + cut + overflowed + delivered + in flight
struct NetworkCounters {
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;        // by chance, in bursts and outside
  std::uint64_t bursts = 0;      // that began
  std::uint64_t cut = 0;         // had no way to where they should go
  std::uint64_t overflowed = 0;  // found the queue full
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t delivered = 0;
  std::uint64_t bytes_sent = 0;
};

class SimulatedNetwork {
 public:
  // Of an address that is cut off: what it sends, what is sent to it, or both.
  enum class Way : std::uint8_t { from = 1, to = 2, both = 3 };

  SimulatedNetwork(std::uint64_t seed, const NetworkConditions& conditions);

  // For what is sent from now on.
  void set_conditions(const NetworkConditions& conditions) { conditions_ = conditions; }
  void send(const Address& from, const Address& to, core::ByteView datagram, core::Nanoseconds now);

  // Until it is healed nothing is sent that way; what is in flight still arrives. Cutting again replaces the way.
  void cut(const Address& address, Way way = Way::both);
  void heal(const Address& address);
  // The same for one path, in one direction. An address and its paths are cut and healed apart.
  void cut_path(const Address& from, const Address& to);
  void heal_path(const Address& from, const Address& to);

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
  // Looks at all that is in flight.
  [[nodiscard]] bool in_flight_to(const Address& to) const;
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

  struct Ends {
    Address from;
    Address to;
    bool operator==(const Ends&) const = default;
  };
  struct HashEnds {
    std::size_t operator()(const Ends& ends) const noexcept;
  };
  // From one address to another. One that is idle is forgotten: it is as if it had never been used.
  struct Path {
    core::Nanoseconds busy_until = 0;
    bool in_burst = false;
    bool cut = false;
  };

  bool take(core::Nanoseconds now, Flight& flight);
  void recycle(Flight& flight);
  void launch(const Ends& ends, core::ByteView datagram, core::Nanoseconds now);
  void corrupt(core::Bytes& bytes);
  core::Nanoseconds delay();
  bool hit(std::uint32_t share_ppm);
  bool is_cut(const Ends& ends) const;
  bool is_lost(Path& path);
  bool overflows(const Path& path, core::Nanoseconds now) const;
  core::Nanoseconds pass(Path& path, std::size_t bytes, core::Nanoseconds now) const;
  Path& path(const Ends& ends, core::Nanoseconds now);
  void forget_idle_paths(core::Nanoseconds now);

  core::Random random_;
  NetworkConditions conditions_;
  NetworkCounters counters_;
  std::vector<Flight> flights_;  // heap, earliest first
  std::vector<core::Bytes> spare_;
  std::uint64_t order_ = 0;
  std::unordered_map<Address, Way> cuts_;
  std::unordered_map<Ends, Path, HashEnds> paths_;  // only while conditions or cuts need them
  std::size_t paths_worth_a_look_ = 1024;           // so many: some may be idle
};

}  // namespace mobula::transport
