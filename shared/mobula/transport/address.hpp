// Address of a peer: a pipe, an IPv6 address (IPv4 as ::ffff:a.b.c.d) and a port.
// A plain value. One peer on one pipe always has the same bytes, whichever socket received its datagram.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <mobula/core/bytes.hpp>
#include <string>

namespace mobula::transport {

/// Maximum sizes of a datagram: a session's 1200 bytes, and 25 bytes that encryption adds. With UDP and IP headers they
/// fit the IPv6 minimum MTU of 1280 bytes.
inline constexpr std::size_t payload_bytes_max = 1200;
inline constexpr std::size_t datagram_bytes_max = payload_bytes_max + 1 + 8 + 16;

/// Carrier of datagrams. A stream pipe (TCP, WebSocket) preserves datagram boundaries and carries the same session.
enum class Pipe : std::uint8_t { udp, tcp, websocket, count };

/// 20 bytes.
struct Address {
  std::array<std::uint8_t, 16> ip{};  // network byte order; all zero is "any"
  std::uint16_t port = 0;
  Pipe pipe = Pipe::udp;
  std::uint8_t unused = 0;  // zero: addresses are hashed as raw memory

  static constexpr Address v4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d, std::uint16_t port) {
    return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d}, port};
  }
  /// Returns the address of all interfaces, for a server to listen at.
  static constexpr Address any(std::uint16_t port) { return {{}, port}; }

  [[nodiscard]] bool is_any() const { return ip == std::array<std::uint8_t, 16>{}; }
  [[nodiscard]] bool is_v4() const;

  bool operator==(const Address&) const = default;
};

/// Returns the text form: "192.0.2.1:7777", "tcp:192.0.2.1:7777", "ws:[2001:db8::1]:7777".
std::string to_string(const Address& address);

}  // namespace mobula::transport

/// For tests and tools. A table that a hostile client can fill needs a secret seed: see BoundedTable.
template <>
struct std::hash<mobula::transport::Address> {
  std::size_t operator()(const mobula::transport::Address& address) const noexcept;
};
