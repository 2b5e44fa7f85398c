// How a client gets in: where the server is, which pipe leads there, and who gives it a connect token.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/net/destination.hpp>
#include <mobula/transport/connect_token.hpp>
#include <mobula/transport/reason.hpp>
#include <mobula/transport/simulation/simulated_network.hpp>
#include <string>
#include <vector>

namespace mobula::client {

// As the command lines of client and bots say it.
struct AccessOptions {
  std::string connect;  // [udp:|tcp:|ws:|wss:]HOST:PORT
  // Of tokens, the first that is given: a file with one, the key that backend and server share, a server's admin
  // address.
  std::string token_file;
  std::string key_file;
  std::string admin = "http://127.0.0.1:7780";
  std::string admin_token_file{};  // a bearer token for that address; empty: it asks for none
  std::string ca_file;             // wss: who vouches for the server, instead of the system's authorities
  std::string simulate;            // network conditions; empty: the real network alone
};

struct Access {
  net::Destination destination;
  transport::NetworkConditions simulated;
  AccessOptions options;
};

// Reasons: those of parsing a destination and network conditions.
core::Result<Access> parse_access(AccessOptions options);

// What may be behind an end that says little: a server does not answer strangers. Empty for the others.
std::string_view advice(transport::ReasonCode code);

// Whether more tokens can be had than those that get_tokens has given.
inline bool gives_more_tokens(const Access& access) { return access.options.token_file.empty(); }

// So many tokens, one for each client. Reasons: those of the file, the key and the exchange with the admin address;
// "one token" where more are wanted than a file has.
core::Result<std::vector<transport::ConnectToken>> get_tokens(const Access& access, std::uint32_t count);

}  // namespace mobula::client
