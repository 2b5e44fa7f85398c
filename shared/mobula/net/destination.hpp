// Where a client connects to, and over which pipe.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/transport/address.hpp>
#include <string>
#include <string_view>

namespace mobula::net {

struct Destination {
  transport::Address address;  // with its pipe
  bool secure = false;         // wss
  std::string host;            // as it was written, for TLS and HTTP; no brackets
  std::string host_and_port;

  [[nodiscard]] transport::Pipe pipe() const { return address.pipe; }
};

// "[udp:|tcp:|ws:|wss:]HOST:PORT", udp where nothing is said. A name is looked up and the call waits for the answer.
// Refused as by resolve().
core::Result<Destination> parse_destination(std::string_view text);

// Of a token's address, or another that is known already. Never secure: an address has no name to check.
Destination destination_of(const transport::Address& address);

}  // namespace mobula::net
