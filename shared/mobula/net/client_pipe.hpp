// Pipe from a client to one server: a UDP socket, or a TCP or WebSocket connection. Thousands of pipes may share a
// loop, which must outlive them. Handlers are called while the loop runs. The handler of on_datagram must not destroy
// the pipe; that of on_closed may.
#pragma once

#include <functional>
#include <memory>
#include <mobula/net/destination.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/stream.hpp>
#include <mobula/transport/endpoint.hpp>

namespace mobula::net {

/// Configuration of a client's pipe.
struct ClientPipeConfig {
  std::string ca_file = {};  // PEM: trusted certificates for wss. Empty for the system's certificates
  StreamLimits stream = {};
};

/// Counters of a client's pipe.
struct ClientPipeCounters {
  std::uint64_t datagrams_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t dropped = 0;  // queue full, not connected, or refused by the kernel
};

/// Pipe from a client to one server.
class ClientPipe : public transport::Output {
 public:
  using DatagramHandler = std::function<void(const transport::Address& from, core::ByteView datagram)>;
  using ClosedHandler = std::function<void(std::string_view reason)>;

  /// Opens a pipe. A stream connects while the loop runs; until then it is not ready and drops datagrams.
  /// Errors: those of UdpSocket::open, and "bad certificate".
  static core::Result<std::unique_ptr<ClientPipe>> open(EventLoop& loop, const Destination& destination,
                                                        const ClientPipeConfig& config = {});

  /// Sets the handler of received datagrams. Earlier datagrams are kept until there is one.
  virtual void on_datagram(DatagramHandler handler) = 0;
  /// Sets the handler of a stream that could not be opened or was closed. It is called once, but not after finished()
  /// and never for UDP.
  virtual void on_closed(ClosedHandler handler) = 0;
  [[nodiscard]] virtual ClientPipeCounters counters() const = 0;
};

}  // namespace mobula::net
