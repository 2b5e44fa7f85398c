#include <boost/asio/ip/v6_only.hpp>
#include <mobula/core/format.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <mobula/net/udp_socket.hpp>

namespace mobula::net {
namespace {

namespace asio = boost::asio;
using asio::ip::udp;
using boost::system::error_code;

// A wake-up takes so many at most, then the other sockets have their turn.
constexpr int datagrams_per_wake = 64;
// Asked for; the kernel gives what its own limit allows.
constexpr int kernel_buffer_bytes = 4 * 1024 * 1024;

asio::ip::address_v4 v4_of(const transport::Address& address) {
  return asio::ip::address_v4({address.ip[12], address.ip[13], address.ip[14], address.ip[15]});
}

core::Error open_error(const transport::Address& local, const error_code& error) {
  const std::string where = local.is_any() ? core::format("port {}", local.port) : to_string(local);
  if (error == asio::error::address_in_use) {
    return {"port in use", core::format("cannot listen on UDP {}: another program uses it", where)};
  }
  if (error == asio::error::access_denied) {
    return {"no permission", core::format("cannot listen on UDP {}: not permitted", where)};
  }
  if (error.value() == EADDRNOTAVAIL) {
    return {"no such address", core::format("cannot listen on UDP {}: this machine has no such address", where)};
  }
  return {"cannot open", core::format("cannot open UDP {}: {}", where, error.message())};
}

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
  void send(const transport::Address& to, core::ByteView datagram);

  EventLoop::Impl& loop;
  udp::socket socket;
  bool v6 = false;
  Handler handler;
  UdpCounters counters;
};

// Containers and old kernels may have no IPv6: "any" is then any IPv4 address.
error_code UdpSocket::Impl::open(const transport::Address& local) {
  if (!local.is_v4()) {
    const error_code error = open_and_bind(socket, {asio::ip::address_v6(local.ip), local.port});
    v6 = !error;
    if (!error || !local.is_any() || error == asio::error::address_in_use) return error;
    error_code ignored;
    socket.close(ignored);
  }
  return open_and_bind(socket, {local.is_v4() ? v4_of(local) : asio::ip::address_v4::any(), local.port});
}

void UdpSocket::Impl::wait() {
  socket.async_wait(udp::socket::wait_read, [self = shared_from_this()](const error_code& error) {
    if (error || !self->socket.is_open()) return;
    self->drain();
    if (self->socket.is_open()) self->wait();
  });
}

void UdpSocket::Impl::drain() {
  for (int i = 0; i < datagrams_per_wake; ++i) {
    udp::endpoint from;
    error_code error;
    const std::size_t size = socket.receive_from(asio::buffer(loop.buffer), from, 0, error);
    if (error == asio::error::would_block) return;
    if (error) continue;  // an earlier datagram of ours was refused at its destination
    ++counters.datagrams_received;
    counters.bytes_received += size;
    handler(to_address(from), core::ByteView(loop.buffer.data(), size));
  }
}

void UdpSocket::Impl::send(const transport::Address& to, core::ByteView datagram) {
  udp::endpoint endpoint(asio::ip::address_v6(to.ip), to.port);
  if (!v6) {
    if (!to.is_v4()) {
      ++counters.send_errors;
      return;
    }
    endpoint.address(v4_of(to));
  }
  error_code error;
  socket.send_to(asio::buffer(datagram.data(), datagram.size()), endpoint, 0, error);
  if (error == asio::error::would_block || error == asio::error::no_buffer_space) {
    ++counters.dropped_full;
  } else if (error) {
    ++counters.send_errors;
  } else {
    ++counters.datagrams_sent;
    counters.bytes_sent += datagram.size();
  }
}

core::Result<std::unique_ptr<UdpSocket>> UdpSocket::open(EventLoop& loop, const transport::Address& local) {
  auto impl = std::make_shared<Impl>(loop);
  if (const error_code error = impl->open(local)) return open_error(local, error);
  return std::unique_ptr<UdpSocket>(new UdpSocket(std::move(impl)));
}

UdpSocket::UdpSocket(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

// The wait that is under way holds Impl until the loop has run once more.
UdpSocket::~UdpSocket() {
  error_code ignored;
  impl_->socket.close(ignored);
}

void UdpSocket::on_datagram(Handler handler) {
  const bool waiting = static_cast<bool>(impl_->handler);
  impl_->handler = std::move(handler);
  if (!waiting) impl_->wait();
}

void UdpSocket::send(const transport::Address& to, core::ByteView datagram) { impl_->send(to, datagram); }

std::uint16_t UdpSocket::local_port() const {
  error_code ignored;
  return impl_->socket.local_endpoint(ignored).port();
}

const UdpCounters& UdpSocket::counters() const { return impl_->counters; }

}  // namespace mobula::net
