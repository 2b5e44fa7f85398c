// A Connection on a UDP socket of its own.
#pragma once

#include <functional>
#include <memory>
#include <mobula/client/connection.hpp>
#include <mobula/net/udp_socket.hpp>

namespace mobula::client {

class UdpClient {
 public:
  // Reasons: those of opening a socket. The connection's nonce is chosen here.
  static core::Result<std::unique_ptr<UdpClient>> open(net::EventLoop& loop, ConnectionConfig config);

  void update() { connection_.update(core::monotonic_now(), *socket_); }
  void close() { connection_.close(*socket_); }
  // Called after each datagram has been taken in.
  void on_received(std::function<void(core::Nanoseconds now)> handler) { received_ = std::move(handler); }
  [[nodiscard]] Connection& connection() { return connection_; }

 private:
  UdpClient(std::unique_ptr<net::UdpSocket> socket, const ConnectionConfig& config);

  std::unique_ptr<net::UdpSocket> socket_;
  Connection connection_;
  std::function<void(core::Nanoseconds now)> received_;
};

}  // namespace mobula::client
