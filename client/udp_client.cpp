#include <mobula/client/udp_client.hpp>
#include <mobula/core/content_hash.hpp>

namespace mobula::client {

core::Result<std::unique_ptr<UdpClient>> UdpClient::open(net::EventLoop& loop, ConnectionConfig config) {
  core::Result<std::unique_ptr<net::UdpSocket>> socket = net::UdpSocket::open(loop, transport::Address::any(0));
  if (!socket) return socket.error();
  core::random_bytes(std::as_writable_bytes(std::span(&config.transport.nonce, 1)));
  return std::unique_ptr<UdpClient>(new UdpClient(std::move(*socket), config));
}

UdpClient::UdpClient(std::unique_ptr<net::UdpSocket> socket, const ConnectionConfig& config)
    : socket_(std::move(socket)), connection_(config, core::monotonic_now()) {
  socket_->on_datagram([this](const transport::Address& from, core::ByteView datagram) {
    const core::Nanoseconds now = core::monotonic_now();
    connection_.receive(from, datagram, now);
    if (received_) received_(now);
  });
}

}  // namespace mobula::client
