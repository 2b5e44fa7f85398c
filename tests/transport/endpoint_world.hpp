// Test fixture: a server endpoint and any number of client endpoints on a simulated network.
#pragma once

#include <functional>
#include <memory>
#include <mobula/transport/client_endpoint.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <set>
#include <vector>

namespace mobula::transport {

inline const Address server_address = Address::v4(10, 0, 0, 1, 7777);
inline Address client_address(std::size_t index) {
  return Address::v4(10, 1, static_cast<std::uint8_t>(index >> 8), static_cast<std::uint8_t>(index), 5000);
}

inline constexpr std::uint64_t start_time = 1'700'000'000;  // unix seconds

inline core::SecretKey test_key(std::uint8_t value) {
  core::SecretKey key;
  key.fill(static_cast<std::byte>(value));
  return key;
}
inline const core::SecretKey private_key = test_key(0x5a);

inline ServerEndpointConfig server_config(std::uint32_t sessions_max = 8) {
  ServerEndpointConfig config;
  config.sessions_max = sessions_max;
  config.handshakes_max = 2 * sessions_max + 8;
  config.used_tokens_max = 4096;
  config.private_key = private_key;
  config.challenge_key = test_key(0x3c);
  config.public_addresses = {server_address};
  return config;
}

inline TokenRequest token_request(std::uint64_t client_id) {
  TokenRequest request;
  request.client_id = client_id;
  request.servers = {server_address};
  core::store(request.user_data.data(), ~client_id);
  return request;
}

// Secrets derived from a number, for simulations.
inline TokenSecrets test_secrets(std::uint64_t number) {
  TokenSecrets secrets;
  core::Random random(number);
  const auto fill = [&](core::MutableBytes bytes) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  };
  fill(secrets.nonce);
  fill(secrets.client_to_server);
  fill(secrets.server_to_client);
  return secrets;
}

inline ConnectToken make_token(const TokenRequest& request, const core::SecretKey& key = private_key) {
  const core::Bytes bytes = mint_token(request, key, test_secrets(request.client_id), start_time).value();
  return read_token(bytes).value();
}
inline ConnectToken make_token(std::uint64_t client_id) { return make_token(token_request(client_id)); }

inline PacketType type_of(core::ByteView datagram) {
  return static_cast<PacketType>(std::to_integer<unsigned>(datagram[0]) & 0xf);
}

// A network that loses, duplicates and reorders datagrams.
inline const NetworkConditions bad_network{.latency = 40 * core::millisecond,
                                           .jitter = 40 * core::millisecond,
                                           .loss_ppm = 250'000,
                                           .duplicate_ppm = 250'000,
                                           .reorder_ppm = 200'000};

// Returns a packet sealed with the keys of the client with this id.
inline core::Bytes packet_of(std::uint64_t client_id, PacketType type, std::uint64_t sequence, core::ByteView body) {
  PacketBuffer buffer;
  std::copy(body.begin(), body.end(), buffer.body().begin());
  const core::ByteView packet = seal_packet(PacketDomain(mobula_protocol_id), test_secrets(client_id).client_to_server,
                                            type, sequence, buffer, body.size());
  return {packet.begin(), packet.end()};
}
inline constexpr std::uint64_t far_ahead = 1'000'000;  // sequences that no test reaches otherwise

// Stores sent datagrams.
struct Captured : Output {
  void send(const Address& to, core::ByteView datagram) override {
    addresses.push_back(to);
    datagrams.emplace_back(datagram.begin(), datagram.end());
  }
  void finished(const Address& to) override { ended.insert(to); }
  struct Less {
    bool operator()(const Address& a, const Address& b) const { return to_string(a) < to_string(b); }
  };
  std::vector<Address> addresses;
  std::vector<core::Bytes> datagrams;
  std::set<Address, Less> ended;
};

struct EndpointWorld {
  explicit EndpointWorld(const ServerEndpointConfig& config = server_config(), const NetworkConditions& conditions = {},
                         std::uint64_t seed = 1)
      : network(seed, conditions), server(config) {
    server.set_unix_time(start_time);
  }

  struct Port : Output {
    Port(EndpointWorld& owner, const Address& address) : world(owner), from(address) {}
    void send(const Address& to, core::ByteView datagram) override {
      if (world.filter && !world.filter(from, to, datagram)) return;
      world.network.send(from, to, datagram, world.now);
    }
    [[nodiscard]] bool ready(const Address& to) const override { return !world.full || !(*world.full == to); }
    void finished(const Address& to) override { world.finished.push_back(to); }
    EndpointWorld& world;
    Address from;
  };
  struct Client {
    Port port;
    ClientEndpoint endpoint;
  };

  Client& add_client(const Address& address, const ConnectToken& token, ClientEndpointConfig config = {}) {
    config.token = token;
    clients.push_back(std::make_unique<Client>(Client{Port(*this, address), ClientEndpoint(config, now)}));
    return *clients.back();
  }
  Client& add_client(const Address& address) { return add_client(address, make_token(++client_ids)); }
  Client& add_client() { return add_client(client_address(client_ids)); }
  void remove_client(std::size_t index) { clients.erase(clients.begin() + static_cast<std::ptrdiff_t>(index)); }

  // Two clients may have one address one after the other: the later one receives.
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
    server.set_unix_time(start_time + static_cast<std::uint64_t>(now / core::second));
  }
  void run(core::Nanoseconds duration) {
    for (const core::Nanoseconds end = now + duration; now < end;) step();
  }
  // Delivers one datagram directly to the server.
  void inject(const Address& from, core::ByteView datagram) { server.receive(from, datagram, now, server_port); }

  [[nodiscard]] int count(ServerEvent::Kind kind) const {
    int found = 0;
    for (const ServerEvent& event : events) found += event.kind == kind ? 1 : 0;
    return found;
  }
  [[nodiscard]] std::uint64_t dropped(Drop drop) const { return server.counters().dropped.of(drop); }

  core::Nanoseconds now = 0;
  SimulatedNetwork network;
  ServerEndpoint server;
  Port server_port{*this, server_address};
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<ServerEvent> events;
  std::vector<Address> finished;
  const Address* full = nullptr;  // address whose pipe is full
  // Returns false if the datagram is lost.
  std::function<bool(const Address& from, const Address& to, core::ByteView datagram)> filter;
  std::uint64_t client_ids = 0;
};

}  // namespace mobula::transport
