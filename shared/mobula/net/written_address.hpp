// Address of a server as people write it: a host and a port, with a pipe before it, or a URL. Nothing is resolved.
#pragma once

#include <mobula/net/host_port.hpp>
#include <mobula/transport/address.hpp>

namespace mobula::net {

/// Maximum size of an address. A longer path would not fit the upgrade request that a WebSocket server reads.
inline constexpr std::size_t written_address_bytes_max = 1024;
/// Port of udp and tcp in an address without one.
inline constexpr std::uint16_t game_port_default = 7777;

/// Parts of an address.
struct WrittenAddress {
  transport::Pipe pipe = transport::Pipe::udp;
  bool secure = false;     // wss
  HostPort at = {};        // has a port
  std::string path = "/";  // only ws and wss have another
};

/// Parses "HOST[:PORT]", "PIPE:HOST[:PORT]" or "PIPE://HOST[:PORT][/PATH]". PIPE is udp, which is the default, tcp, ws
/// or wss. Without a port it is `game_port` for udp and tcp, 80 for ws, 443 for wss. Errors: "bad address".
core::Result<WrittenAddress> parse_address(std::string_view text, std::uint16_t game_port = game_port_default);

/// Returns the value of the header Host. It has no port if that is the default port of ws or wss.
std::string host_header(const WrittenAddress& address);

}  // namespace mobula::net
