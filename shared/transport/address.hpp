// Where a datagram comes from or goes to: an IPv6 address (IPv4 as ::ffff:a.b.c.d) and a port.
// A plain value; the same peer always has the same bytes, whatever socket it came through.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mobula/core/bytes.hpp>
#include <string>

namespace mobula::transport {

// What one datagram may carry at most. Fits the path MTU of nearly every network, tunnels included.
inline constexpr std::size_t datagram_bytes_max = 1200;

struct Address {
  std::array<std::uint8_t, 16> ip{};  // network order; all zero: any
  std::uint16_t port = 0;

  static constexpr Address v4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d, std::uint16_t port) {
    return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d}, port};
  }
  static constexpr Address any(std::uint16_t port) { return {{}, port}; }

  [[nodiscard]] bool is_any() const { return ip == std::array<std::uint8_t, 16>{}; }
  [[nodiscard]] bool is_v4() const;

  bool operator==(const Address&) const = default;
};

// "192.0.2.1:7777", "[2001:db8::1]:7777".
std::string to_string(const Address& address);

}  // namespace mobula::transport

// For tests and tools. What an enemy may fill is hashed with a secret seed (AddressTable).
template <>
struct std::hash<mobula::transport::Address> {
  std::size_t operator()(const mobula::transport::Address& address) const noexcept;
};
