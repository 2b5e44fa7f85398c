// Arbitrary bytes to one end of a stream pipe, TCP or WebSocket, a server's or a client's. The end delivers only
// datagrams in bounds, and ends when the peer closes.
//
//   input: a byte of flags (see the bits), then steps
//     0 u16 size, bytes     unframed                 1 u8 first byte, u16 size, bytes    a frame of a WebSocket
//     2 u16 size, bytes     a datagram, framed       3 u16 size                          our end sends a datagram
//     4                     our end finishes the stream
#include <boost/beast/websocket/detail/hybi13.hpp>
#include <fuzz/fuzz.hpp>
#include <fuzz/wire_tap.hpp>
#include <mobula/net/stream_connection_impl.hpp>
#include <mobula/transport/packet.hpp>

namespace fuzz_pipe {

using namespace mobula;

namespace {

constexpr std::size_t steps_max = 200;
constexpr unsigned websocket_bit = 1;
constexpr unsigned client_bit = 2;  // our end is a client
constexpr unsigned open_bit = 4;    // the WebSocket handshake is complete
constexpr unsigned proxy_bit = 8;   // our end trusts its peer, which may name a client

struct Owner final : net::StreamOwner {
  void stream_datagram(net::StreamConnection&, core::ByteView datagram) override {
    fuzz::require(!datagram.empty() && datagram.size() <= transport::datagram_bytes_max, "a datagram has a size");
    fuzz::require(!ended, "no datagram after the end");
  }
  void stream_batch_delivered() override {}
  void stream_ended(net::StreamConnection&) override {
    fuzz::require(!ended, "there is one end");
    ended = true;
  }
  void stream_closed(net::StreamConnection&) override {
    fuzz::require(ended && !closed, "it closes once, after its end");
    closed = true;
  }
  [[nodiscard]] std::span<const net::AddressRange> trusted_proxies() const override { return trusted; }
  [[nodiscard]] bool permits(const std::optional<std::string>& origin, std::string_view host) const override {
    return net::OriginPolicy{{"http://game.example"}}.permits(origin, host);
  }
  bool stream_renamed(net::StreamConnection& stream, const transport::Address& client) override {
    fuzz::require(!stream.is_open() && !ended, "a client is named before the stream is open");
    fuzz::require(net::contains(trusted, stream.address()), "only a trusted proxy names a client");
    stream.set_address(client);
    return client.port % 5 != 0;
  }
  std::vector<net::AddressRange> trusted = {};
  bool ended = false;
  bool closed = false;
};

struct End {
  explicit End(unsigned bits)
      : how(bits), tap(loop.impl().io), setup{loop.impl(), tap.take_socket(), {}, owner, limits} {
    if (is_client()) {
      setup.host = setup.host_header = "localhost";
      setup.path = "/";
    }
    if (!is_client() && (how & proxy_bit) != 0) owner.trusted = {{setup.address.ip, 127}};
    stream = is_websocket() ? net::make_websocket_stream(std::move(setup)) : net::make_tcp_stream(std::move(setup));
    stream->accept();
    tap.settle();
    if (!is_websocket() || (how & open_bit) == 0) return;
    complete_handshake();
    fuzz::require(stream->is_open(), "the WebSocket is open");
  }

  [[nodiscard]] bool is_websocket() const { return (how & websocket_bit) != 0; }
  [[nodiscard]] bool is_client() const { return (how & client_bit) != 0; }

  void complete_handshake() {
    if (!is_client())
      return tap.send(
          "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
    constexpr std::string_view header = "Sec-WebSocket-Key: ";
    const std::string& request = tap.received();
    const std::string key = request.substr(request.find(header) + header.size(), 24);
    boost::beast::websocket::detail::sec_ws_accept_type accept;
    boost::beast::websocket::detail::make_sec_ws_accept(accept, key);
    tap.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
             std::string(accept.data(), accept.size()) + "\r\n\r\n");
  }

  void step(fuzz::Input& input) {
    const std::uint8_t what = input.byte() % 5;
    if (what == 4) return stream->finish(), tap.settle();
    const std::uint8_t first = what == 1 ? input.byte() : test::binary_frame;
    const std::uint16_t size = input.word();
    if (what == 3) return send(size % transport::datagram_bytes_max + 1);
    const core::ByteView bytes = input.bytes(size);
    if (what == 0) return tap.send(bytes);
    if (is_websocket()) return tap.send(test::websocket_frame(first, bytes, !is_client()));
    tap.send(core::as_bytes(&size, 1));
    tap.send(bytes);
  }

  void send(std::size_t bytes) {
    const bool taken = stream->send(core::Bytes(bytes));
    fuzz::require(stream->is_open() || !taken, "a closed stream accepts no datagram");
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

int run_target(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(fuzz::view(data, size));
  End end(input.byte());
  for (std::size_t steps = 0; steps < steps_max && !input.empty(); ++steps) end.step(input);
  end.tap.close();
  fuzz::require(end.owner.closed, "the stream closes with its peer");
  return 0;
}

const mobula::fuzz::Target target("pipe", run_target);

}  // namespace
}  // namespace fuzz_pipe
