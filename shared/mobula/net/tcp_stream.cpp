// Datagrams over TCP, framed as in datagram_framing.hpp.
#include <mobula/net/datagram_framing.hpp>
#include <mobula/net/stream_on_impl.hpp>

namespace mobula::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

class TcpStream final : public StreamOn<tcp::socket> {
 public:
  explicit TcpStream(StreamSetup& setup) : StreamOn(setup, std::move(setup.socket)) {}

 private:
  void start() override {
    opened();
    handle_bytes(begun_);
    if (state_ != State::closed) wait();
  }

  bool append_frame(core::ByteView datagram) override {
    const auto size = static_cast<std::uint16_t>(datagram.size());
    append(core::as_bytes(&size, 1));
    append(datagram);
    return true;
  }

  void wait();
  void read();
  void handle_bytes(core::ByteView bytes);

  DatagramReader reader_;
};

void TcpStream::wait() {
  next_.async_wait(tcp::socket::wait_read, [this, self = shared_from_this()](const error_code& error) {
    if (!error && state_ != State::closed) read();
  });
}

void TcpStream::read() {
  error_code error;
  const std::size_t count = next_.read_some(asio::buffer(loop_.stream_bytes), error);
  if (error && error != asio::error::would_block) return read_failed(error);
  if (!error) handle_bytes(core::ByteView(loop_.stream_bytes).first(count));
  batch_delivered();
  if (state_ != State::closed) wait();
}

// Bytes after the end are ignored.
void TcpStream::handle_bytes(core::ByteView bytes) {
  while (state_ == State::open) {
    const core::Result<core::ByteView> datagram = reader_.next(bytes);
    if (!datagram) return end(StreamEnd::bad_length, CloseFrame::none);
    if (datagram->empty()) return;
    deliver(*datagram);
  }
}

}  // namespace

std::shared_ptr<StreamConnection> make_tcp_stream(StreamSetup setup) { return std::make_shared<TcpStream>(setup); }

}  // namespace mobula::net
