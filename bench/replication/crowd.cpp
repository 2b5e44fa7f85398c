#include "replication/crowd.hpp"

#include <mobula/core/secret_stream.hpp>

namespace mobula::bench {
namespace {

constexpr std::uint64_t unix_time = 1'700'000'000;

core::SecretKey private_key() {
  core::SecretKey key;
  key.fill(std::byte{1});
  return key;
}

}  // namespace

transport::ConnectToken bench_token(std::uint32_t client, const transport::Address& server) {
  const transport::TokenRequest request{.client_id = client + 1, .servers = {server}, .expire_seconds = 3600};
  core::SecretKey seed{};
  core::store(seed.data(), client + 1);
  core::SecretStream stream(seed);
  transport::TokenSecrets secrets;
  stream.fill(secrets.nonce);
  stream.fill(secrets.client_to_server);
  stream.fill(secrets.server_to_client);
  return *transport::read_token(*transport::mint_token(request, private_key(), secrets, unix_time));
}

core::Result<std::unique_ptr<server::Server>> start_bench_server(const ReplicationOptions& options, Walkers& walkers,
                                                                 const transport::Address& address) {
  server::ServerConfig config;
  config.ticks_per_second = options.walkers.ticks_per_second;
  config.phase_clock = core::monotonic_now;
  config.token_servers = {address};
  config.transport.private_key = private_key();
  config.transport.challenge_key.fill(std::byte{2});
  config.transport.table_seed = 1;
  config.transport.public_addresses = {address};
  config.players_max = options.clients;
  config.transport.sessions_max = options.clients;
  config.transport.handshakes_per_address = config.transport.handshakes;
  auto server = server::Server::start(std::move(config), walkers);
  if (server) (*server)->set_unix_time(unix_time);
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
