// Addresses of this machine: the default for the public addresses in connect tokens.
#pragma once

#include <mobula/transport/address.hpp>
#include <vector>

namespace mobula::net {

/// Returns the addresses of active interfaces, with `port`: loopback last, IPv4 before IPv6, no link-local ones.
std::vector<transport::Address> local_addresses(std::uint16_t port);

}  // namespace mobula::net
