// Both endpoints under attack. They receive each other's packets, some damaged, lost or duplicated, besides arbitrary
// bytes, some of them sealed with the right keys.
//
//   input: steps, each a byte for the kind (see step) and its parameters
#include <fuzz/fuzz.hpp>
#include <mobula/transport/client_endpoint.hpp>
#include <mobula/transport/server_endpoint.hpp>
#include <vector>

namespace fuzz_datagram {

using namespace mobula;

namespace {

constexpr std::uint64_t start_time = 1000;
const transport::Address server_address = transport::Address::v4(10, 0, 0, 1, 1);
const transport::Address client_address = transport::Address::v4(10, 0, 0, 2, 2);
const transport::PacketDomain domain(transport::mobula_protocol_id);

struct Mailbox : transport::Output {
  void send(const transport::Address& /*to*/, core::ByteView datagram) override {
    fuzz::require(datagram.size() <= transport::datagram_bytes_max, "a datagram in bounds");
    datagrams.emplace_back(datagram.begin(), datagram.end());
  }
  std::vector<core::Bytes> datagrams;
};

transport::ServerEndpointConfig server_config() {
  transport::ServerEndpointConfig config;
  config.public_addresses = {server_address};
  config.sessions_max = 2;
  config.handshakes_max = 3;
  config.used_tokens_max = 4;
  return config;
}

transport::ConnectToken token() {
  transport::TokenRequest request;
  request.client_id = 1;
  request.servers = {server_address};
  return transport::read_token(transport::mint_token(request, {}, {}, start_time).value()).value();
}

transport::ClientEndpointConfig client_config() {
  transport::ClientEndpointConfig config;
  config.token = token();
  return config;
}

struct Attack {
  core::Nanoseconds now = 0;
  transport::ServerEndpoint server{server_config()};
  transport::ClientEndpoint client{client_config(), 0};
  Mailbox to_client;
  Mailbox to_server;
  std::uint64_t sequence = 1000;

  Attack() { server.set_unix_time(start_time); }

  void step(fuzz::Input& input) {
    switch (input.byte() % 8) {
      case 0: server.receive(from(input), input.bytes(input.word() % 1300), now, to_client); break;
      case 1: client.receive(server_address, input.bytes(input.word() % 1300), now); break;
      case 2: sealed(input); break;
      case 3: exchange(input); break;
      case 4: server.pipe_closed(from(input), now); break;
      case 5: server.disconnect_all({transport::ReasonCode::kicked, "so"}, now, to_client); break;
      case 6: server.receive(from(input), with_token(input), now, to_client); break;
      default: now += core::millisecond * input.word(); break;
    }
    server.check();
    transport::ServerEvent event;
    while (server.poll_event(event))
      fuzz::require(event.session.index < 2 || event.reason.code != transport::ReasonCode::none,
                    "an event has a session or a reason");
    fuzz::require(server.sessions().size() <= 2, "sessions in bounds");
  }

  static transport::Address from(fuzz::Input& input) {
    transport::Address address = client_address;
    address.port = static_cast<std::uint16_t>(address.port + input.byte() % 4);
    return address;
  }

  // Delivers an arbitrary body sealed with the right keys, which are zeros.
  void sealed(fuzz::Input& input) {
    const auto type = static_cast<transport::PacketType>(input.byte() % 8);
    const bool for_server = input.byte() % 2 == 0;
    const core::ByteView body = input.bytes(input.word() % (transport::payload_bytes_max + 1));
    transport::PacketBuffer buffer;
    std::copy(body.begin(), body.end(), buffer.body().begin());
    const core::ByteView packet = transport::seal_packet(domain, {}, type, ++sequence, buffer, body.size());
    if (for_server) {
      server.receive(client_address, packet, now, to_client);
    } else {
      client.receive(server_address, packet, now);
    }
  }

  // Returns a request with an arbitrary private part, sealed with the right key.
  core::Bytes with_token(fuzz::Input& input) {
    transport::ConnectToken made = token();
    core::Bytes associated(transport::version_bytes + 16);
    std::copy(transport::netcode_version().begin(), transport::netcode_version().end(), associated.begin());
    core::store(associated.data() + transport::version_bytes, made.protocol_id);
    core::store(associated.data() + transport::version_bytes + 8, made.expire_time);
    fuzz::require(core::open(made.private_part, associated, made.nonce, {}, made.private_part), "our own token");
    const core::ByteView change = input.bytes(input.byte());
    std::copy(change.begin(), change.end(), made.private_part.begin());
    core::seal(made.private_part, associated, made.nonce, {});
    core::Bytes request(transport::request_bytes);
    transport::write_request(made.protocol_id, {made.expire_time, made.nonce, made.private_part}, request);
    return request;
  }

  // Exchanges datagrams. A byte of input decides the fate of each.
  void exchange(fuzz::Input& input) {
    server.update(now, to_client);
    client.update(now, to_server);
    for (core::Bytes& datagram : to_server.datagrams) {
      fated(datagram, input, [&] { server.receive(client_address, datagram, now, to_client); });
    }
    to_server.datagrams.clear();
    std::vector<core::Bytes> datagrams;
    std::swap(datagrams, to_client.datagrams);
    for (core::Bytes& datagram : datagrams) {
      fated(datagram, input, [&] { client.receive(server_address, datagram, now); });
    }
  }
  template <class Deliver>
  static void fated(core::Bytes& datagram, fuzz::Input& input, Deliver&& deliver) {
    const std::uint8_t fate = input.byte();
    if (fate % 4 == 1) return;
    if (fate % 4 == 2) datagram[input.word() % datagram.size()] ^= static_cast<std::byte>(fate);
    deliver();
    if (fate % 4 == 3) deliver();
  }
};

int run_target(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(fuzz::view(data, size));
  Attack attack;
  while (!input.empty()) attack.step(input);
  return 0;
}

const mobula::fuzz::Target target("datagram", run_target);

}  // namespace
}  // namespace fuzz_datagram
