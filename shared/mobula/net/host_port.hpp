// A host and a port as people write them. Nothing is resolved.
#pragma once

#include <cstdint>
#include <mobula/core/result.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::net {

/// Host and port as written.
struct HostPort {
  std::string host;        // without brackets
  bool bracketed = false;  // an IPv6 address
  std::optional<std::uint16_t> port = {};
};

/// Parses "192.0.2.1:7777", "[::1]:0" or "localhost". Link-local IPv6 addresses are refused: a transport::Address has
/// no scope. Errors, which quote `whole`: "bad address".
core::Result<HostPort> parse_host_port(std::string_view text, std::string_view whole);

/// Does the same for a server to connect to. Without a port it is `port_default`; 0 makes the port necessary.
core::Result<HostPort> parse_remote(std::string_view text, std::string_view whole, std::uint16_t port_default);

/// Parses a port, 0 included.
std::optional<std::uint16_t> parse_port(std::string_view text);

/// Returns "'TEXT' is not an address: PROBLEM". The text need not be printable.
core::Error bad_address(std::string_view text, std::string_view problem);

}  // namespace mobula::net
