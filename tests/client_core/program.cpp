// A client without sockets, linked with the client core alone: it starts to connect, and its log is read.
#include <array>
#include <cstdio>
#include <mobula/client/connection/connection.hpp>
#include <mobula/client/connection/resource_memory.hpp>
#include <mobula/core/log.hpp>

namespace {

using namespace mobula;

struct Counter final : transport::Output {
  void send(const transport::Address& /*to*/, core::ByteView /*datagram*/) override { ++datagrams; }
  int datagrams = 0;
};

bool reads_its_log() {
  core::log_warn("client", "{} of {}", 1, 2);
  std::array<char, 100> text{};
  return core::read_log(text).has_value() && !core::read_log(text).has_value();
}

int run() {
  transport::TokenRequest request{.servers = {transport::Address::any(7777)}, .expire_seconds = 60};
  const core::Result<core::Bytes> token =
      transport::mint_token(request, core::SecretKey{}, transport::random_token_secrets(), 1000);
  if (!token) return 1;
  client::ResourceMemory resources;
  client::ConnectionConfig config;
  config.transport.token = *transport::read_token(*token);
  config.transport.servers = {transport::Address::any(7777)};
  config.resources = &resources;
  client::Connection connection(config, core::second);
  Counter output;
  connection.update(core::second, output);
  if (output.datagrams == 0 || connection.state() != client::Connection::State::connecting) return 2;
  if (resources.add({}).ok()) return 3;
  return reads_its_log() ? 0 : 4;
}

}  // namespace

int main() {
  const int status = run();
  if (status != 0) std::printf("step %d failed\n", status);
  return status;
}
