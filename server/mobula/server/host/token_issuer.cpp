#include <algorithm>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/key_file.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/local_addresses.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/server/host/token_issuer.hpp>

namespace mobula::server {
namespace {

core::Result<core::SecretKey> load_shared_key(const std::string& path) {
  const core::Result<core::KeyFile> file = core::load_key_file(path);
  if (!file) return file.error();
  if (file->others_may_read) core::log_warn("server", "{}: others may read this key (chmod 600)", path);
  return file->key;
}

core::Result<std::vector<transport::Address>> resolve_all(const std::vector<std::string>& texts,
                                                          std::uint16_t own_port) {
  std::vector<transport::Address> addresses;
  for (const std::string& text : texts) {
    const core::Result<net::WrittenAddress> written = net::parse_address(text, own_port);
    const core::Result<transport::Address> address =
        written ? net::resolve(written->at) : core::Result<transport::Address>(written.error());
    if (!address) return core::Error{address.error().reason, "--public-address: " + address.error().message};
    addresses.push_back(*address);
  }
  if (addresses.size() > transport::token_servers_max)
    return core::Error{"too many servers", core::format("--public-address: at most {}", transport::token_servers_max)};
  return addresses;
}

}  // namespace

core::Result<TokenIssuer> make_token_issuer(const HostConfig& config, const Ports& ports) {
  TokenIssuer issuer;
  issuer.shared = !config.key_file.empty();
  if (issuer.shared) {
    const core::Result<core::SecretKey> key = load_shared_key(config.key_file);
    if (!key) return key.error();
    issuer.key = *key;
  } else {
    core::random_bytes(issuer.key);
  }
  core::Result<std::vector<transport::Address>> given = resolve_all(config.public_addresses, ports.udp);
  if (!given) return given.error();
  issuer.public_addresses = given->empty() ? net::local_addresses(ports.udp) : std::move(*given);
  if (issuer.public_addresses.empty())
    return core::Error{"no address", "this machine has no address that clients could reach; give --public-address"};
  if (issuer.public_addresses.size() > transport::token_servers_max)
    issuer.public_addresses.resize(transport::token_servers_max);
  issuer.accepted = issuer.public_addresses;
  for (const std::uint16_t port : {ports.tcp, ports.websocket}) {
    for (transport::Address address : issuer.public_addresses) {
      address.port = port;
      if (port != 0) issuer.accepted.push_back(address);
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
