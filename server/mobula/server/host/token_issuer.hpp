// The key that seals connect tokens, the addresses that tokens name this server by, and the making of tokens by the
// server itself.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/server/host/config.hpp>
#include <mobula/transport/connect_token.hpp>
#include <vector>

namespace mobula::server {

/// The key and the addresses of connect tokens for one world.
struct TokenIssuer {
  core::SecretKey key{};
  bool shared = false;                               ///< a backend has the key too and issues the tokens
  std::vector<transport::Address> public_addresses;  ///< addresses of the UDP port, named in this server's own tokens
  std::vector<transport::Address> accepted;          ///< all addresses of these names, at each port of the server
};

/// Ports that a server listens on; 0 if it does not listen over that transport.
struct Ports {
  std::uint16_t udp = 0;
  std::uint16_t tcp = 0;
  std::uint16_t websocket = 0;
};

/// Loads the key file, or makes a random key if there is none, and resolves the public addresses. These are written as
/// for net::parse_address(), whose default is here the UDP port. Errors: those of the key file and of resolving the
/// addresses, "too many servers", "no address".
core::Result<TokenIssuer> make_token_issuer(const HostConfig& config, const Ports& ports);

/// Makes a connect token by this server's own authority, valid for one minute and one session. A game gives it to a
/// player that it sends to another world. `issuer` is then the other world's, and the identity may differ from the
/// player's identity here.
core::Result<core::Bytes> make_token(const TokenIssuer& issuer, const transport::Identity& identity);

}  // namespace mobula::server
