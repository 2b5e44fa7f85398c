#include <algorithm>
#include <mobula/core/format.hpp>
#include <mobula/core/random_source.hpp>
#include <mobula/net/destination.hpp>
#include <mobula/server/cluster/world_servers.hpp>
#include <optional>
#include <span>

namespace mobula::cluster {
namespace {

// A node that is silent for longer than its lease has ended.
constexpr std::int32_t world_timeout_seconds = 5;

std::string url_of(const net::Destination& at) {
  return core::format("{}://{}{}", at.secure ? "wss" : "ws", at.host_header, at.path == "/" ? "" : at.path);
}

bool contains(const std::vector<transport::Address>& addresses, const transport::Address& address) {
  return std::ranges::find(addresses, address) != addresses.end();
}

}  // namespace

// A token holds as many addresses as fit, that of the WebSocket among them.
core::Result<WorldServers> servers_of(const std::vector<std::string>& texts) {
  WorldServers servers;
  std::optional<transport::Address> websocket;
  for (const std::string& text : std::span(texts).first(std::min(texts.size(), world_addresses_max))) {
    core::Result<net::Destination> at = net::parse_destination(text);
    if (!at) return at.error();
    const bool first = !websocket && at->pipe() == transport::Pipe::websocket;
    at->address.pipe = transport::Pipe::udp;  // a token holds addresses without pipes
    if (first) {
      servers.websocket = url_of(*at);
      websocket = at->address;
    }
    if (!contains(servers.addresses, at->address)) servers.addresses.push_back(at->address);
  }
  if (servers.addresses.size() <= transport::token_servers_max) return servers;
  servers.addresses.resize(transport::token_servers_max);
  if (websocket && !contains(servers.addresses, *websocket)) servers.addresses.back() = *websocket;
  return servers;
}

transport::Identity new_identity(const transport::UserData& user_data) {
  transport::Identity identity{.user_data = user_data};
  core::random_bytes(std::as_writable_bytes(std::span(&identity.client_id, 1)));
  return identity;
}

core::Result<core::Bytes> make_world_token(const core::SecretKey& key, const WorldServers& servers,
                                           const transport::Identity& identity, std::uint64_t unix_time) {
  return transport::mint_token({.client_id = identity.client_id,
                                .user_data = identity.user_data,
                                .servers = servers.addresses,
                                .timeout_seconds = world_timeout_seconds},
                               key, transport::random_token_secrets(), unix_time);
}

}  // namespace mobula::cluster
