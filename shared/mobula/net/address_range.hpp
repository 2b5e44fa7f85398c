// Ranges of IP addresses in CIDR notation (RFC 4632, RFC 4291 2.3).
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/address.hpp>
#include <span>
#include <string_view>

namespace mobula::net {

/// Addresses with the same first bits. A range of IPv6 contains no IPv4 address.
struct AddressRange {
  std::array<std::uint8_t, 16> ip{};  // IPv4 as ::ffff:a.b.c.d; zero after the first bits
  unsigned bits = 128;                // number of first bits; at least 96 for IPv4

  [[nodiscard]] bool contains(const transport::Address& address) const;
  bool operator==(const AddressRange&) const = default;
};

/// Parses "10.0.0.0/8", "2001:db8::/32", or a single address. Errors: "bad range".
core::Result<AddressRange> parse_address_range(std::string_view text);

/// Returns whether one of the ranges contains the address.
bool contains(std::span<const AddressRange> ranges, const transport::Address& address);

}  // namespace mobula::net
