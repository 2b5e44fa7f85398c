// In-memory network for tests and simulations. Datagrams are delayed, lost, duplicated, reordered, corrupted, cut off
// and queued at narrow paths. Deterministic: equal seeds and calls give equal deliveries. Owns the datagrams in flight
// and reuses their memory.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/core/random.hpp>
#include <mobula/transport/address.hpp>
#include <unordered_map>
#include <vector>

namespace mobula::transport {

/// Conditions of a network. Shares are parts per million: 50'000 is 5%. Text form: conditions_text.hpp.
struct NetworkConditions {
  core::Nanoseconds latency = 0;  // one way
  core::Nanoseconds jitter = 0;   // added to the latency: uniform in [0, jitter]
  std::uint32_t loss_ppm = 0;
  std::uint32_t duplicate_ppm = 0;
  std::uint32_t reorder_ppm = 0;  // delayed by another latency + jitter + 1 ms
  std::uint32_t corrupt_ppm = 0;  // one to four flipped bits
  /// Bursts of loss, separately for each path from one address to another (two-state Gilbert-Elliott model).
  std::uint32_t burst_ppm = 0;               // chance that a datagram outside a burst begins one
  std::uint32_t burst_length = 1;            // mean length in datagrams; at least 1
  std::uint32_t burst_loss_ppm = 1'000'000;  // loss within a burst, instead of loss_ppm
  /// Bandwidth of each path; 0 disables the limit. Datagrams that would be queued longer than `queue` are dropped.
  std::uint64_t bandwidth_bytes_per_second = 0;
  core::Nanoseconds queue = 100 * core::millisecond;

  bool operator==(const NetworkConditions&) const = default;
};

/// sent + duplicated = lost + cut + overflowed + delivered + in flight
struct NetworkCounters {
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;        // randomly, inside and outside of bursts
  std::uint64_t bursts = 0;      // begun
  std::uint64_t cut = 0;         // sent on a cut path, or above its limit
  std::uint64_t overflowed = 0;  // found the queue full
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t delivered = 0;
  std::uint64_t bytes_sent = 0;
};

/// Deterministic in-memory network.
class SimulatedNetwork {
 public:
  /// Direction of a cut: datagrams from the address, to it, or both.
  enum class Way : std::uint8_t { from = 1, to = 2, both = 3 };

  SimulatedNetwork(std::uint64_t seed, const NetworkConditions& conditions);

  /// Applies to datagrams sent from now on.
  void set_conditions(const NetworkConditions& conditions) { conditions_ = conditions; }
  /// Sends a datagram under the present conditions. It is copied.
  void send(const Address& from, const Address& to, core::ByteView datagram, core::Nanoseconds now);

  /// Drops datagrams in that direction until heal(). Datagrams in flight still arrive. Another cut or limit of the
  /// address replaces this one.
  void cut(const Address& address, Way way = Way::both) { limit(address, 0, way); }
  /// Drops datagrams of more than `bytes` in that direction until heal().
  void limit(const Address& address, std::size_t bytes, Way way = Way::both) { cuts_[address] = {way, bytes}; }
  /// Ends the cut or limit of the address, if there is one.
  void heal(const Address& address);
  /// Drops datagrams on one path in one direction. Cuts of addresses and of paths are independent.
  void cut_path(const Address& from, const Address& to);
  void heal_path(const Address& from, const Address& to);

  /// Delivers datagrams that arrive up to `now`, oldest first: receive(from, to, datagram), which may send.
  template <class Receive>
  void deliver(core::Nanoseconds now, Receive&& receive) {
    Flight flight;
    while (pop_arrived(now, flight)) {
      receive(static_cast<const Address&>(flight.from), static_cast<const Address&>(flight.to),
              core::ByteView(flight.bytes));
      recycle(flight);
    }
  }

  [[nodiscard]] std::size_t in_flight() const { return flights_.size(); }
  /// Returns whether a datagram to this address is in flight. Linear in the number of datagrams in flight.
  [[nodiscard]] bool in_flight_to(const Address& to) const;
  /// Returns the arrival time of the next datagram. Requires in_flight() > 0.
  [[nodiscard]] core::Nanoseconds next_arrival() const { return flights_.front().at; }
  [[nodiscard]] const NetworkCounters& counters() const { return counters_; }

 private:
  struct Flight {
    core::Nanoseconds at = 0;
    std::uint64_t order = 0;  // keeps the order of sending for equal times
    Address from;
    Address to;
    core::Bytes bytes;
  };
  static bool later(const Flight& a, const Flight& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }

  // Datagrams of more than `bytes` are dropped.
  struct Cut {
    Way way = Way::both;
    std::size_t bytes = 0;
  };
  struct Ends {
    Address from;
    Address to;
    bool operator==(const Ends&) const = default;
  };
  struct HashEnds {
    std::size_t operator()(const Ends& ends) const noexcept;
  };
  // State of the path from one address to another. Idle paths are removed: they equal unused ones.
  struct Path {
    core::Nanoseconds busy_until = 0;
    bool in_burst = false;
    bool cut = false;
  };

  bool pop_arrived(core::Nanoseconds now, Flight& flight);
  void recycle(Flight& flight);
  void launch(const Ends& ends, core::ByteView datagram, core::Nanoseconds now);
  void corrupt(core::Bytes& bytes);
  core::Nanoseconds delay();
  bool chance(std::uint32_t share_ppm);
  bool is_cut(const Ends& ends, std::size_t bytes) const;
  bool is_lost(Path& path);
  bool overflows(const Path& path, core::Nanoseconds now) const;
  core::Nanoseconds transmit(Path& path, std::size_t bytes, core::Nanoseconds now) const;
  Path& path(const Ends& ends, core::Nanoseconds now);
  void forget_idle_paths(core::Nanoseconds now);

  core::Random random_;
  NetworkConditions conditions_;
  NetworkCounters counters_;
  std::vector<Flight> flights_;  // heap, earliest first
  std::vector<core::Bytes> spare_;
  std::uint64_t order_ = 0;
  std::unordered_map<Address, Cut> cuts_;
  std::unordered_map<Ends, Path, HashEnds> paths_;  // only while conditions or cuts need them
  std::size_t path_cleanup_size_ = 1024;            // from this number on, idle paths are removed
};

}  // namespace mobula::transport
