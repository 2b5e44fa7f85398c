// Sending interface shared by server and client endpoints.
#pragma once

#include <mobula/core/format.hpp>
#include <mobula/transport/address.hpp>

namespace mobula::transport {

/// Text of the disconnect reason of a session whose path has shrunk (Session::path_shrank).
inline constexpr const char* path_shrank_text = "large datagrams do not arrive any more";

/// Number of times that a disconnect reason is sent. None is acknowledged. netcode's disconnect packets are not sent,
/// as one that overtakes the reasons would hide them.
inline constexpr int disconnect_copies = 4;

/// Returns the text of the disconnect reason of a session that has failed (Session::failed).
inline std::string message_too_large(std::uint32_t bytes_max) {
  return core::format("a reliable message has more than {} bytes", bytes_max);
}

/// Sending side of a pipe: a socket, or a simulated network. A datagram that cannot be sent is lost.
class Output {
 public:
  virtual ~Output() = default;
  /// Sends a datagram of at most datagram_bytes_max, valid during the call. It may be buffered until flush().
  virtual void send(const Address& to, core::ByteView datagram) = 0;
  /// Returns false if the pipe to this peer is full. A datagram sent now would be lost.
  [[nodiscard]] virtual bool ready(const Address& /*to*/) const { return true; }
  /// Sends buffered datagrams. Call it at the end of a tick, and after answering a batch of received datagrams.
  virtual void flush() {}
  /// Ends the pipe to a peer without a session: a stream sends its queue, then closes the connection.
  virtual void finished(const Address& /*to*/) {}
};

}  // namespace mobula::transport
