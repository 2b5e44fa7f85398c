// Network of a simulated cluster. Its ends are registered by address. A machine can be cut from others, or be paused.
#pragma once

#include <functional>
#include <mobula/net/client_pipe.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <set>
#include <unordered_map>
#include <utility>

namespace mobula::sim {

class Wires {
 public:
  using Receive = std::function<void(const transport::Address& from, core::ByteView datagram)>;

  Wires(std::uint64_t seed, const transport::NetworkConditions& conditions) : network(seed, conditions) {}

  /// Returns the address of a program on a machine.
  static transport::Address address(std::uint32_t machine, std::uint16_t port) {
    return transport::Address::v4(10, 0, static_cast<std::uint8_t>(machine >> 8), static_cast<std::uint8_t>(machine),
                                  port);
  }
  static std::uint32_t machine_of(const transport::Address& address) {
    return static_cast<std::uint32_t>(address.ip[14]) << 8 | static_cast<std::uint32_t>(address.ip[15]);
  }

  void attach(const transport::Address& address, Receive receive) { ends_[address] = std::move(receive); }
  void detach(const transport::Address& address) { ends_.erase(address); }
  void send(const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
    const std::pair<std::uint32_t, std::uint32_t> path = std::minmax(machine_of(from), machine_of(to));
    if (parted.contains(path) || isolated.contains(path.first) || isolated.contains(path.second)) return;
    network.send(from, to, datagram, now);
  }
  /// Delivers what has arrived. Datagrams to a paused machine wait, as in the buffers of its sockets.
  void deliver() {
    network.deliver(now, [this](const auto& from, const auto& to, core::ByteView datagram) {
      if (!paused.contains(machine_of(to))) return hand_over(from, to, datagram);
      if (waiting_.size() < waiting_max) waiting_.push_back({from, to, {datagram.begin(), datagram.end()}});
    });
  }
  void resume(std::uint32_t machine) {
    paused.erase(machine);
    for (const Waiting& each : std::exchange(waiting_, {}))
      paused.contains(machine_of(each.to)) ? waiting_.push_back(each) : hand_over(each.from, each.to, each.datagram);
  }

  transport::SimulatedNetwork network;
  core::Nanoseconds now = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> parted;  // machines without a path to each other, the lower first
  std::set<std::uint32_t> isolated;                          // machines without a path to any
  std::set<std::uint32_t> paused;

 private:
  struct Waiting {
    transport::Address from;
    transport::Address to;
    core::Bytes datagram;
  };
  static constexpr std::size_t waiting_max = 4096;

  void hand_over(const transport::Address& from, const transport::Address& to, core::ByteView datagram) const {
    const auto end = ends_.find(to);
    if (end != ends_.end()) end->second(from, datagram);
  }

  std::unordered_map<transport::Address, Receive> ends_;
  std::vector<Waiting> waiting_;
};

/// An end of a client, with an address of its own.
class WirePipe final : public net::ClientPipe {
 public:
  WirePipe(Wires& wires, const transport::Address& own) : wires_(wires), own_(own) {}
  ~WirePipe() override { wires_.detach(own_); }
  WirePipe(const WirePipe&) = delete;
  WirePipe& operator=(const WirePipe&) = delete;

  void send(const transport::Address& to, core::ByteView datagram) override { wires_.send(own_, to, datagram); }
  void on_datagram(DatagramHandler handler) override { wires_.attach(own_, std::move(handler)); }
  void on_closed(ClosedHandler /*handler*/) override {}
  [[nodiscard]] net::ClientPipeCounters counters() const override { return {}; }

 private:
  Wires& wires_;
  transport::Address own_;
};

}  // namespace mobula::sim
