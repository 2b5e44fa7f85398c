// IP addresses as text, without a port and without a look-up of names.
#pragma once

#include <mobula/transport/address.hpp>
#include <optional>
#include <string_view>

namespace mobula::net {

/// Parses "192.0.2.1" or "2001:db8::1", without brackets, zone or port. The port of the address is 0.
/// Returns nothing for any other text.
std::optional<transport::Address> parse_ip(std::string_view text);

}  // namespace mobula::net
