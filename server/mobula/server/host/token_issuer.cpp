#include <algorithm>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/random_source.hpp>
#include <mobula/net/local_addresses.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/process/key_file.hpp>
#include <mobula/server/host/token_issuer.hpp>

namespace mobula::server {
namespace {

void add(std::vector<transport::Address>& addresses, const transport::Address& address) {
  if (std::ranges::find(addresses, address) == addresses.end()) addresses.push_back(address);
}

// A backend may resolve the same name to another of its addresses, so tokens for any of them are accepted.
core::Status add_public_addresses(const std::vector<std::string>& texts, std::uint16_t own_port, TokenIssuer& issuer) {
  using Addresses = core::Result<std::vector<transport::Address>>;
  for (const std::string& text : texts) {
    const core::Result<net::WrittenAddress> written = net::parse_address(text, own_port);
    const Addresses found = written ? net::resolve_all(written->at) : Addresses(written.error());
    if (!found) return core::Error{found.error().reason, "--public-address: " + found.error().message};
    add(issuer.public_addresses, found->front());
    for (const transport::Address& address : *found) add(issuer.accepted, address);
  }
  if (issuer.public_addresses.size() > transport::token_servers_max)
    return core::Error{"too many servers", core::format("--public-address: at most {}", transport::token_servers_max)};
  return core::Done{};
}

// Without a public address, those of this machine are named.
core::Status add_local_addresses(std::uint16_t own_port, TokenIssuer& issuer) {
  issuer.public_addresses = net::local_addresses(own_port);
  if (issuer.public_addresses.empty())
    return core::Error{"no address", "this machine has no address that clients could reach; give --public-address"};
  if (issuer.public_addresses.size() > transport::token_servers_max)
    issuer.public_addresses.resize(transport::token_servers_max);
  issuer.accepted = issuer.public_addresses;
  return core::Done{};
}

}  // namespace

core::Result<TokenIssuer> make_token_issuer(const HostConfig& config, const Ports& ports) {
  TokenIssuer issuer;
  issuer.shared = !config.key_file.empty();
  if (issuer.shared) {
    const core::Result<core::SecretKey> key = process::load_shared_key(config.key_file, "server");
    if (!key) return key.error();
    issuer.key = *key;
  } else {
    core::random_bytes(issuer.key);
  }
  const core::Status added = config.public_addresses.empty()
                                 ? add_local_addresses(ports.udp, issuer)
                                 : add_public_addresses(config.public_addresses, ports.udp, issuer);
  if (!added) return added.error();
  const std::vector<transport::Address> at_udp = issuer.accepted;
  for (const std::uint16_t port : {ports.tcp, ports.websocket}) {
    for (transport::Address address : at_udp) {
      address.port = port;
      if (port != 0) add(issuer.accepted, address);
    }
  }
  return issuer;
}

core::Result<core::Bytes> make_token(const TokenIssuer& issuer, const transport::Identity& identity) {
  return transport::mint_token(
      {.client_id = identity.client_id, .user_data = identity.user_data, .servers = issuer.public_addresses},
      issuer.key, transport::random_token_secrets(), core::unix_now());
}

}  // namespace mobula::server
