#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <mobula/core/format.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <mobula/net/http_url.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/net/text_socket.hpp>

namespace mobula::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

}  // namespace

// Handlers of Asio share it, so that it outlives its owner until they have run.
struct TextSocket::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& io, std::string address, Handlers given, HttpOptions chosen)
      : url(std::move(address)), handlers(std::move(given)), options(std::move(chosen)), stream(io) {}

  void connect() {
    if (over) return;
    const core::Result<HttpUrl> parts = parse_http_url(url);
    if (!parts) return end(parts.error());
    const core::Result<transport::Address> address = resolve(parts->host_port);
    if (!address) return end({"unreachable", core::format("{}: {}", url, address.error().message)});
    beast::tcp_stream& tcp = stream.next_layer();
    tcp.expires_after(std::chrono::nanoseconds(options.timeout));
    tcp.async_connect(tcp::endpoint(to_ip(*address), address->port),
                      [self = shared_from_this(), parts = *parts](error_code error) {
                        if (self->over) return;
                        if (error) return self->end(self->failure(error, "unreachable"));
                        self->shake_hands(parts);
                      });
  }

  void shake_hands(const HttpUrl& parts) {
    stream.next_layer().expires_never();
    stream.set_option(websocket::stream_base::timeout{std::chrono::nanoseconds(options.timeout),
                                                      std::chrono::nanoseconds(silence_max), true});
    stream.set_option(websocket::stream_base::decorator([bearer = options.bearer](websocket::request_type& request) {
      if (!bearer.empty()) request.set(beast::http::field::authorization, "Bearer " + bearer);
    }));
    stream.read_message_max(options.answer_bytes_max);
    stream.async_handshake(response, parts.host_port, parts.target, [self = shared_from_this()](error_code error) {
      if (self->over) return;
      if (!error) return self->read();
      const bool declined = error == websocket::error::upgrade_declined;
      self->end(declined ? core::Error{"refused", core::format("{}: {}", self->url, self->response.result_int())}
                         : self->failure(error, "closed"));
    });
  }

  void read() {
    stream.async_read(buffer, [self = shared_from_this()](error_code error, std::size_t) {
      if (self->over) return;
      if (error) return self->end(self->failure(error, "closed"));
      if (!self->stream.got_text()) return self->end({"closed", self->url + ": a message that is no text"});
      self->open = true;
      const auto bytes = self->buffer.cdata();
      self->handlers.on_text({static_cast<const char*>(bytes.data()), bytes.size()});
      if (self->over) return;
      self->buffer.clear();
      self->read();
    });
  }

  void send(std::string text) {
    if (over || !open) return;
    waiting.push_back(std::move(text));
    if (waiting.size() == 1) write();
  }

  // A failed write is followed by a failed read.
  void write() {
    stream.text(true);
    stream.async_write(asio::buffer(waiting.front()), [self = shared_from_this()](error_code error, std::size_t) {
      if (self->over || error) return;
      self->waiting.pop_front();
      if (!self->waiting.empty()) self->write();
    });
  }

  [[nodiscard]] core::Error failure(error_code error, const char* reason) const {
    if (error == beast::error::timeout) return {"timed out", core::format("{}: no answer in time", url)};
    return {reason, core::format("{}: {}", url, error.message())};
  }

  void end(const core::Error& error) {
    close();
    handlers.on_end(error);
  }

  void close() {
    over = true;
    stream.next_layer().close();
  }

  std::string url;
  Handlers handlers;
  HttpOptions options;
  websocket::stream<beast::tcp_stream> stream;
  websocket::response_type response;
  beast::flat_buffer buffer;
  std::deque<std::string> waiting;  // the first one is being written
  bool open = false;                // a text has arrived
  bool over = false;
};

TextSocket::TextSocket(EventLoop& events, std::string url, Handlers handlers, HttpOptions options)
    : impl_(std::make_shared<Impl>(events.impl().io, std::move(url), std::move(handlers), std::move(options))) {
  asio::post(events.impl().io, [impl = impl_] { impl->connect(); });
}

TextSocket::~TextSocket() { impl_->close(); }

void TextSocket::send(std::string text) { impl_->send(std::move(text)); }

}  // namespace mobula::net
