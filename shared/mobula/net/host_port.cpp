#include <algorithm>
#include <boost/asio/ip/address_v6.hpp>
#include <charconv>
#include <mobula/core/format.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/host_port.hpp>

namespace mobula::net {
namespace {

constexpr std::size_t host_bytes_max = 253;  // limit of the DNS (RFC 1035)
constexpr std::size_t quoted_bytes_max = 100;
constexpr std::string_view digits = "0123456789";

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

// Returns what is wrong with a host without brackets; empty if nothing is.
std::string_view problem_of_name(std::string_view host) {
  if (host.empty()) return "the host is missing; expected HOST:PORT";
  if (host.size() > host_bytes_max) return "a host name has at most 253 bytes";
  if (host.find(':') != std::string_view::npos) return "an IPv6 address is written in brackets, like [::1]:7777";
  if (!std::ranges::all_of(host, is_of_name)) return "a host name has only letters, digits, '.', '-' and '_'";
  return {};
}

// Returns what is wrong with the text in brackets; empty if nothing is.
std::string_view problem_of_v6(std::string_view host) {
  constexpr std::string_view link_local =
      "link-local addresses and scopes such as %eth0 are not supported; use another address of that machine";
  if (host.find('%') != std::string_view::npos) return link_local;
  boost::system::error_code error;
  const auto ip = boost::asio::ip::make_address_v6(std::string(host), error);
  // The library ignores what follows a zero byte.
  if (error || host.find('\0') != std::string_view::npos) return "the text in brackets is not an IPv6 address";
  return ip.is_link_local() ? link_local : std::string_view();
}

// Returns where the host ends: behind its bracket, or before the last colon.
std::size_t host_end(std::string_view text) {
  if (!text.starts_with('[')) return std::min(text.rfind(':'), text.size());
  const std::size_t bracket = text.find(']');
  return bracket == std::string_view::npos ? text.size() : bracket + 1;
}

}  // namespace

core::Error bad_address(std::string_view text, std::string_view problem) {
  return {"bad address", core::format("'{}' is not an address: {}", core::shown(text, quoted_bytes_max), problem)};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

core::Result<HostPort> parse_host_port(std::string_view text, std::string_view whole) {
  const std::size_t end = host_end(text);
  std::string_view host = text.substr(0, end);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  const std::string_view problem = bracketed ? problem_of_v6(host) : problem_of_name(host);
  if (!problem.empty()) return bad_address(whole, problem);
  HostPort parts{std::string(host), bracketed};
  if (end == text.size()) return parts;
  if (text[end] == ':') parts.port = parse_port(text.substr(end + 1));
  if (!parts.port) return bad_address(whole, "the port must be a number, at most 65535");
  return parts;
}

// A lone number is a port whose host was forgotten, although inet_aton() would read it as an address.
core::Result<HostPort> parse_remote(std::string_view text, std::string_view whole, std::uint16_t port_default) {
  core::Result<HostPort> parts = parse_host_port(text, whole);
  if (!parts) return parts;
  const bool is_number = parts->host.find_first_not_of(digits) == std::string::npos;
  if (!parts->port && (is_number || port_default == 0)) return bad_address(whole, "expected HOST:PORT");
  if (parts->port == 0) return bad_address(whole, "port 0 cannot be connected to; expected 1 to 65535");
  parts->port = parts->port.value_or(port_default);
  return parts;
}

}  // namespace mobula::net
