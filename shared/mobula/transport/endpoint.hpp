// What server and client endpoints share: where datagrams go.
#pragma once

#include <mobula/transport/address.hpp>

namespace mobula::transport {

// A pipe's sending side: a socket, a simulated network. A datagram that cannot be sent is lost.
class Output {
 public:
  virtual ~Output() = default;
  // `datagram` is valid during the call, at most datagram_bytes_max. It may wait until flush().
  virtual void send(const Address& to, core::ByteView datagram) = 0;
  // False: the pipe to this peer is full. What is sent now would be lost, so nothing is worth writing for it.
  [[nodiscard]] virtual bool ready(const Address& /*to*/) const { return true; }
  // Hands over what waits. Once at the end of a tick, and after the answers to a batch of what came in.
  virtual void flush() {}
  // There is no session with this peer any more: a stream closes its connection once what it has taken is sent.
  virtual void finished(const Address& /*to*/) {}
};

}  // namespace mobula::transport
