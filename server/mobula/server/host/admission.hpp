// What lets clients in: the key that seals connect tokens, the addresses that they name this server by, and the tokens
// that a server in development makes itself.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/server/admin/tokens.hpp>
#include <mobula/server/host/config.hpp>
#include <mobula/transport/connect_token.hpp>
#include <vector>

namespace mobula::server {

struct Admission {
  core::SecretKey key{};
  bool shared = false;                               // with a backend, which makes the tokens
  std::vector<transport::Address> public_addresses;  // of the UDP port: what this server's own tokens name
  std::vector<transport::Address> accepted;          // the same, and those of the other ports
};

// Ports that a server listens on. 0: it does not.
struct Ports {
  std::uint16_t udp = 0;
  std::uint16_t tcp = 0;
  std::uint16_t websocket = 0;
};

// A public address without a port is of the UDP port. Reasons: those of the key file and of resolving the addresses.
core::Result<Admission> make_admission(const HostConfig& config, const Ports& ports);

// A connect token by this server's own authority. Games with several worlds give it to a player whom they send from one
// to another: `admission` is of the other, and the identity need not be the player's here. Good for a minute, once.
core::Result<core::Bytes> make_token(const Admission& admission, const transport::Identity& identity);

// What the admin address hands out: tokens by this server's own key, or none where the key is shared.
admin::TokenSource token_source(const Admission& admission);

}  // namespace mobula::server
