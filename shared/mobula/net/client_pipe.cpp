#include <mobula/core/format.hpp>
#include <mobula/net/client_pipe.hpp>
#include <mobula/net/stream_connection_impl.hpp>
#include <mobula/net/tls_impl.hpp>
#include <mobula/net/udp_socket.hpp>

namespace mobula::net {
namespace {

using transport::Address;

class UdpClientPipe final : public ClientPipe {
 public:
  explicit UdpClientPipe(std::unique_ptr<UdpSocket> socket) : socket_(std::move(socket)) {}

  void on_datagram(DatagramHandler handler) override { socket_->on_datagram(std::move(handler)); }
  void on_closed(ClosedHandler) override {}
  void send(const Address& to, core::ByteView datagram) override { socket_->send(to, datagram); }
  void flush() override { socket_->flush(); }
  [[nodiscard]] ClientPipeCounters counters() const override {
    const UdpCounters& udp = socket_->counters();
    return {udp.datagrams_sent, udp.bytes_sent, udp.datagrams_received, udp.bytes_received,
            udp.dropped_full + udp.send_errors};
  }

 private:
  std::unique_ptr<UdpSocket> socket_;
};

// Sends to one address only: its server's.
class StreamClientPipe final : public ClientPipe, private StreamOwner {
 public:
  StreamClientPipe(EventLoop& loop, const Destination& destination, const StreamLimits& limits,
                   std::shared_ptr<boost::asio::ssl::context> tls);
  ~StreamClientPipe() override { stream_->abandon(); }

  void on_datagram(DatagramHandler handler) override { datagram_ = std::move(handler); }
  void on_closed(ClosedHandler handler) override { closed_ = std::move(handler); }
  void send(const Address& to, core::ByteView datagram) override;
  void flush() override { stream_->write(); }
  [[nodiscard]] bool ready(const Address& to) const override { return to == stream_->address() && stream_->ready(); }
  void finished(const Address& to) override {
    if (to == stream_->address()) stream_->finish();
  }
  [[nodiscard]] ClientPipeCounters counters() const override { return counters_; }

 private:
  void stream_datagram(StreamConnection& stream, core::ByteView datagram) override;
  void stream_batch_delivered() override { flush(); }
  void stream_ended(StreamConnection& stream) override;
  void stream_closed(StreamConnection&) override {}

  std::shared_ptr<StreamConnection> stream_;
  DatagramHandler datagram_;
  ClosedHandler closed_;
  ClientPipeCounters counters_;
};

StreamClientPipe::StreamClientPipe(EventLoop& loop, const Destination& destination, const StreamLimits& limits,
                                   std::shared_ptr<boost::asio::ssl::context> tls) {
  StreamSetup setup{.loop = loop.impl(),
                    .socket = boost::asio::ip::tcp::socket(loop.impl().io),
                    .address = destination.address,
                    .owner = *this,
                    .limits = limits};
  setup.tls = std::move(tls);
  setup.host = destination.host;
  setup.host_header = destination.host_header;
  setup.path = destination.path;
  const bool tcp = destination.pipe() == transport::Pipe::tcp;
  stream_ = tcp ? make_tcp_stream(std::move(setup)) : make_websocket_stream(std::move(setup));
  stream_->connect(to_endpoint(destination.address));
}

void StreamClientPipe::send(const Address& to, core::ByteView datagram) {
  if (to != stream_->address() || !stream_->send(datagram)) {
    ++counters_.dropped;
    return;
  }
  ++counters_.datagrams_sent;
  counters_.bytes_sent += datagram.size();
}

void StreamClientPipe::stream_datagram(StreamConnection& stream, core::ByteView datagram) {
  ++counters_.datagrams_received;
  counters_.bytes_received += datagram.size();
  if (datagram_) datagram_(stream.address(), datagram);
}

// The handler may destroy this object, and with it the handler itself.
void StreamClientPipe::stream_ended(StreamConnection& stream) {
  if (stream.how_ended() == StreamEnd::finished || !closed_) return;
  const ClosedHandler closed = std::move(closed_);
  closed(stream.why_ended());
}

}  // namespace

core::Result<std::unique_ptr<ClientPipe>> ClientPipe::open(EventLoop& loop, const Destination& destination,
                                                           const ClientPipeConfig& config) {
  if (destination.pipe() == transport::Pipe::udp) {
    auto socket = UdpSocket::open(loop, Address::any(0));
    if (!socket) return socket.error();
    return std::unique_ptr<ClientPipe>(std::make_unique<UdpClientPipe>(std::move(*socket)));
  }
  std::shared_ptr<boost::asio::ssl::context> tls;
  if (destination.secure) {
    auto made = client_tls(loop.impl(), config.ca_file);
    if (!made) return made.error();
    tls = *made;
  }
  return std::unique_ptr<ClientPipe>(std::make_unique<StreamClientPipe>(loop, destination, config.stream, tls));
}

}  // namespace mobula::net
