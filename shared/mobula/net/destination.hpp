// Server address and pipe of a client's connection.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/address.hpp>
#include <string>
#include <string_view>

namespace mobula::net {

/// Server address of a client, with its pipe and host name.
struct Destination {
  transport::Address address;  // with its pipe
  bool secure = false;         // wss
  std::string host;            // as written, for TLS; without brackets
  std::string host_header;     // for a WebSocket, with its path
  std::string path = "/";

  [[nodiscard]] transport::Pipe pipe() const { return address.pipe; }
};

/// Parses an address as parse_address() does. Resolves a host name, which blocks.
/// Errors: "bad address", "unknown host".
core::Result<Destination> parse_destination(std::string_view text);

/// Returns the destination of a known address, for example of a token. Never secure: there is no name to verify.
Destination destination_of(const transport::Address& address);

}  // namespace mobula::net
