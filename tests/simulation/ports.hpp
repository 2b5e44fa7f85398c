// Outputs of the simulated server and clients.
#pragma once

#include <server/hamlet.hpp>
#include <simulation/simulation.hpp>

namespace mobula::sim {

inline constexpr core::Nanoseconds rejoin_grace = 8 * core::second;
inline constexpr std::uint32_t slow_ticks = 8;  // a slow pipe accepts packets in one tick of these

struct Simulation::ServerPort final : transport::Output {
  explicit ServerPort(Simulation& owner) : sim(owner) {}
  void send(const transport::Address& to, core::ByteView datagram) override {
    sim.check_size(datagram);
    const ecs::test::UncountedBytes network;
    sim.network_.send(test::village_address, to, datagram, sim.now_);
  }
  [[nodiscard]] bool ready(const transport::Address& to) const override {
    return to != full && (to != slow || sim.outcome_.ticks % slow_ticks == 0);
  }

  Simulation& sim;
  transport::Address full{};
  transport::Address slow{};
};

struct Simulation::ClientPort final : transport::Output {
  ClientPort(Simulation& owner, const transport::Address& address) : sim(owner), from(address) {}
  void send(const transport::Address& to, core::ByteView datagram) override {
    sim.check_size(datagram);
    for (UnauthenticatedPeer& peer : sim.unauthenticated_peers_) peer.intercept(from, datagram);
    sim.network_.send(from, to, datagram, sim.now_);
  }

  void read_into(client::Connection& connection, core::Nanoseconds now) {
    unread.read_all([&](const auto& sender, core::ByteView datagram) { connection.receive(sender, datagram, now); });
  }

  Simulation& sim;
  transport::Address from;
  Unread unread;
};

}  // namespace mobula::sim
