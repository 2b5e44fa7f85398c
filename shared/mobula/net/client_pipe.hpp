// A client's way to one server: a UDP socket of its own, or one TCP or WebSocket connection. Thousands share a loop,
// which must outlive them. Handlers are called while the loop runs; on_datagram's must not destroy the pipe,
// on_closed's may.
#pragma once

#include <functional>
#include <memory>
#include <mobula/net/destination.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/stream.hpp>
#include <mobula/transport/endpoint.hpp>

namespace mobula::net {

struct ClientPipeConfig {
  std::string ca_file = {};  // PEM: whom wss trusts. Empty: the certificates of the system
  StreamLimits stream = {};
};

struct ClientPipeCounters {
  std::uint64_t datagrams_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t dropped = 0;  // no room, not connected, or refused by the kernel
};

class ClientPipe : public transport::Output {
 public:
  using DatagramHandler = std::function<void(const transport::Address& from, core::ByteView datagram)>;
  using ClosedHandler = std::function<void(std::string_view reason)>;

  // Connecting goes on while the loop runs; meanwhile a stream is not ready, and drops what it is given. Refused as by
  // UdpSocket::open, or with "bad certificate".
  static core::Result<std::unique_ptr<ClientPipe>> open(EventLoop& loop, const Destination& destination,
                                                        const ClientPipeConfig& config = {});

  // What comes before there is a handler waits.
  virtual void on_datagram(DatagramHandler handler) = 0;
  // A stream could not be made or is gone, once, unless finished() asked for it. Never for UDP.
  virtual void on_closed(ClosedHandler handler) = 0;
  [[nodiscard]] virtual ClientPipeCounters counters() const = 0;
};

}  // namespace mobula::net
