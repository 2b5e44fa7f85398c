// Where clients reach a world of the cluster, and connect tokens for it.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/connect_token.hpp>
#include <string>
#include <vector>

namespace mobula::cluster {

/// Addresses of a world that are read; further ones are left out.
inline constexpr std::size_t world_addresses_max = 128;

/// Addresses of a world as connect tokens name them.
struct WorldServers {
  std::vector<transport::Address> addresses;  // at most token_servers_max, without pipes
  std::string websocket;                      // URL of the first WebSocket; empty if there is none
};

/// Reads the addresses of a world, such as "udp://203.0.113.7:7777". Resolves host names, which blocks. Errors: those
/// of net::parse_destination.
core::Result<WorldServers> servers_of(const std::vector<std::string>& texts);

/// Returns an identity with this user data, for one session.
transport::Identity new_identity(const transport::UserData& user_data);
/// Makes a connect token for these servers. `unix_time` is now, in seconds. Errors: those of transport::mint_token.
core::Result<core::Bytes> make_world_token(const core::SecretKey& key, const WorldServers& servers,
                                           const transport::Identity& identity, std::uint64_t unix_time);

}  // namespace mobula::cluster
