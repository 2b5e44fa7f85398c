// A server endpoint and any number of client endpoints on a simulated network, for tests.
#pragma once

#include <functional>
#include <memory>
#include <mobula/transport/client_endpoint.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <mobula/transport/simulated_network.hpp>
#include <vector>

namespace mobula::transport {

inline const Address server_address = Address::v4(10, 0, 0, 1, 7777);
inline Address client_address(std::size_t index) {
  return Address::v4(10, 1, static_cast<std::uint8_t>(index >> 8), static_cast<std::uint8_t>(index), 5000);
}

inline ServerConfig server_config(std::uint32_t sessions_max = 8) {
  ServerConfig config;
  config.sessions_max = sessions_max;
  config.secret.fill(std::byte{0x5a});
  return config;
}

// Keeps what is sent.
struct Captured : Output {
  void send(const Address& to, core::ByteView datagram) override {
    addresses.push_back(to);
    datagrams.emplace_back(datagram.begin(), datagram.end());
  }
  std::vector<Address> addresses;
  std::vector<core::Bytes> datagrams;
};

struct EndpointWorld {
  explicit EndpointWorld(const ServerConfig& config = server_config(), const NetworkConditions& conditions = {},
                         std::uint64_t seed = 1)
      : network(seed, conditions), server(config) {}

  struct Port : Output {
    Port(EndpointWorld& owner, const Address& address) : world(owner), from(address) {}
    void send(const Address& to, core::ByteView datagram) override {
      if (world.filter && !world.filter(from, to, datagram)) return;
      world.network.send(from, to, datagram, world.now);
    }
    EndpointWorld& world;
    Address from;
  };
  struct Client {
    Port port;
    ClientEndpoint endpoint;
  };

  Client& add_client(const Address& address, ClientConfig config = {}) {
    config.server = server_address;
    if (config.nonce == 0) config.nonce = 0xabcdef00 + ++nonces;
    clients.push_back(std::make_unique<Client>(Client{Port(*this, address), ClientEndpoint(config, now)}));
    return *clients.back();
  }
  Client& add_client() { return add_client(client_address(nonces)); }
  void remove_client(std::size_t index) { clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(index)); }

  // Two clients may have one address, one after the other: the later one hears.
  void deliver() {
    network.deliver(now, [&](const Address& from, const Address& to, core::ByteView datagram) {
      if (to == server_address) return server.receive(from, datagram, now, server_port);
      for (auto client = clients.rbegin(); client != clients.rend(); ++client) {
        if ((*client)->port.from == to) return (*client)->endpoint.receive(from, datagram, now);
      }
    });
  }
  void step(core::Nanoseconds duration = 10 * core::millisecond) {
    deliver();
    server.update(now, server_port);
    for (const auto& client : clients) client->endpoint.update(now, client->port);
    server.check();
    ServerEvent event;
    while (server.poll_event(event)) events.push_back(event);
    now += duration;
  }
  void run(core::Nanoseconds duration) {
    for (const core::Nanoseconds end = now + duration; now < end;) step();
  }
  // One datagram straight to the server.
  void inject(const Address& from, core::ByteView datagram) { server.receive(from, datagram, now, server_port); }

  [[nodiscard]] int count(ServerEvent::Kind kind) const {
    int found = 0;
    for (const ServerEvent& event : events) found += event.kind == kind ? 1 : 0;
    return found;
  }

  core::Nanoseconds now = 0;
  SimulatedNetwork network;
  ServerEndpoint server;
  Port server_port{*this, server_address};
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<ServerEvent> events;
  // False: the datagram is lost.
  std::function<bool(const Address& from, const Address& to, core::ByteView datagram)> filter;
  std::uint64_t nonces = 0;
};

}  // namespace mobula::transport
