// How a client connects: the server's address, the kind of pipe, and the source of connect tokens.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/net/destination.hpp>
#include <mobula/transport/connect_token.hpp>
#include <mobula/transport/reason.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <string>
#include <vector>

namespace mobula::client {

/// Options as given on the command lines of the client programs.
struct AccessOptions {
  std::string connect{};  ///< Address of the server, as net::parse_address() reads it. Empty in a cluster.
  // Source of connect tokens: the first of the following four that is not empty.
  std::string cluster{};                        ///< Address of mobula-cluster, which knows where `world` is.
  std::string token_file{};                     ///< File with one token.
  std::string key_file{};                       ///< Key that backend and server share; tokens are made with it.
  std::string admin = "http://127.0.0.1:7780";  ///< Admin address of a server, which issues tokens.
  std::string admin_token_file{};               ///< File with a bearer token for the admin address; may be empty.
  std::string world{};                          ///< World of the cluster.
  std::string account{};                        ///< Account of the player in a cluster; empty for a guest.
  std::string ca_file{};                        ///< Certificate authorities for wss; empty uses those of the system.
  std::string simulate{};                       ///< Simulated network conditions; empty simulates nothing.
};

struct Access {
  net::Destination destination;  // in a cluster that of the token
  transport::NetworkConditions simulated;
  AccessOptions options;
};

/// Parses options. In a cluster clients use UDP. Reasons: "bad options", those of net::parse_destination and
/// transport::parse_conditions.
core::Result<Access> parse_access(AccessOptions options);

/// Returns likely causes of a connection's end, as text in parentheses. A server does not answer unauthenticated peers,
/// so the reason alone explains little. Empty for reasons that explain themselves.
std::string_view advice(transport::ReasonCode code);

/// Returns whether get_tokens can be called again for further tokens.
inline bool gives_more_tokens(const Access& access) { return access.options.token_file.empty(); }

/// Returns whether the tokens name the address of the world, which may be another with each token.
inline bool is_in_cluster(const Access& access) { return !access.options.cluster.empty(); }

/// Returns `count` tokens, one per client. Reasons: those of reading the file or the key, and of net::http_post. Also
/// "one token" if several are wanted from a file, which holds one.
core::Result<std::vector<transport::ConnectToken>> get_tokens(const Access& access, std::uint32_t count);

}  // namespace mobula::client
