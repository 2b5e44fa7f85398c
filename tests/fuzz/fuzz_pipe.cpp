// Any bytes to one end of a stream pipe, TCP or WebSocket, a server's or a client's: what is heard are datagrams, and
// when the peer is gone so is the stream.
//
//   input: a byte that says how (see the bits), then steps of a byte and what it needs
//     0 u16 size, bytes     as they are              1 u8 first byte, u16 size, bytes    a frame of a WebSocket
//     2 u16 size, bytes     a datagram, framed       3 u16 size                          our end sends a datagram
//     4                     our end sends a close frame
#include <boost/beast/websocket/detail/hybi13.hpp>
#include <fuzz/fuzz.hpp>
#include <fuzz/wire_tap.hpp>
#include <mobula/net/stream_connection_impl.hpp>
#include <mobula/transport/packet.hpp>

using namespace mobula;

namespace {

constexpr std::size_t steps_max = 200;
constexpr unsigned websocket_bit = 1;
constexpr unsigned client_bit = 2;  // our end is a client
constexpr unsigned agreed_bit = 4;  // on the WebSocket

struct Owner final : net::StreamOwner {
  void stream_datagram(net::StreamConnection&, core::ByteView datagram) override {
    fuzz::require(!datagram.empty() && datagram.size() <= transport::datagram_bytes_max, "a datagram has a size");
    fuzz::require(!ended, "after the end nothing is told");
  }
  void stream_batch_delivered() override {}
  void stream_ended(net::StreamConnection&) override {
    fuzz::require(!ended, "there is one end");
    ended = true;
  }
  void stream_closed(net::StreamConnection&) override {
    fuzz::require(ended && !gone, "it goes once, after its end");
    gone = true;
  }
  bool ended = false;
  bool gone = false;
};

struct End {
  explicit End(unsigned bits)
      : how(bits), tap(loop.impl().io), setup{loop.impl(), tap.take_socket(), {}, owner, limits} {
    if (is_client()) setup.host = setup.host_header = "localhost";
    stream = is_websocket() ? net::make_websocket_stream(std::move(setup)) : net::make_tcp_stream(std::move(setup));
    stream->accept();
    tap.settle();
    if (!is_websocket() || (how & agreed_bit) == 0) return;
    agree();
    fuzz::require(stream->is_open(), "both agree on a WebSocket");
  }

  [[nodiscard]] bool is_websocket() const { return (how & websocket_bit) != 0; }
  [[nodiscard]] bool is_client() const { return (how & client_bit) != 0; }

  void agree() {
    if (!is_client())
      return tap.say(
          "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
    constexpr std::string_view header = "Sec-WebSocket-Key: ";
    const std::string& asked = tap.heard();
    const std::string key = asked.substr(asked.find(header) + header.size(), 24);
    boost::beast::websocket::detail::sec_ws_accept_type accept;
    boost::beast::websocket::detail::make_sec_ws_accept(accept, key);
    tap.say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
            std::string(accept.data(), accept.size()) + "\r\n\r\n");
  }

  void step(fuzz::Input& input) {
    const std::uint8_t what = input.byte() % 5;
    if (what == 4) return stream->finish(), tap.settle();
    const std::uint8_t first = what == 1 ? input.byte() : test::whole_binary;
    const std::uint16_t size = input.word();
    if (what == 3) return send(size % transport::datagram_bytes_max + 1);
    const core::ByteView bytes = input.bytes(size);
    if (what == 0) return tap.say(bytes);
    if (is_websocket()) return tap.say(test::websocket_frame(first, bytes, !is_client()));
    tap.say(core::as_bytes(&size, 1));
    tap.say(bytes);
  }

  void send(std::size_t bytes) {
    const bool taken = stream->send(core::Bytes(bytes));
    fuzz::require(stream->is_open() || !taken, "what is not open takes nothing");
    stream->write();
    tap.settle();
  }

  unsigned how;
  net::EventLoop loop;
  net::StreamLimits limits;
  Owner owner;
  test::WireTap tap;
  net::StreamSetup setup;
  std::shared_ptr<net::StreamConnection> stream;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(fuzz::view(data, size));
  End end(input.byte());
  for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) end.step(input);
  end.tap.close();
  fuzz::require(end.owner.gone, "whoever has gone is gone");
  return 0;
}
