#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <mobula/core/format.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <mobula/net/resolve.hpp>
#include <optional>

namespace mobula::net {
namespace {

namespace asio = boost::asio;
using asio::ip::udp;
using Addresses = std::vector<transport::Address>;

std::optional<transport::Address> parse_numeric(const HostPort& parts) {
  boost::system::error_code error;
  const asio::ip::address ip = asio::ip::make_address(parts.host, error);
  if (error || ip.is_v6() != parts.bracketed) return std::nullopt;
  return to_address({ip, parts.port.value_or(0)});
}

// Link-local IPv6 addresses are left out: a transport::Address has no scope.
core::Result<Addresses> look_up(const HostPort& parts) {
  asio::io_context io;
  udp::resolver resolver(io);
  boost::system::error_code error;
  const auto found = resolver.resolve(parts.host, std::to_string(parts.port.value_or(0)), error);
  if (error || found.empty())
    return core::Error{"unknown host", core::format("cannot find host '{}': {}", parts.host, error.message())};
  Addresses addresses;
  for (const auto& entry : found) {
    const asio::ip::address ip = entry.endpoint().address();
    if (ip.is_v4() || !ip.to_v6().is_link_local()) addresses.push_back(to_address(entry.endpoint()));
  }
  if (addresses.empty()) return bad_address(parts.host, "it has only link-local addresses, which are not supported");
  std::ranges::stable_partition(addresses, &transport::Address::is_v4);
  return addresses;
}

}  // namespace

transport::Address to_address(const udp::endpoint& endpoint) {
  const asio::ip::address ip = endpoint.address();
  const asio::ip::address_v6 v6 = ip.is_v6() ? ip.to_v6() : asio::ip::make_address_v6(asio::ip::v4_mapped, ip.to_v4());
  return {v6.to_bytes(), endpoint.port()};
}

asio::ip::address to_ip(const transport::Address& address) {
  if (!address.is_v4()) return asio::ip::address_v6(address.ip);
  return asio::ip::address_v4({address.ip[12], address.ip[13], address.ip[14], address.ip[15]});
}

core::Result<Addresses> resolve_all(const HostPort& parts) {
  const std::optional<transport::Address> numeric = parse_numeric(parts);
  core::Result<Addresses> all = numeric ? Addresses{*numeric} : look_up(parts);
  if (!all) return all;
  const transport::Address& first = all->front();
  const bool unspecified = first.is_any() || first == transport::Address::v4(0, 0, 0, 0, first.port);
  if (unspecified) return bad_address(parts.host, "it is only for listening; use 127.0.0.1 for this machine");
  return all;
}

core::Result<transport::Address> resolve(const HostPort& parts) {
  const core::Result<Addresses> all = resolve_all(parts);
  if (!all) return all.error();
  return all->front();
}

core::Result<transport::Address> resolve(std::string_view host_and_port) {
  const core::Result<HostPort> parts = parse_remote(host_and_port, host_and_port, 0);
  return parts ? resolve(*parts) : parts.error();
}

core::Result<transport::Address> parse_listen(std::string_view text) {
  if (text.find(':') == std::string_view::npos) {
    if (const std::optional<std::uint16_t> port = parse_port(text)) return transport::Address::any(*port);
    return bad_address(text, "expected PORT, A.B.C.D:PORT or [IPV6]:PORT");
  }
  const core::Result<HostPort> parts = parse_host_port(text, text);
  if (!parts.ok()) return parts.error();
  const std::optional<transport::Address> numeric = parse_numeric(*parts);
  if (numeric && parts->port) return *numeric;
  return bad_address(text, "expected PORT, A.B.C.D:PORT or [IPV6]:PORT; host names are not resolved here");
}

}  // namespace mobula::net
