#include <algorithm>
#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <memory>
#include <mobula/net/forwarded.hpp>
#include <mobula/server/admin/connection_impl.hpp>
#include <mobula/server/admin/http_server.hpp>
#include <mobula/server/admin/url.hpp>

namespace mobula::server::admin {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

struct Refusal {
  http::error error;
  unsigned status;
  std::string_view code;
  std::string_view message;
};
constexpr std::array<Refusal, 3> refusals{{
    {http::error::header_limit, 431, "header_too_large", "the header is too large"},
    {http::error::buffer_overflow, 431, "header_too_large", "the header is too large"},
    {http::error::body_limit, 413, "body_too_large", "the body is too large"},
}};

Response refusal_of(const error_code& error) {
  const auto found =
      std::find_if(refusals.begin(), refusals.end(), [&](const Refusal& each) { return error == each.error; });
  if (found != refusals.end()) return error_response(found->status, found->code, found->message);
  return error_response(400, "malformed", "invalid HTTP: " + error.message());
}

// A client may wait for it before it sends the body (RFC 9110, 10.1.1).
constexpr std::string_view interim_answer = "HTTP/1.1 100 Continue\r\n\r\n";

bool has_content(unsigned status) { return status != 204 && status != 304; }

transport::Address address_of(const asio::ip::tcp::endpoint& peer) {
  transport::Address address{.ip = {}, .port = peer.port()};
  const asio::ip::address ip = peer.address();
  address.ip =
      ip.is_v6() ? ip.to_v6().to_bytes() : asio::ip::make_address_v6(asio::ip::v4_mapped, ip.to_v4()).to_bytes();
  return address;
}

bool is_of_http(const error_code& error) {
  return error.category() == http::make_error_code(http::error::end_of_stream).category();
}

class Connection final : public std::enable_shared_from_this<Connection>, private Evictable {
 public:
  Connection(asio::ip::tcp::socket socket, Place place, ConnectionOwner& owner)
      : owner_(&owner), place_(std::move(place)), socket_(std::move(socket)), timer_(socket_.get_executor()) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read();

 private:
  void begin_step(Evictables& among, core::Nanoseconds longer = 0);
  void end_step();
  void evict() noexcept override;
  void skip_empty_line();
  void read_header();
  void on_header(const error_code& error);
  [[nodiscard]] bool waits_to_continue() const;
  void read_body();
  void on_read(const error_code& error);
  [[nodiscard]] Request request() const;
  [[nodiscard]] std::string header(std::string_view name) const;
  [[nodiscard]] std::string host(std::string_view of_target) const;
  void answer();
  void open_live(const Request& request);
  void write(Response response, bool keep_alive);
  void drain();

  ConnectionOwner* owner_;
  Place place_;
  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  bool timed_out_ = false;
  boost::beast::flat_buffer buffer_{header_bytes_max + body_bytes_max};
  std::unique_ptr<http::request_parser<http::string_body>> parser_;  // one per request
  Response sent_;
  http::response<http::span_body<const char>> response_;  // its body is that of sent_
};

// Sets a deadline for the next operation of the socket. The owner may evict the connection from now on.
void Connection::begin_step(Evictables& among, core::Nanoseconds longer) {
  unlink();
  among.push_back(*this);
  timed_out_ = false;
  timer_.expires_after(std::chrono::nanoseconds(owner_->timeout() + longer));
  timer_.async_wait([weak = weak_from_this()](const error_code& error) {
    const std::shared_ptr<Connection> self = weak.lock();
    // The deadline of a step that has just ended may have passed; then the timer has been set again.
    if (error || !self || self->timer_.expiry() > std::chrono::steady_clock::now()) return;
    self->timed_out_ = true;
    error_code ignored;
    self->socket_.cancel(ignored);
  });
}

void Connection::end_step() {
  unlink();
  timer_.cancel();
}

void Connection::evict() noexcept {
  unlink();
  error_code ignored;
  socket_.close(ignored);
}

void Connection::read() {
  parser_ = std::make_unique<http::request_parser<http::string_body>>();
  parser_->header_limit(header_bytes_max);
  parser_->body_limit(body_bytes_max);
  begin_step(owner_->idle);
  skip_empty_line();
}

// Clients may send an empty line before a request (RFC 9112, 2.2). The parser takes none.
void Connection::skip_empty_line() {
  constexpr std::string_view empty_line = "\r\n";
  const std::string_view begun(static_cast<const char*>(buffer_.cdata().data()), buffer_.size());
  if (begun.size() < empty_line.size() && empty_line.starts_with(begun)) {
    socket_.async_read_some(buffer_.prepare(empty_line.size() - begun.size()),
                            [self = shared_from_this()](const error_code& error, std::size_t bytes) {
                              if (error) return self->on_read(error);
                              self->buffer_.commit(bytes);
                              self->skip_empty_line();
                            });
    return;
  }
  if (begun.starts_with(empty_line)) buffer_.consume(empty_line.size());
  read_header();
}

void Connection::read_header() {
  http::async_read_header(
      socket_, buffer_, *parser_,
      [self = shared_from_this()](const error_code& error, std::size_t) { self->on_header(error); });
}

void Connection::on_header(const error_code& error) {
  if (error || parser_->is_done()) return on_read(error);
  if (!waits_to_continue()) return read_body();
  begin_step(owner_->idle);
  asio::async_write(socket_, asio::buffer(interim_answer),
                    [self = shared_from_this()](const error_code& failed, std::size_t) {
                      if (!failed) self->read_body();
                    });
}

// A client that has sent bytes of the body does not wait.
bool Connection::waits_to_continue() const {
  const http::request<http::string_body>& message = parser_->get();
  return buffer_.size() == 0 && message.version() >= 11 &&
         boost::beast::iequals(message[http::field::expect], "100-continue");
}

void Connection::read_body() {
  http::async_read(socket_, buffer_, *parser_,
                   [self = shared_from_this()](const error_code& error, std::size_t) { self->on_read(error); });
}

void Connection::on_read(const error_code& error) {
  if (!error) return answer();
  if (timed_out_ && parser_->got_some())
    return write(error_response(408, "timed_out", "the request took too long to arrive"), false);
  if (timed_out_ || !is_of_http(error) || error == http::error::end_of_stream) return;  // closed or idle
  write(refusal_of(error), false);
}

// Returns a header; empty unless there is exactly one.
std::string Connection::header(std::string_view name) const {
  const http::request<http::string_body>& message = parser_->get();
  return message.count(name) == 1 ? std::string(message[name]) : std::string();
}

// A target in absolute form stands for the header. The host that a trusted proxy names stands for both.
std::string Connection::host(std::string_view of_target) const {
  std::string own = of_target.empty() ? header("Host") : std::string(of_target);
  const std::string forwarded = header(net::x_forwarded_host_header);
  error_code error;
  const asio::ip::tcp::endpoint peer = socket_.remote_endpoint(error);
  if (forwarded.empty() || error) return own;
  return std::string(net::host_of_request(address_of(peer), own, forwarded, owner_->trusted_proxies()));
}

Request Connection::request() const {
  const http::request<http::string_body>& message = parser_->get();
  const Target target = split_target(message.target());
  Request request;
  request.method = message.method_string();
  request.path = target.path;
  request.query = target.query;
  request.body = message.body();
  request.host = host(target.authority);
  request.without_host = message.version() < 11 && message.count("Host") == 0 && request.host.empty();
  request.authorization = header("Authorization");
  request.if_none_match = header("If-None-Match");
  request.accept_encoding = header("Accept-Encoding");
  request.fetch_site = header("Sec-Fetch-Site");
  request.fetch_dest = header("Sec-Fetch-Dest");
  request.by_proxy =
      message.version() < 11 ||
      std::ranges::any_of(net::proxy_headers, [&](std::string_view name) { return message.count(name) > 0; });
  request.asks_for_method = message.count("Access-Control-Request-Method") > 0;
  if (message.count("Origin") > 0) request.origin = message.count("Origin") == 1 ? header("Origin") : "null";
  return request;
}

// Ends the deadline for reading. The answer has a deadline of its own.
void Connection::answer() {
  end_step();
  const http::request<http::string_body>& message = parser_->get();
  const bool has_live = !owner_->topics().empty();
  if (has_live && boost::beast::websocket::is_upgrade(message) && request().path == live_path)
    return open_live(request());
  const bool keep_alive = message.keep_alive() && message.version() >= 11;
  owner_->answer(request(), [self = shared_from_this(), keep_alive](Response response) {
    self->write(std::move(response), keep_alive);
  });
}

void Connection::open_live(const Request& request) {
  if (std::optional<Response> refusal = owner_->refuse_live(request)) return write(*std::move(refusal), false);
  if (buffer_.size() > 0)
    return write(error_response(400, "malformed", "a WebSocket client must wait for the answer before it sends"),
                 false);
  const bool authorized = owner_->may_watch(request.authorization);
  serve_live(std::move(socket_), std::move(place_), parser_->get(), authorized, *owner_);
}

// A peer may take longer for a larger answer, but must read at slowest_bytes_per_second.
void Connection::write(Response response, bool keep_alive) {
  sent_ = std::move(response);
  const std::string& body = sent_.shared_body ? *sent_.shared_body : sent_.body;
  const bool to_head = parser_->is_header_done() && parser_->get().method() == http::verb::head;
  response_ = {};
  response_.version(11);
  response_.result(sent_.status);
  if (has_content(sent_.status)) response_.set(http::field::content_type, sent_.type);
  response_.set(http::field::cache_control, "no-store");
  response_.set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : sent_.headers) response_.set(name, value);
  response_.keep_alive(keep_alive);
  if (has_content(sent_.status)) response_.content_length(body.size());
  if (!to_head) response_.body() = {body.data(), body.size()};  // HEAD gets the length without the body
  begin_step(owner_->receiving, static_cast<core::Nanoseconds>(body.size()) * core::second / slowest_bytes_per_second);
  http::async_write(socket_, response_, [self = shared_from_this()](const error_code& error, std::size_t) {
    if (error) return;
    if (self->response_.keep_alive()) return self->read();
    error_code ignored;
    self->socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    self->begin_step(self->owner_->idle);
    self->drain();
  });
}

// Closing a socket with unread bytes resets the connection, and the peer may lose the answer.
void Connection::drain() {
  buffer_.clear();
  socket_.async_read_some(buffer_.prepare(4096), [self = shared_from_this()](const error_code& error, std::size_t) {
    if (!error && !self->timed_out_) self->drain();
  });
}

}  // namespace

void serve(asio::ip::tcp::socket socket, Place place, ConnectionOwner& owner) {
  std::make_shared<Connection>(std::move(socket), std::move(place), owner)->read();
}

}  // namespace mobula::server::admin
