// All pipes of a server as one output: UDP always, TCP and WebSocket if configured. The pipe in an address selects the
// pipe. The loop must outlive this. Handlers are called while the loop runs and must not destroy it.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/net/address_range.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/origin.hpp>
#include <mobula/net/stream.hpp>
#include <mobula/net/udp_counters.hpp>
#include <mobula/transport/endpoint.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mobula::net {

/// Configuration of a server's pipes.
struct ServerPipesConfig {
  transport::Address listen = {};  // UDP address; TCP and WebSocket use the same IP address
  std::optional<std::uint16_t> tcp_port = {};
  std::optional<std::uint16_t> websocket_port = {};
  /// PEM files, both or none. With them WebSocket accepts wss only.
  std::string certificate_file = {};
  std::string key_file = {};
  StreamLimits streams = {};  // for TCP and WebSocket, each
  /// Peers that name their clients, by PROXY protocol or in the headers of a WebSocket's request. The address of such a
  /// connection is the client's.
  std::vector<AddressRange> trusted_proxies = {};
  /// Pages of browsers that may connect over WebSocket.
  OriginPolicy origins = {};
};

/// All pipes of a server.
class ServerPipes final : public transport::Output {
 public:
  using DatagramHandler = std::function<void(const transport::Address& from, core::ByteView datagram)>;
  /// Called for a closed stream that had sent a datagram and was not finished by the owner.
  using ClosedHandler = std::function<void(const transport::Address& from, std::string_view reason)>;

  /// Opens the pipes. Errors: those of UdpSocket::open, "bad certificate", "bad key".
  static core::Result<std::unique_ptr<ServerPipes>> open(EventLoop& loop, const ServerPipesConfig& config);
  ~ServerPipes() override;
  ServerPipes(const ServerPipes&) = delete;
  ServerPipes& operator=(const ServerPipes&) = delete;

  /// Sets the handler of received datagrams, which are valid during the call. Earlier ones are kept by the kernel.
  void on_datagram(const DatagramHandler& handler);
  void on_closed(const ClosedHandler& handler);

  /// Sends a datagram of 1 to datagram_bytes_max bytes. It is dropped and counted if the queue is full or the
  /// connection closed.
  void send(const transport::Address& to, core::ByteView datagram) override;
  [[nodiscard]] bool ready(const transport::Address& to) const override;
  void flush() override;
  /// Closes a stream after its queue is sent. Has no effect on UDP.
  void finished(const transport::Address& to) override;

  /// Returns the port. 0 if the pipe is not open.
  [[nodiscard]] std::uint16_t local_port(transport::Pipe pipe) const;
  [[nodiscard]] const UdpCounters& udp_counters() const;
  /// Returns the size of the kernel's receive buffer for UDP, in bytes, if it is smaller than requested.
  [[nodiscard]] std::optional<std::size_t> small_udp_buffer() const;
  /// Returns the counters and connections of TCP or WebSocket. All zero if the pipe is not open.
  [[nodiscard]] const StreamCounters& stream_counters(transport::Pipe pipe) const;
  [[nodiscard]] std::uint32_t connections(transport::Pipe pipe) const;
  void check() const;

 private:
  struct Impl;
  explicit ServerPipes(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::net
