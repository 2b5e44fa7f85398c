#include <algorithm>
#include <boost/asio/ip/v6_only.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <mobula/net/udp_socket.hpp>
#include <mobula/transport/listen_error.hpp>

namespace mobula::net {
namespace {

namespace asio = boost::asio;
using asio::ip::udp;
using boost::system::error_code;

// Maximum batches per wake-up, so that other sockets get their turn. A handshake costs as much as dozens of inputs, so
// the loop's time ends a wake-up, too: the kernel keeps the rest.
constexpr int batches_per_wake = 4;
// The kernel applies its own limit to it.
constexpr int kernel_buffer_bytes = UdpSocket::kernel_buffer_bytes;

error_code open_and_bind(udp::socket& socket, const udp::endpoint& local) {
  error_code error;
  error_code ignored;
  if (socket.open(local.protocol(), error)) return error;
  if (local.address().is_v6()) socket.set_option(asio::ip::v6_only(!local.address().is_unspecified()), ignored);
  socket.set_option(asio::socket_base::receive_buffer_size(kernel_buffer_bytes), ignored);
  socket.set_option(asio::socket_base::send_buffer_size(kernel_buffer_bytes), ignored);
  if (socket.non_blocking(true, error)) return error;
  socket.bind(local, error);
  return error;
}

}  // namespace

struct UdpSocket::Impl : std::enable_shared_from_this<UdpSocket::Impl> {
  explicit Impl(EventLoop& event_loop) : loop(event_loop.impl()), socket(loop.io) {}

  error_code open(const transport::Address& local);
  void wait();
  void drain();
  void deliver(const UdpReceiveBatch& batch, std::size_t i);

  EventLoop::Impl& loop;
  udp::socket socket;
  UdpPort port;
  Handler handler;
};

// Containers and old kernels may lack IPv6: "any" is then any IPv4 address.
error_code UdpSocket::Impl::open(const transport::Address& local) {
  if (!local.is_v4()) {
    const error_code error = open_and_bind(socket, {to_ip(local), local.port});
    port.v6 = !error;
    if (!error || !local.is_any() || error == asio::error::address_in_use) return error;
    error_code ignored;
    socket.close(ignored);
  }
  return open_and_bind(socket, {local.is_v4() ? to_ip(local) : asio::ip::address_v4::any(), local.port});
}

void UdpSocket::Impl::wait() {
  socket.async_wait(udp::socket::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error || !self->socket.is_open()) return;
    self->drain();
    if (self->socket.is_open()) self->wait();
  });
}

void UdpSocket::Impl::drain() {
  for (int round = 0; round < batches_per_wake; ++round) {
    const int count = loop.receive_batch.receive(port.socket);
    if (count == 0) break;
    for (int i = 0; i < count; ++i) deliver(loop.receive_batch, static_cast<std::size_t>(i));
    if (count > 0 && static_cast<std::size_t>(count) < UdpReceiveBatch::datagrams_max) break;
    if (core::monotonic_now() >= loop.read_until) break;
  }
  loop.send_batch.flush(port);
}

void UdpSocket::Impl::deliver(const UdpReceiveBatch& batch, std::size_t i) {
  if (batch.too_long(i)) {
    ++port.counters.too_long;
    return;
  }
  const core::ByteView datagram = batch.datagram(i);
  ++port.counters.datagrams_received;
  port.counters.bytes_received += datagram.size();
  const transport::Address from = batch.from(i);
  if (port.asked != nullptr)
    if (const AskedAddresses::Ip local = batch.local(i); local != AskedAddresses::Ip{}) port.asked->note(from, local);
  handler(from, datagram);
}

core::Result<std::unique_ptr<UdpSocket>> UdpSocket::open(EventLoop& loop, const transport::Address& local) {
  auto impl = std::make_shared<Impl>(loop);
  if (const error_code error = impl->open(local)) return transport::listen_error("UDP", local, error);
  impl->port.socket = impl->socket.native_handle();
  return std::unique_ptr<UdpSocket>(new UdpSocket(std::move(impl)));
}

UdpSocket::UdpSocket(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

// The pending wait keeps Impl alive until the loop has run once more.
UdpSocket::~UdpSocket() {
  flush();
  error_code ignored;
  impl_->socket.close(ignored);
}

void UdpSocket::on_datagram(Handler handler) {
  const bool waiting = static_cast<bool>(impl_->handler);
  impl_->handler = std::move(handler);
  if (!waiting) impl_->wait();
}

void UdpSocket::send(const transport::Address& to, core::ByteView datagram) {
  impl_->loop.send_batch.add(impl_->port, to, datagram);
}

void UdpSocket::flush() { impl_->loop.send_batch.flush(impl_->port); }

void UdpSocket::answer_from_asked_address() {
  const int on = 1;
  const int failed = impl_->port.v6 ? ::setsockopt(impl_->port.socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on)
                                    : ::setsockopt(impl_->port.socket, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  if (failed == 0) impl_->port.asked = std::make_unique<AskedAddresses>();
}

std::uint16_t UdpSocket::local_port() const {
  error_code ignored;
  return impl_->socket.local_endpoint(ignored).port();
}

std::size_t UdpSocket::receive_buffer_bytes() const {
  asio::socket_base::receive_buffer_size size;
  error_code error;
  impl_->socket.get_option(size, error);
  return error ? 0 : static_cast<std::size_t>(std::max(size.value(), 0));
}

const UdpCounters& UdpSocket::counters() const { return impl_->port.counters; }

}  // namespace mobula::net
