// All pipes of a server as one: UDP always, TCP and WebSocket where they are wanted. Where a datagram goes, the pipe in
// its address says. The loop must outlive it; handlers are called while the loop runs and must not destroy it.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/stream.hpp>
#include <mobula/net/udp_counters.hpp>
#include <mobula/transport/endpoint.hpp>
#include <optional>
#include <string>

namespace mobula::net {

struct ServerPipesConfig {
  transport::Address listen = {};  // of UDP; the others listen at the same address
  std::optional<std::uint16_t> tcp_port = {};
  std::optional<std::uint16_t> websocket_port = {};
  // PEM files, both or none: WebSocket is then wss and nothing else.
  std::string certificate_file = {};
  std::string key_file = {};
  StreamLimits streams = {};  // of TCP and of WebSocket, each
};

class ServerPipes final : public transport::Output {
 public:
  using DatagramHandler = std::function<void(const transport::Address& from, core::ByteView datagram)>;
  // A stream that has said something is gone, and the owner has not finished it.
  using ClosedHandler = std::function<void(const transport::Address& from, std::string_view reason)>;

  // Refused as by UdpSocket::open, or with "bad certificate", "bad key".
  static core::Result<std::unique_ptr<ServerPipes>> open(EventLoop& loop, const ServerPipesConfig& config);
  ~ServerPipes() override;
  ServerPipes(const ServerPipes&) = delete;
  ServerPipes& operator=(const ServerPipes&) = delete;

  // What comes before there is a handler waits in the kernel. `datagram` is valid during the call.
  void on_datagram(const DatagramHandler& handler);
  void on_closed(const ClosedHandler& handler);

  // A datagram has 1 to datagram_bytes_max bytes. What does not fit, or has nowhere to go, is dropped and counted.
  void send(const transport::Address& to, core::ByteView datagram) override;
  [[nodiscard]] bool ready(const transport::Address& to) const override;
  void flush() override;
  // Without effect on UDP.
  void finished(const transport::Address& to) override;

  // 0: there is no such pipe.
  [[nodiscard]] std::uint16_t local_port(transport::Pipe pipe) const;
  [[nodiscard]] const UdpCounters& udp_counters() const;
  // Of TCP or WebSocket. All zero: there is no such pipe.
  [[nodiscard]] const StreamCounters& stream_counters(transport::Pipe pipe) const;
  [[nodiscard]] std::uint32_t connections(transport::Pipe pipe) const;
  void check() const;

 private:
  struct Impl;
  explicit ServerPipes(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::net
