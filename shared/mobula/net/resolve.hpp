// Conversion of text to addresses, for connecting and for listening.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/net/written_address.hpp>
#include <mobula/transport/address.hpp>
#include <string_view>
#include <vector>

namespace mobula::net {

/// Returns the addresses of a host with a port, IPv4 first, at least one. Resolves a name, which blocks.
/// Errors: "bad address" for an address that cannot be connected to, "unknown host".
core::Result<std::vector<transport::Address>> resolve_all(const HostPort& parts);
/// Returns the first of them.
core::Result<transport::Address> resolve(const HostPort& parts);
/// Does the same for text: "192.0.2.1:7777", "[::1]:7777" or "localhost:7777".
core::Result<transport::Address> resolve(std::string_view host_and_port);

/// Parses an address to listen on: "7777" (any address), "127.0.0.1:7777", "[::1]:0". Host names are refused.
/// Errors: "bad address".
core::Result<transport::Address> parse_listen(std::string_view text);

}  // namespace mobula::net
