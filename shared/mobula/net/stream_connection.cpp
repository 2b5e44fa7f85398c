#include <algorithm>
#include <boost/asio/post.hpp>
#include <mobula/core/assert.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/proxy_header.hpp>
#include <mobula/net/stream_connection_impl.hpp>
#include <utility>

namespace mobula::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Maximum overhead of a frame.
constexpr std::size_t frame_overhead_max = 16;
// A larger queue frees its memory when it becomes empty.
constexpr std::size_t kept_bytes_max = 8 * 1024;
// Small kernel buffer, so that a full pipe is detected while its datagrams are still recent.
constexpr int kernel_send_bytes = 64 * 1024;

constexpr std::array<std::string_view, static_cast<std::size_t>(StreamEnd::count)> end_names{
    "finished",      "closed by peer",   "connection lost", "bad length", "bad message",
    "bad handshake", "bad proxy header", "foreign origin",  "host full",  "no datagram",
    "unanswered",    "crowded out",      "stalled",         "unreachable"};

}  // namespace

std::string_view to_string(StreamEnd end) { return end_names[static_cast<std::size_t>(end)]; }

StreamConnection::StreamConnection(StreamSetup& setup)
    : loop_(setup.loop),
      server_(setup.host.empty()),
      address_(setup.address),
      owner_(&setup.owner),
      limits_(setup.limits),
      timer_(setup.loop.io) {}

void StreamConnection::accept() {
  error_code ignored;
  socket().non_blocking(true, ignored);
  socket().set_option(tcp::no_delay(true), ignored);
  socket().set_option(asio::socket_base::send_buffer_size(kernel_send_bytes), ignored);
  arm(limits_.first_datagram_max);
  if (contains(owner_->trusted_proxies(), address_)) return wait_for_proxy_header();
  start();
}

void StreamConnection::wait_for_proxy_header() {
  socket().async_wait(tcp::socket::wait_read, [self = shared_from_this()](const error_code& error) {
    if (!error && self->state_ == State::opening) self->read_proxy_header();
  });
}

// Peeks, so that what follows the header stays in the socket, for TLS too. Bytes of an incomplete header are taken out:
// otherwise the wait for the rest would end at once.
void StreamConnection::read_proxy_header() {
  const asio::mutable_buffer room = asio::buffer(loop_.stream_bytes, proxy_header_bytes_max);
  std::copy(begun_.begin(), begun_.end(), loop_.stream_bytes.begin());
  error_code error;
  const std::size_t count = socket().receive(room + begun_.size(), tcp::socket::message_peek, error);
  if (error == asio::error::would_block) return wait_for_proxy_header();
  if (error) return read_failed(error);

  const core::ByteView bytes = core::ByteView(loop_.stream_bytes).first(begun_.size() + count);
  const core::Result<ProxyHeader> header = parse_proxy_header(bytes);
  if (!header) {
    log_refused_proxy("PROXY header: " + header.error().message);
    return close(StreamEnd::bad_proxy);
  }
  if (header->state == ProxyHeader::State::incomplete) {
    begun_.assign(bytes.begin(), bytes.end());
    skip(count);
    return wait_for_proxy_header();
  }
  if (header->state == ProxyHeader::State::complete) {
    skip(header->size - begun_.size());
    begun_ = {};
  }
  const std::optional<transport::Address>& client = header->client;
  if (client && !set_client(*client)) return close(StreamEnd::host_full);
  start();
}

// Takes bytes out of the socket that were peeked.
void StreamConnection::skip(std::size_t bytes) {
  error_code ignored;
  socket().receive(asio::buffer(loop_.stream_bytes, bytes), 0, ignored);
}

core::Result<transport::Address> StreamConnection::client_of(const ForwardedHeaders& headers) const {
  return client_of_request(address_, headers, owner_->trusted_proxies());
}

bool StreamConnection::permits(const std::optional<std::string>& origin, std::string_view host,
                               std::string_view x_forwarded_host) const {
  return owner_->permits(origin, host_of_request(address_, host, x_forwarded_host, owner_->trusted_proxies()));
}

bool StreamConnection::set_client(transport::Address client) {
  client.pipe = address_.pipe;
  return client == address_ || owner_->stream_renamed(*this, client);
}

void StreamConnection::log_refused(std::string_view why) const {
  if (contains(owner_->trusted_proxies(), address_)) return log_refused_proxy(why);
  core::log_info("net", "refused a connection of {}: {}", transport::to_string(address_), why);
}

void StreamConnection::log_refused_proxy(std::string_view why) const {
  core::log_warn("net", "refused a connection of the trusted proxy {}: {}", transport::to_string(address_), why);
}

void StreamConnection::connect(const tcp::endpoint& to) {
  arm(limits_.connect_max);
  socket().async_connect(to, [self = shared_from_this()](const error_code& error) {
    if (self->state_ != State::opening) return;
    if (error) return self->close(StreamEnd::unreachable);
    error_code ignored;
    self->socket().non_blocking(true, ignored);
    self->socket().set_option(tcp::no_delay(true), ignored);
    self->socket().set_option(asio::socket_base::send_buffer_size(kernel_send_bytes), ignored);
    self->start();
  });
}

std::string StreamConnection::why_ended() const {
  return std::string(to_string(end_)) + (why_ended_.empty() ? "" : ": ") + why_ended_;
}

void StreamConnection::opened() {
  state_ = State::open;
  if (!server_) timer_.cancel();
}

bool StreamConnection::send(core::ByteView datagram) {
  MOBULA_ASSERT(!datagram.empty() && datagram.size() <= transport::datagram_bytes_max,
                "a datagram has 1 to datagram_bytes_max bytes");
  if (state_ != State::open || !has_room(datagram.size() + frame_overhead_max)) return false;
  sent_since_ = true;
  return append_frame(datagram);
}

void StreamConnection::deliver(core::ByteView datagram) {
  received_ = true;
  if (owner_ != nullptr) owner_->stream_datagram(*this, datagram);
}

void StreamConnection::batch_delivered() {
  if (owner_ != nullptr) owner_->stream_batch_delivered();
}

core::ByteView StreamConnection::next_to_write() {
  if (out_done_ == out_.size()) {
    out_.clear();
    out_done_ = 0;
    if (out_.capacity() > kept_bytes_max) core::Bytes().swap(out_);
    out_.swap(waiting_);
  }
  return core::ByteView(out_).subspan(out_done_);
}

void StreamConnection::end(StreamEnd reason, CloseFrame frame) {
  if (state_ == State::opening) return close(reason);
  if (state_ != State::open) return;
  state_ = State::finishing;
  notify_end(reason);
  append_close_frame(frame);
  arm(limits_.closing_max);
  write();
}

void StreamConnection::refuse_opening(StreamEnd reason) {
  state_ = State::open;
  end(reason, CloseFrame::none);
}

void StreamConnection::close(StreamEnd reason) {
  if (state_ == State::closed) return;
  state_ = State::closed;
  if (std::exchange(abandoned_, false)) --loop_.abandoned;
  notify_end(reason);
  error_code ignored;
  socket().close(ignored);
  timer_.cancel();
  asio::post(loop_.io, [self = shared_from_this()] {
    if (self->owner_ != nullptr) self->owner_->stream_closed(*self);
  });
}

// Notifies the owner from the loop, since the owner may be inside a call of its own.
void StreamConnection::notify_end(StreamEnd reason) {
  if (ended_) return;
  ended_ = true;
  end_ = reason;
  asio::post(loop_.io, [self = shared_from_this()] {
    if (self->owner_ != nullptr) self->owner_->stream_ended(*self);
  });
}

void StreamConnection::abandon() {
  owner_ = nullptr;
  if (waiting_bytes() == 0 || state_ == State::opening || state_ == State::closed) return close(StreamEnd::finished);
  abandoned_ = true;
  ++loop_.abandoned;
  finish();
  write();
}

void StreamConnection::read_failed(const error_code& error) {
  const bool by_peer = error == asio::error::eof || error == asio::error::connection_reset;
  if (state_ == State::opening) return close(StreamEnd::bad_handshake);
  close(by_peer ? StreamEnd::closed_by_peer : StreamEnd::lost);
}

void StreamConnection::arm(core::Nanoseconds after) {
  timer_.expires_after(std::chrono::nanoseconds(after));
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    // Ignored if the timer was armed again while this call was queued.
    if (!error && self->timer_.expiry() <= std::chrono::steady_clock::now()) self->timer_expired();
  });
}

void StreamConnection::timer_expired() {
  if (state_ == State::closed) return;
  if (state_ == State::finishing) return close(end_);
  if (!server_) return close(StreamEnd::unreachable);
  if (!received_) return close(StreamEnd::no_datagram);
  if (!sent_since_) return close(waiting_bytes() > 0 ? StreamEnd::stalled : StreamEnd::unanswered);
  sent_since_ = false;
  arm(limits_.nothing_sent_max);
}

tcp::endpoint to_endpoint(const transport::Address& address) { return {to_ip(address), address.port}; }

}  // namespace mobula::net
