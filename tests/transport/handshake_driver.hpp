// Test fixture: a server endpoint and hand-made packets of clients that connect.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <transport/endpoint_world.hpp>

namespace mobula::transport::test {

inline core::Bytes request_of(const ConnectToken& token) {
  core::Bytes bytes(request_bytes);
  write_request(token.protocol_id, {token.expire_time, token.nonce, token.private_part}, bytes);
  return bytes;
}

// A server and hand-made clients. The keys of a client follow from its client id (test_secrets).
struct HandshakeDriver {
  explicit HandshakeDriver(const ServerEndpointConfig& config = server_config()) : server(config) {
    server.set_unix_time(start_time);
  }

  Drop send(const Address& from, core::ByteView datagram) {
    replies.datagrams.clear();
    const DropCounters before = server.counters().dropped;
    server.receive(from, datagram, now, replies);
    server.check();
    for (std::size_t i = 0; i < before.counts.size(); ++i) {
      if (server.counters().dropped.counts[i] != before.counts[i]) return static_cast<Drop>(i);
    }
    return Drop::count;
  }
  Drop request(const Address& from, std::uint64_t client_id) { return send(from, request_of(make_token(client_id))); }
  Drop request(const Address& from, const TokenRequest& request) { return send(from, request_of(make_token(request))); }

  core::Bytes packet(std::uint64_t client_id, PacketType type, core::ByteView body) {
    PacketBuffer buffer;
    std::copy(body.begin(), body.end(), buffer.body().begin());
    const core::ByteView sealed =
        seal_packet(PacketDomain(mobula_protocol_id), test_secrets(client_id).client_to_server, type, sequence++,
                    buffer, body.size());
    return {sealed.begin(), sealed.end()};
  }
  // Returns the only reply, decrypted.
  core::Bytes opened(std::uint64_t client_id, PacketHead& head) {
    EXPECT_EQ(replies.datagrams.size(), 1u);
    std::array<std::byte, datagram_bytes_max> room;
    core::ByteView body;
    ReplayWindow replay;
    const core::Bytes& reply = replies.datagrams.at(0);
    EXPECT_EQ(read_head(reply, ~PacketTypes{0}, head), Drop::none);
    EXPECT_EQ(open_body(PacketDomain(mobula_protocol_id), test_secrets(client_id).server_to_client, head, reply, replay,
                        room, body),
              Drop::none);
    return {body.begin(), body.end()};
  }
  // Returns the challenge sent for a request.
  core::Bytes challenge(const Address& from, std::uint64_t client_id) {
    EXPECT_EQ(request(from, client_id), Drop::none);
    PacketHead head;
    return opened(client_id, head);
  }
  Drop respond(const Address& from, std::uint64_t client_id, core::ByteView challenge) {
    return send(from, packet(client_id, PacketType::response, challenge));
  }
  void connect(const Address& from, std::uint64_t client_id) {
    EXPECT_EQ(respond(from, client_id, challenge(from, client_id)), Drop::none);
  }
  void update(core::Nanoseconds at) {
    now = at;
    replies.datagrams.clear();
    for (int i = 0; i < 20; ++i) server.update(now, replies);
  }

  ServerEndpoint server;
  Captured replies;
  core::Nanoseconds now = 0;
  std::uint64_t sequence = 0;
};

// Addresses of three clients.
inline const Address a = client_address(1);
inline const Address b = client_address(2);
inline const Address c = client_address(3);

}  // namespace mobula::transport::test
