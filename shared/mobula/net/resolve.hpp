// Conversion of text to addresses, for connecting and for listening.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/address.hpp>
#include <string_view>

namespace mobula::net {

/// Parses "192.0.2.1:7777", "[::1]:7777" or "localhost:7777". Resolves a host name, which blocks; IPv4 is preferred.
/// Errors: "bad address", "unknown host".
core::Result<transport::Address> resolve(std::string_view host_and_port);

/// Parses an address to listen on: "7777" (any address), "127.0.0.1:7777", "[::1]:0". Host names are refused.
/// Errors: "bad address".
core::Result<transport::Address> parse_listen(std::string_view text);

}  // namespace mobula::net
