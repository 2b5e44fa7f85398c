// PROXY protocol, versions 1 and 2: the header by which a TCP proxy names the client of a connection
// (https://www.haproxy.org/download/2.6/doc/proxy-protocol.txt). It stands before the stream, also before TLS.
//
//   version 1   "PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n": source, destination and their ports; TCP6 alike;
//               "PROXY UNKNOWN", then anything, then "\r\n"
//
//   version 2   12 bytes    signature
//               u8          2 in the high half; in the low half 0 for a connection of the proxy's own, 1 for a client's
//               u8          family: 0x00 unknown, 0x11 TCP over IPv4, 0x21 TCP over IPv6
//               u16         number of bytes that follow; big-endian like all numbers
//               addresses   source, destination: 4 or 16 bytes each; source port, destination port: u16 each
//               TLVs        ignored
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/transport/address.hpp>
#include <optional>

namespace mobula::net {

inline constexpr std::size_t proxy_header_v1_bytes_max = 107;
inline constexpr std::size_t proxy_tlv_bytes_max = 1024;
inline constexpr std::size_t proxy_header_bytes_max = 16 + 36 + proxy_tlv_bytes_max;

/// Header at the beginning of a stream.
struct ProxyHeader {
  enum class State : std::uint8_t {
    absent,      // the stream begins with something else
    incomplete,  // all bytes may belong to a header; they are fewer than proxy_header_bytes_max
    complete,
  };
  State state = State::absent;
  std::size_t size = 0;                           // bytes of a complete header, otherwise 0
  std::optional<transport::Address> client = {};  // empty if the peer itself is the client
};

/// Parses the header at the beginning of a stream. An error is permanent: more bytes do not change it. Errors: "bad
/// line", "bad version", "bad command", "bad family", "too short", "too long".
core::Result<ProxyHeader> parse_proxy_header(core::ByteView begin);

}  // namespace mobula::net
