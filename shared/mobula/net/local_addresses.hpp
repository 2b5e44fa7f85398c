// Where this machine can be reached: what a server puts into tokens when nobody tells it its public addresses.
#pragma once

#include <mobula/transport/address.hpp>
#include <vector>

namespace mobula::net {

// Those of interfaces that are up: first the others, then loopback; IPv4 before IPv6, without link-local ones.
std::vector<transport::Address> local_addresses(std::uint16_t port);

}  // namespace mobula::net
