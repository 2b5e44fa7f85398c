#include <boost/asio/ip/v6_only.hpp>
#include <mobula/core/assert.hpp>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/random_source.hpp>
#include <mobula/net/stream_listener_impl.hpp>
#include <mobula/transport/listen_error.hpp>

namespace mobula::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using transport::Address;

// Pause after an error of accept, for example too many open files.
constexpr core::Nanoseconds accept_pause = 100 * core::millisecond;
constexpr int ports_tried_max = 256;

}  // namespace

StreamListener::StreamListener(EventLoop& loop, transport::Pipe pipe, const StreamLimits& limits,
                               std::vector<AddressRange> trusted_proxies, OriginPolicy origins,
                               std::shared_ptr<asio::ssl::context> tls, std::uint64_t table_seed)
    : loop_(loop.impl()),
      pipe_(pipe),
      limits_(limits),
      trusted_proxies_(std::move(trusted_proxies)),
      origins_(std::move(origins)),
      tls_(std::move(tls)),
      alive_(std::make_shared<Alive>(Alive{this})),
      acceptor_(loop_.io),
      pause_(loop_.io),
      streams_(limits.connections_max + 1, table_seed),
      unanswered_(streams_.capacity(), limits.unanswered_max, limits.unanswered_per_host_max, table_seed) {
  dirty_slots_.reserve(streams_.capacity());
}

core::Result<std::unique_ptr<StreamListener>> StreamListener::open(EventLoop& loop, const Address& local,
                                                                   const StreamLimits& limits,
                                                                   std::vector<AddressRange> trusted_proxies,
                                                                   OriginPolicy origins,
                                                                   std::shared_ptr<asio::ssl::context> tls) {
  std::uint64_t seed = 0;
  core::random_bytes(std::as_writable_bytes(std::span(&seed, 1)));
  std::unique_ptr<StreamListener> listener(new StreamListener(loop, local.pipe, limits, std::move(trusted_proxies),
                                                              std::move(origins), std::move(tls), seed));
  if (const error_code error = listener->listen(local)) return transport::listen_error("TCP", local, error);
  return listener;
}

// Clears the pointer that the pending accept uses.
StreamListener::~StreamListener() {
  alive_->listener = nullptr;
  for (std::uint32_t slot = 0; slot < streams_.capacity(); ++slot) {
    if (streams_.used(slot)) streams_[slot]->abandon();
  }
}

// Like UDP: "any" is dual-stack, or IPv4 only on a machine without IPv6.
error_code StreamListener::listen(const Address& local) {
  const error_code error = try_listen(to_endpoint(local));
  if (!error || !local.is_any() || error == asio::error::address_in_use) return error;
  error_code ignored;
  acceptor_.close(ignored);
  return try_listen({asio::ip::address_v4::any(), local.port});
}

error_code StreamListener::try_listen(const tcp::endpoint& local) {
  error_code error;
  error_code ignored;
  if (acceptor_.open(local.protocol(), error)) return error;
  acceptor_.set_option(asio::socket_base::reuse_address(true),
                       ignored);  // despite connections left by a previous server
  if (local.address().is_v6()) {
    acceptor_.set_option(asio::ip::v6_only(!local.address().is_unspecified()), ignored);
  }
  if (acceptor_.bind(local, error)) return error;
  acceptor_.listen(asio::socket_base::max_listen_connections, error);
  return error;
}

void StreamListener::on_datagram(DatagramHandler handler) {
  const bool accepting = static_cast<bool>(datagram_);
  datagram_ = std::move(handler);
  if (!accepting) wait_for_next();
}

void StreamListener::wait_for_next() {
  acceptor_.async_accept([alive = alive_](const error_code& error, tcp::socket socket) {
    StreamListener* const self = alive->listener;
    if (self == nullptr || error == asio::error::operation_aborted) return;
    if (error && error != asio::error::connection_aborted) return self->wait_a_while(error);
    self->failures_.end();
    if (!error) self->on_accepted(std::move(socket));
    self->wait_for_next();
  });
}

void StreamListener::wait_a_while(const error_code& failure) {
  failures_.note(local_port(), failure);
  pause_.expires_after(std::chrono::nanoseconds(accept_pause));
  pause_.async_wait([alive = alive_](const error_code& error) {
    if (!error && alive->listener != nullptr) alive->listener->wait_for_next();
  });
}

// A refused socket is closed by its destructor.
void StreamListener::on_accepted(tcp::socket socket) {
  error_code error;
  const tcp::endpoint remote = socket.remote_endpoint(error);
  if (error) return;
  Address address = to_address({remote.address(), remote.port()});
  address.pipe = pipe_;
  if (make_room_for(address)) keep(std::move(socket), address);
}

// A trusted proxy has no limit of its own: each of its clients has one.
bool StreamListener::host_is_full(const Address& address) {
  const bool full = unanswered_.host_is_full(address) && !contains(trusted_proxies_, address);
  if (full) ++counters_.refused_host;
  return full;
}

bool StreamListener::make_room_for(const Address& address) {
  if (host_is_full(address)) return false;
  // An address whose previous connection still exists must connect again later.
  bool room = !streams_.contains(address);
  if (room && (unanswered_.full() || streams_.size() >= limits_.connections_max)) room = crowd_out_oldest();
  if (!room) ++counters_.refused_full;
  return room;
}

bool StreamListener::crowd_out_oldest() {
  const std::uint32_t slot = unanswered_.oldest();
  if (slot == unanswered_.none || streams_.full()) return false;
  unanswered_.remove(slot);
  streams_[slot]->crowd_out();
  return true;
}

void StreamListener::keep(tcp::socket socket, const Address& address) {
  ++counters_.accepted;
  StreamSetup setup{.loop = loop_, .socket = std::move(socket), .address = address, .owner = *this, .limits = limits_};
  setup.tls = tls_;
  const std::uint32_t slot = streams_.insert(address);
  unanswered_.add(slot, address);
  streams_[slot] =
      pipe_ == transport::Pipe::tcp ? make_tcp_stream(std::move(setup)) : make_websocket_stream(std::move(setup));
  streams_[slot]->slot = slot;
  streams_[slot]->accept();
}

// Several proxies may name one address and port, or a port may be missing in a header and be that of the proxy: then
// the port is counted up. Each stream keeps an address of its own.
bool StreamListener::stream_renamed(StreamConnection& stream, const Address& client) {
  if (host_is_full(client)) return false;
  Address address = client;
  for (int tried = 0; tried < ports_tried_max && streams_.contains(address); ++tried)
    address.port = static_cast<std::uint16_t>(address.port % 65535 + 1);  // none has port 0
  if (streams_.contains(address)) {
    ++counters_.refused_full;
    return false;
  }
  streams_.rename(stream.slot, address);
  stream.set_address(address);
  unanswered_.remove(stream.slot);
  unanswered_.add(stream.slot, address);
  return true;
}

StreamConnection* StreamListener::find(const Address& address) const {
  const std::uint32_t slot = streams_.find(address);
  return slot == streams_.none ? nullptr : streams_[slot].get();
}

void StreamListener::send(const Address& to, core::ByteView datagram) {
  StreamConnection* const stream = find(to);
  if (stream == nullptr || !stream->is_open()) {
    ++counters_.dropped_closed;
  } else if (!stream->send(datagram)) {
    ++counters_.dropped_full;
  } else {
    unanswered_.remove(stream->slot);
    ++counters_.datagrams_sent;
    counters_.bytes_sent += datagram.size();
  }
  if (stream == nullptr || stream->dirty) return;
  stream->dirty = true;
  dirty_slots_.push_back(stream->slot);
}

bool StreamListener::ready(const Address& to) const {
  const StreamConnection* const stream = find(to);
  return stream != nullptr && stream->ready();
}

void StreamListener::flush() {
  for (const std::uint32_t slot : dirty_slots_) {
    if (!streams_.used(slot)) continue;
    streams_[slot]->dirty = false;
    streams_[slot]->write();
  }
  dirty_slots_.clear();
}

void StreamListener::finished(const Address& to) {
  if (StreamConnection* const stream = find(to)) stream->finish();
}

std::uint16_t StreamListener::local_port() const {
  error_code ignored;
  return acceptor_.local_endpoint(ignored).port();
}

void StreamListener::stream_datagram(StreamConnection& stream, core::ByteView datagram) {
  ++counters_.datagrams_received;
  counters_.bytes_received += datagram.size();
  datagram_(stream.address(), datagram);
}

// The owner is notified only of streams that delivered a datagram and that it did not finish itself.
void StreamListener::stream_ended(StreamConnection& stream) {
  ++counters_.ended[static_cast<std::size_t>(stream.how_ended())];
  const bool known = stream.has_received() && stream.how_ended() != StreamEnd::finished;
  if (known && closed_) closed_(stream.address(), to_string(stream.how_ended()));
}

void StreamListener::stream_closed(StreamConnection& stream) {
  unanswered_.remove(stream.slot);
  streams_.erase(stream.slot);
}

void StreamListener::check() const {
  unanswered_.check();
  for (std::uint32_t slot = 0; slot < streams_.capacity(); ++slot) {
    MOBULA_ASSERT(streams_.used(slot) || !unanswered_.contains(slot), "a closed connection is listed as unanswered");
    if (!streams_.used(slot)) continue;
    MOBULA_ASSERT(streams_[slot]->slot == slot, "a connection has a wrong slot");
    MOBULA_ASSERT(streams_[slot]->address() == streams_.key(slot), "a connection has a wrong address");
  }
}

}  // namespace mobula::net
