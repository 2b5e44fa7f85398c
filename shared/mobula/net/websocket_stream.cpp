// Datagrams over WebSocket: one binary message each, without extensions. Beast does the handshake, reads messages and
// answers pings; it writes into the connection's queue. A server accepts any path: a proxy may add one.
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/forwarded.hpp>
#include <mobula/net/queue_layer_impl.hpp>
#include <mobula/net/stream_on_impl.hpp>

namespace mobula::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;
using TlsSocket = asio::ssl::stream<tcp::socket>;

constexpr std::uint32_t request_bytes_max = 4096;
constexpr std::size_t read_bytes_max = 8 * 1024;
// Room above the queue's limit, for pongs and a close frame on a full pipe.
constexpr std::size_t control_bytes_max = 4 * 1024;
// Pings, pongs and close frames of a peer between two messages. Else unauthenticated peers could keep a core busy.
constexpr std::uint32_t controls_max = 32;
// Buffer size that masks a client's message in one piece.
constexpr std::size_t mask_bytes = 2 * transport::datagram_bytes_max;

constexpr std::size_t shown_bytes = 100;

constexpr std::string_view bad_request = "400 Bad Request";
constexpr std::string_view header_too_large = "431 Request Header Fields Too Large";
constexpr std::string_view forbidden = "403 Forbidden";
constexpr std::string_view upgrade_required = "426 Upgrade Required\r\nUpgrade: websocket\r\nConnection: Upgrade";

// Returns the values of all fields of that name, joined by commas (RFC 9110, 5.3).
template <class Fields>
std::string joined(const Fields& fields, std::string_view name) {
  std::string all;
  const auto [first, last] = fields.equal_range(name);
  for (auto field = first; field != last; ++field) {
    if (!all.empty()) all += ',';
    all.append(field->value().data(), field->value().size());
  }
  return all;
}

template <class Next>
class WebSocketStream final : public StreamOn<Next>, private FrameQueue {
 public:
  WebSocketStream(StreamSetup& setup, Next&& next)
      : StreamOn<Next>(setup, std::move(next)),
        tls_(std::move(setup.tls)),
        host_(std::move(setup.host)),
        host_header_(std::move(setup.host_header)),
        path_(std::move(setup.path)),
        websocket_(this->next_, static_cast<FrameQueue&>(*this)) {
    websocket_.binary(true);
    websocket_.auto_fragment(false);
    websocket_.write_buffer_bytes(mask_bytes);
    websocket_.read_message_max(transport::datagram_bytes_max);
    websocket_.control_callback([this](beast::websocket::frame_type, beast::string_view) { on_control(); });
  }

 private:
  using Base = StreamOn<Next>;
  using CloseFrame = typename Base::CloseFrame;
  using State = typename Base::State;
  using Request = beast::http::request_parser<beast::http::empty_body>;

  void start() override;
  void upgrade();
  void read_request();
  void answer_request();
  void opening_failed(std::string_view why);
  void tls_failed(const error_code& error);
  void request_failed(const error_code& error);
  [[nodiscard]] bool is_permitted() const;
  void refuse_malformed(std::string_view status, std::string_view text);
  void refuse_request(StreamEnd reason, std::string_view status, std::string_view text);
  void upgraded(const error_code& error);
  void read();
  void on_control();
  void on_message(const error_code& error);
  void on_failure(const error_code& error);
  bool append_frame(core::ByteView datagram) override;
  void append_close_frame(CloseFrame frame) override;

  error_code queue_frame(std::size_t bytes) override;
  void queue_bytes(core::ByteView bytes) override;
  void queue_is_due() override { this->write(); }

  [[nodiscard]] auto self() { return this->shared_from_this(); }

  std::shared_ptr<asio::ssl::context> tls_;
  std::string host_;
  std::string host_header_;
  std::string path_;
  beast::websocket::stream<QueueLayer<Next>, false> websocket_;
  std::unique_ptr<Request> request_;
  beast::websocket::response_type answer_;  // to a client
  beast::flat_buffer buffer_{read_bytes_max};
  std::uint32_t controls_ = 0;  // control frames since the last message
};

template <class Next>
void WebSocketStream<Next>::start() {
  if constexpr (std::is_same_v<Next, tcp::socket>) {
    buffer_.commit(asio::buffer_copy(buffer_.prepare(this->begun_.size()), asio::buffer(this->begun_)));
    upgrade();
  } else {
    if (!this->begun_.empty()) return opening_failed("no TLS handshake");
    const auto role = this->server_ ? asio::ssl::stream_base::server : asio::ssl::stream_base::client;
    this->next_.async_handshake(role, [this, hold = self()](const error_code& error) {
      if (this->state_ != State::opening) return;
      if (error) return tls_failed(error);
      upgrade();
    });
  }
}

template <class Next>
void WebSocketStream<Next>::upgrade() {
  if (this->server_) return read_request();
  websocket_.async_handshake(answer_, host_header_, path_, [this, hold = self()](const error_code& error) {
    if (error == beast::websocket::error::upgrade_declined)
      this->why_ended_ = core::format("the answer to the WebSocket request has status {}", answer_.result_int());
    else if (error)
      this->why_ended_ = "no answer to the WebSocket request: " + error.message();
    upgraded(error);
  });
}

template <class Next>
void WebSocketStream<Next>::read_request() {
  request_ = std::make_unique<Request>();
  request_->header_limit(request_bytes_max);
  request_->body_limit(0);
  beast::http::async_read(websocket_.next_layer(), buffer_, *request_,
                          [this, hold = self()](const error_code& error, std::size_t) {
                            if (this->state_ != State::opening) return;
                            if (error) return request_failed(error);
                            answer_request();
                          });
}

// A server's log and a client's error name the cause.
template <class Next>
void WebSocketStream<Next>::opening_failed(std::string_view why) {
  if (this->server_) this->log_refused(why);
  this->why_ended_ = why;
  this->close(StreamEnd::bad_handshake);
}

// A peer that has closed its connection, such as a probe of the port, is not refused.
template <class Next>
void WebSocketStream<Next>::tls_failed(const error_code& error) {
  if constexpr (!std::is_same_v<Next, tcp::socket>) {
    const bool closed = error == asio::error::eof || error == asio::error::connection_reset ||
                        error == asio::ssl::error::stream_truncated;
    if (this->server_ && closed) return this->close(StreamEnd::bad_handshake);
    const long verified = SSL_get_verify_result(this->next_.native_handle());
    if (!this->server_ && verified != X509_V_OK)
      return opening_failed(core::format("TLS: the server's certificate is not trusted: {}; see --ca-file",
                                         X509_verify_cert_error_string(verified)));
    opening_failed("TLS: " + error.message());
  }
}

// A peer that has closed its connection needs no answer. Others receive what is wrong with their request.
template <class Next>
void WebSocketStream<Next>::request_failed(const error_code& error) {
  using HttpError = beast::http::error;
  const bool of_request = error.category() == error_code(HttpError::header_limit).category();
  if (!of_request || error == HttpError::end_of_stream || error == HttpError::partial_message)
    return this->close(StreamEnd::bad_handshake);
  if (error == HttpError::header_limit || error == HttpError::buffer_overflow)
    return refuse_malformed(header_too_large,
                            core::format("The header of a WebSocket request has {} bytes at most.", request_bytes_max));
  refuse_malformed(bad_request, core::format("The request is malformed: {}.", error.message()));
}

template <class Next>
void WebSocketStream<Next>::answer_request() {
  const auto& request = request_->get();
  if (!beast::websocket::is_upgrade(request))
    return refuse_request(StreamEnd::bad_handshake, upgrade_required, "Only WebSocket clients are answered here.");
  if (buffer_.size() > 0) return refuse_malformed(bad_request, "A client must wait for the answer before it sends.");
  if (!is_permitted())
    return refuse_request(StreamEnd::foreign_origin, forbidden,
                          "Pages of this origin may not connect. The setting allow_origin names those that may.");
  const std::string forwarded = joined(request, forwarded_header);
  const std::string x_forwarded_for = joined(request, x_forwarded_for_header);
  const core::Result<transport::Address> client = this->client_of({forwarded, x_forwarded_for});
  if (!client) {
    this->log_refused_proxy(client.error().message);
    return refuse_request(StreamEnd::bad_proxy, bad_request, client.error().message);
  }
  if (!this->set_client(*client)) return this->close(StreamEnd::host_full);
  websocket_.async_accept(request, [this, hold = self()](const error_code& error) { upgraded(error); });
}

// Two headers Origin or Host have no meaning, so they name nothing that is allowed.
template <class Next>
bool WebSocketStream<Next>::is_permitted() const {
  const auto& request = request_->get();
  std::optional<std::string> origin;
  if (request.count("Origin") > 0) origin = joined(request, "Origin");
  const std::string host = joined(request, "Host");
  if (this->permits(origin, host, joined(request, x_forwarded_host_header))) return true;
  core::log_warn("net", "refused a WebSocket of a page of the origin '{}', whose host is not '{}'; see --allow-origin",
                 core::shown(origin.value_or(""), shown_bytes), core::shown(host, shown_bytes));
  return false;
}

template <class Next>
void WebSocketStream<Next>::refuse_malformed(std::string_view status, std::string_view text) {
  this->log_refused(text);
  refuse_request(StreamEnd::bad_handshake, status, text);
}

template <class Next>
void WebSocketStream<Next>::refuse_request(StreamEnd reason, std::string_view status, std::string_view text) {
  const std::string answer =
      core::format("HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{}", status, text.size(), text);
  this->append(core::as_bytes(answer.data(), answer.size()));
  this->refuse_opening(reason);
  this->discard();
}

template <class Next>
void WebSocketStream<Next>::upgraded(const error_code& error) {
  request_.reset();
  if (this->state_ != State::opening) return;
  if (error == beast::websocket::condition::handshake_failed)
    this->log_refused(core::format("The request is malformed: {}.", error.message()));
  if (error) return this->close(StreamEnd::bad_handshake);
  this->opened();
  read();
}

template <class Next>
void WebSocketStream<Next>::read() {
  websocket_.async_read(buffer_, [this, hold = self()](const error_code& error, std::size_t) { on_message(error); });
}

// Beast reads on when this returns, so the stream ends in the next turn of the loop.
template <class Next>
void WebSocketStream<Next>::on_control() {
  if (++controls_ != controls_max + 1) return;
  asio::post(this->socket().get_executor(), [this, hold = self()] {
    if (this->state_ != State::open) return;
    this->why_ended_ = core::format("more than {} control frames without a message", controls_max);
    this->close(StreamEnd::bad_message);
  });
}

template <class Next>
void WebSocketStream<Next>::on_message(const error_code& error) {
  if (this->state_ == State::closed) return;
  if (error) return on_failure(error);
  const auto bytes = buffer_.cdata();
  controls_ = 0;
  if (this->state_ == State::open) {
    if (!websocket_.got_binary()) {
      this->end(StreamEnd::bad_message, CloseFrame::unsupported);
    } else if (bytes.size() == 0) {
      this->end(StreamEnd::bad_length, CloseFrame::unsupported);
    } else {
      this->deliver({static_cast<const std::byte*>(bytes.data()), bytes.size()});
      this->batch_delivered();
    }
  }
  buffer_.consume(buffer_.size());
  if (this->state_ != State::closed) read();
}

// If the peer sent a close frame or violated the protocol, Beast has already sent a close frame.
template <class Next>
void WebSocketStream<Next>::on_failure(const error_code& error) {
  if (error == asio::error::no_buffer_space) return this->close(StreamEnd::stalled);
  const bool by_peer = error == beast::websocket::error::closed;
  if (!by_peer && error.category() != error_code(beast::websocket::error::closed).category()) {
    return this->read_failed(error);
  }
  this->end(by_peer ? StreamEnd::closed_by_peer : StreamEnd::bad_message, CloseFrame::none);
  if (this->state_ == State::finishing) this->discard();
}

template <class Next>
bool WebSocketStream<Next>::append_frame(core::ByteView datagram) {
  error_code error;
  websocket_.write(asio::buffer(datagram.data(), datagram.size()), error);
  return !error;
}

// Appends a close frame: 0x88, the payload's size (plus 0x80 and a zero mask from a client), the code in big-endian.
template <class Next>
void WebSocketStream<Next>::append_close_frame(CloseFrame frame) {
  if (frame == CloseFrame::none) return;
  const std::byte low{frame == CloseFrame::normal ? std::uint8_t{0xe8} : std::uint8_t{0xeb}};  // 1000, 1003
  const std::array from_server{std::byte{0x88}, std::byte{2}, std::byte{3}, low};
  const std::array from_client{std::byte{0x88}, std::byte{0x82}, std::byte{},  std::byte{},
                               std::byte{},     std::byte{},     std::byte{3}, low};
  this->append(this->server_ ? core::ByteView(from_server) : core::ByteView(from_client));
}

template <class Next>
error_code WebSocketStream<Next>::queue_frame(std::size_t bytes) {
  if (this->has_room(bytes, control_bytes_max)) return {};
  return asio::error::no_buffer_space;
}

// Nothing may follow a close frame.
template <class Next>
void WebSocketStream<Next>::queue_bytes(core::ByteView bytes) {
  if (this->state_ == State::opening || this->state_ == State::open) this->append(bytes);
}

}  // namespace

std::shared_ptr<StreamConnection> make_websocket_stream(StreamSetup setup) {
  if (!setup.tls) {
    tcp::socket socket = std::move(setup.socket);
    return std::make_shared<WebSocketStream<tcp::socket>>(setup, std::move(socket));
  }
  TlsSocket socket(std::move(setup.socket), *setup.tls);
  if (!setup.host.empty()) {
    error_code ignored;
    error_code no_number;
    asio::ip::make_address(setup.host, no_number);
    if (no_number) SSL_set_tlsext_host_name(socket.native_handle(), setup.host.c_str());  // RFC 6066: names only
    socket.set_verify_callback(
        [verify = asio::ssl::host_name_verification(setup.host)](bool trusted, asio::ssl::verify_context& context) {
          const bool right = verify(trusted, context);
          if (trusted && !right) X509_STORE_CTX_set_error(context.native_handle(), X509_V_ERR_HOSTNAME_MISMATCH);
          return right;
        },
        ignored);
  }
  return std::make_shared<WebSocketStream<TlsSocket>>(setup, std::move(socket));
}

}  // namespace mobula::net
