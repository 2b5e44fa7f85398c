#include <algorithm>
#include <cluster/world_token.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/random_source.hpp>
#include <mobula/net/destination.hpp>
#include <mobula/server/admin/tokens.hpp>
#include <mobula/transport/connect_token.hpp>
#include <optional>
#include <span>

namespace mobula::cluster {
namespace {

namespace admin = server::admin;

struct Servers {
  std::vector<transport::Address> addresses;
  std::string websocket;  // URL; empty if there is none
};

std::string url_of(const net::Destination& at) {
  return core::format("{}://{}{}", at.secure ? "wss" : "ws", at.host_header, at.path == "/" ? "" : at.path);
}

bool contains(const std::vector<transport::Address>& addresses, const transport::Address& address) {
  return std::ranges::find(addresses, address) != addresses.end();
}

// A token holds as many addresses as fit, that of the WebSocket among them.
core::Result<Servers> servers_of(const std::vector<std::string>& texts) {
  Servers servers;
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

core::Result<core::Bytes> mint(const core::SecretKey& key, const Servers& servers, std::string_view account) {
  transport::TokenRequest request{.servers = servers.addresses};
  core::random_bytes(std::as_writable_bytes(std::span(&request.client_id, 1)));
  std::ranges::copy(core::as_bytes(account.data(), account.size()), request.user_data.begin());
  return transport::mint_token(request, key, transport::random_token_secrets(), core::unix_now());
}

}  // namespace

core::Status check_account(std::string_view account) {
  if (account.find('\0') != std::string_view::npos)
    return core::Error{"bad request", "the account has a byte of value 0, which ends its name"};
  if (account.size() <= admin::user_data_bytes_max) return core::Done{};
  return core::Error{"bad request", core::format("the account has {} bytes; the maximum is {}", account.size(),
                                                 admin::user_data_bytes_max)};
}

core::Result<std::string> world_token_json(const core::SecretKey& key, const std::vector<std::string>& addresses,
                                           std::string_view account) {
  if (const core::Status good = check_account(account); !good) return good.error();
  const core::Result<Servers> servers = servers_of(addresses);
  if (!servers) return servers.error();
  const auto source = [&](std::uint32_t, std::string_view user_data) -> core::Result<std::vector<core::Bytes>> {
    core::Result<core::Bytes> token = mint(key, *servers, user_data);
    if (!token) return token.error();
    return std::vector<core::Bytes>{std::move(*token)};
  };
  const core::Result<std::vector<std::string>> tokens = admin::make_tokens(source, 1, account);
  if (!tokens) return tokens.error();
  return admin::tokens_response(*tokens, servers->websocket).body;
}

}  // namespace mobula::cluster
