// What server and client endpoints share: where datagrams go.
#pragma once

#include <mobula/transport/address.hpp>

namespace mobula::transport {

// A pipe's sending side: a socket, a simulated network. A datagram that cannot be sent is lost.
class Output {
 public:
  virtual ~Output() = default;
  // `datagram` is valid during the call, at most datagram_bytes_max.
  virtual void send(const Address& to, core::ByteView datagram) = 0;
};

}  // namespace mobula::transport
