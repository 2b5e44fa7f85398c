#include "replication/crowd.hpp"

namespace mobula::bench {

core::Result<std::unique_ptr<server::Server>> start_bench_server(const ReplicationOptions& options, Walkers& walkers,
                                                                 const transport::Address& address) {
  server::ServerConfig config;
  config.ticks_per_second = options.walkers.ticks_per_second;
  config.phase_clock = core::monotonic_now;
  set_bench_secrets(config, address);
  config.players_max = options.clients;
  config.transport.sessions_max = options.clients;
  config.transport.handshakes_per_address = config.transport.handshakes;
  auto server = server::Server::start(std::move(config), walkers);
  if (server) (*server)->set_unix_time(bench_unix_time);
  return server;
}

transport::Address address_of(std::uint32_t client) {
  const auto byte = [client](unsigned which) { return static_cast<std::uint8_t>(client >> 8 * which); };
  return transport::Address::v4(10, byte(2), byte(1), byte(0), 5000);
}

std::uint32_t client_of(const transport::Address& address) {
  return std::uint32_t{address.ip[13]} << 16 | std::uint32_t{address.ip[14]} << 8 | address.ip[15];
}

BenchClient::BenchClient(std::uint32_t number, const transport::Address& server, core::Nanoseconds now) {
  transport::ClientEndpointConfig config;
  config.token = bench_token(number, server);
  if (number < mirrors_max) {
    client::ConnectionConfig connection;
    connection.transport = config;
    connection.name = "mirror";
    mirroring_ = std::make_unique<client::Connection>(connection, now);
  } else {
    light_ = std::make_unique<LightClient>(config, now);
  }
}

void BenchClient::update(core::Nanoseconds now, transport::Output& output) {
  if (!mirroring_) return light_->update(now, output);
  mirroring_->update(now, output);
}

}  // namespace mobula::bench
