// A client's transport without a Connection. Sends a village messages that no Connection sends.
#pragma once

#include <gtest/gtest.h>

#include <server/hamlet.hpp>

namespace mobula::test {

struct RawGuest {
  explicit RawGuest(Village& owner, std::uint64_t client_id = 77)
      : village(owner),
        port(owner, transport::Address::v4(10, 9, 0, 1, 4000)),
        endpoint(client_config(client_id), owner.now) {}

  static transport::ClientEndpointConfig client_config(std::uint64_t client_id) {
    transport::ClientEndpointConfig config;
    config.token = test_token(client_id);
    return config;
  }
  void tick() {
    endpoint.update(village.now, port);
    village.network.deliver(village.now,
                            [&](const transport::Address& from, const transport::Address& to, core::ByteView datagram) {
                              if (to == port.from) endpoint.receive(from, datagram, village.now);
                              if (to == village_address)
                                village.server->receive(from, datagram, village.now, village.server_port);
                              for (const auto& client : village.clients)
                                if (client->port.from == to) client->input->receive(from, datagram, village.now);
                            });
    village.tick();
  }
  bool connect() {
    for (int i = 0; i < 50 && !endpoint.connected(); ++i) tick();
    return endpoint.connected();
  }
  bool closes() {
    for (int i = 0; i < 50 && !endpoint.closed(); ++i) tick();
    return endpoint.closed();
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  void send(core::ByteView bytes) { ASSERT_TRUE(endpoint.session().send_reliable(bytes).ok()); }

  Village& village;
  Village::Port port;
  transport::ClientEndpoint endpoint;
};

}  // namespace mobula::test
