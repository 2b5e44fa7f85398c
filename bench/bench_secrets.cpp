#include "bench_secrets.hpp"

#include <mobula/core/secret_stream.hpp>

namespace mobula::bench {
namespace {

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
  return *transport::read_token(*transport::mint_token(request, private_key(), secrets, bench_unix_time));
}

void set_bench_secrets(server::ServerConfig& config, const transport::Address& server) {
  config.token_servers = {server};
  config.transport.private_key = private_key();
  config.transport.challenge_key.fill(std::byte{2});
  config.transport.table_seed = 1;
  config.transport.public_addresses = {server};
}

}  // namespace mobula::bench
