#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <mobula/core/format.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <mobula/net/resolve.hpp>
#include <optional>

namespace mobula::net {
namespace {

namespace asio = boost::asio;
using asio::ip::udp;

struct HostPort {
  std::string host;
  std::uint16_t port = 0;
  bool bracketed = false;
};

core::Error bad_address(std::string_view text, std::string_view expected) {
  return {"bad address", core::format("'{}' is not an address: {}", text, expected)};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

core::Result<HostPort> split(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad_address(text, "expected HOST:PORT");
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!bracketed && host.find(':') != std::string_view::npos) {
    return bad_address(text, "an IPv6 address is written in brackets, like [::1]:7777");
  }
  if (host.empty()) return bad_address(text, "the host before the colon is missing");
  if (host.find('\0') != std::string_view::npos) return bad_address(text, "a host name must not contain zero bytes");
  const std::optional<std::uint16_t> port = parse_port(text.substr(colon + 1));
  if (!port) return bad_address(text, "the port must be a number from 0 to 65535");
  return HostPort{std::string(host), *port, bracketed};
}

std::optional<transport::Address> parse_numeric(const HostPort& parts) {
  boost::system::error_code error;
  const asio::ip::address ip = asio::ip::make_address(parts.host, error);
  if (error || ip.is_v6() != parts.bracketed) return std::nullopt;
  if (ip.is_v6() && ip.to_v6().scope_id() != 0) return std::nullopt;
  return to_address({ip, parts.port});
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

core::Result<transport::Address> resolve(std::string_view host_and_port) {
  const core::Result<HostPort> parts = split(host_and_port);
  if (!parts.ok()) return parts.error();
  if (parts->port == 0) return bad_address(host_and_port, "port 0 cannot be connected to");
  if (const std::optional<transport::Address> numeric = parse_numeric(*parts)) {
    const bool unspecified = numeric->is_any() || *numeric == transport::Address::v4(0, 0, 0, 0, numeric->port);
    if (unspecified) return bad_address(host_and_port, "it is only for listening; use 127.0.0.1 for this machine");
    return *numeric;
  }
  if (parts->bracketed) return bad_address(host_and_port, "the text in brackets is not an IPv6 address");

  asio::io_context io;
  udp::resolver resolver(io);
  boost::system::error_code error;
  const auto found = resolver.resolve(parts->host, std::to_string(parts->port), error);
  if (error || found.empty()) {
    return core::Error{"unknown host", core::format("cannot find host '{}': {}", parts->host, error.message())};
  }
  const auto v4 =
      std::find_if(found.begin(), found.end(), [](const auto& entry) { return entry.endpoint().address().is_v4(); });
  return to_address((v4 != found.end() ? v4 : found.begin())->endpoint());
}

core::Result<transport::Address> parse_listen(std::string_view text) {
  if (text.find(':') == std::string_view::npos) {
    if (const std::optional<std::uint16_t> port = parse_port(text)) return transport::Address::any(*port);
    return bad_address(text, "expected PORT, A.B.C.D:PORT or [IPV6]:PORT");
  }
  const core::Result<HostPort> parts = split(text);
  if (!parts.ok()) return parts.error();
  if (const std::optional<transport::Address> numeric = parse_numeric(*parts)) return *numeric;
  return bad_address(text, "expected PORT, A.B.C.D:PORT or [IPV6]:PORT; host names are not resolved here");
}

}  // namespace mobula::net
