// Text to address: where to connect to, where to listen.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/address.hpp>
#include <string_view>

namespace mobula::net {

// "192.0.2.1:7777", "[::1]:7777", "localhost:7777". A name is looked up and the call waits for the answer;
// IPv4 is preferred where it has both. Refused with "bad address" or "unknown host".
core::Result<transport::Address> resolve(std::string_view host_and_port);

// Where to listen: "7777" (any address), "127.0.0.1:7777", "[::1]:0". No names.
core::Result<transport::Address> parse_listen(std::string_view text);

}  // namespace mobula::net
