// One connection of a stream pipe: sends and receives datagrams, with a bounded queue. For the sources of this folder.
// Owned by the object that accepted or opened it and by its pending operations. Single-threaded.
// Invariant: after its end it delivers no received datagram and sends no new one.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <mobula/net/address_range.hpp>
#include <mobula/net/event_loop_impl.hpp>
#include <mobula/net/forwarded.hpp>
#include <mobula/net/origin.hpp>
#include <mobula/net/stream.hpp>

namespace mobula::net {

class StreamConnection;

// Callbacks to the owner. Called from the loop only, never within a call of the owner.
class StreamOwner {
 public:
  virtual void stream_datagram(StreamConnection& stream, core::ByteView datagram) = 0;
  // All datagrams of one read have been delivered.
  virtual void stream_batch_delivered() = 0;
  // Called once: nothing more is received or sent, except a close frame.
  virtual void stream_ended(StreamConnection& stream) = 0;
  // Called once after stream_ended, as the last call: the owner may release the connection.
  virtual void stream_closed(StreamConnection& stream) = 0;
  // Ranges of the peers that may name another address as that of the client. None for a client's stream.
  [[nodiscard]] virtual std::span<const AddressRange> trusted_proxies() const { return {}; }
  // Returns whether a WebSocket whose request has these headers may be opened; see OriginPolicy.
  [[nodiscard]] virtual bool permits(const std::optional<std::string>& /*origin*/, std::string_view /*host*/) const {
    return true;
  }
  // A trusted proxy names the client. The owner sets the stream's address, or returns false to have it closed.
  virtual bool stream_renamed(StreamConnection&, const transport::Address& /*client*/) { return false; }

 protected:
  ~StreamOwner() = default;
};

struct StreamSetup {
  EventLoop::Impl& loop;
  boost::asio::ip::tcp::socket socket;
  transport::Address address;  // the peer's address
  StreamOwner& owner;
  const StreamLimits& limits;
  std::shared_ptr<boost::asio::ssl::context> tls = nullptr;
  // For a client: the host name, the value of the Host header, and the path of the upgrade. Empty for a server.
  std::string host = {};
  std::string host_header = {};
  std::string path = {};
};

class StreamConnection : public std::enable_shared_from_this<StreamConnection> {
 public:
  virtual ~StreamConnection() = default;
  StreamConnection(const StreamConnection&) = delete;
  StreamConnection& operator=(const StreamConnection&) = delete;

  // Starts a server's connection with an accepted socket, or a client's by connecting.
  void accept();
  void connect(const boost::asio::ip::tcp::endpoint& to);

  // Queues a datagram. Returns false if it was dropped: not open, or the queue is full.
  bool send(core::ByteView datagram);
  // Writes the queue, with one call if the kernel has room.
  virtual void write() = 0;
  [[nodiscard]] bool ready() const { return state_ == State::open && waiting_bytes() <= limits_.ready_bytes_max; }
  [[nodiscard]] bool is_open() const { return state_ == State::open; }
  // Writes the queue, then closes.
  void finish() { end(StreamEnd::finished, CloseFrame::normal); }
  // Closes at once, to make room for another connection.
  void crowd_out() { close(StreamEnd::crowded_out); }
  // Closes without notifying the owner, which is being destroyed. Writes the queue first, while the loop runs or as it
  // ends.
  void abandon();

  // Address of the peer, or of the client that a trusted proxy names.
  [[nodiscard]] const transport::Address& address() const { return address_; }
  void set_address(const transport::Address& address) { address_ = address; }
  [[nodiscard]] StreamEnd how_ended() const { return end_; }
  // Returns the name of the end, and its cause if there is more to know: "bad handshake: …".
  [[nodiscard]] std::string why_ended() const;
  [[nodiscard]] bool has_received() const { return received_; }

  std::uint32_t slot = 0;  // in the owner's table
  bool dirty = false;      // the owner will call write()

 protected:
  enum class State : std::uint8_t { opening, open, finishing, closed };
  enum class CloseFrame : std::uint8_t { none, normal, unsupported, count };

  StreamConnection(StreamSetup& setup);

  // Implemented per kind of stream. start(): the socket is connected; do the handshake, then call opened(). The stream
  // begins with begun_.
  virtual void start() = 0;
  virtual boost::asio::ip::tcp::socket& socket() = 0;
  virtual bool append_frame(core::ByteView datagram) = 0;
  virtual void append_close_frame(CloseFrame) {}

  void opened();
  void deliver(core::ByteView datagram);
  void batch_delivered();
  // Closes gracefully: writes the queue, shuts down the sending side, then waits for the peer.
  void end(StreamEnd reason, CloseFrame frame);
  // The same during the handshake: the queue holds the refusal.
  void refuse_opening(StreamEnd reason);
  // Closes at once. Later calls do nothing.
  void close(StreamEnd reason);
  void read_failed(const boost::system::error_code& error);
  // Returns the address of the client that sent a request. Errors: those of client_of_request().
  [[nodiscard]] core::Result<transport::Address> client_of(const ForwardedHeaders& headers) const;
  // Returns whether a request with these headers may be answered. Called before set_client().
  [[nodiscard]] bool permits(const std::optional<std::string>& origin, std::string_view host,
                             std::string_view x_forwarded_host) const;
  // Sets the address that a trusted proxy names. Returns false if the owner refuses it.
  bool set_client(transport::Address client);
  // Logs why a server refuses a connection that is opening. A trusted proxy's is a warning.
  void log_refused(std::string_view why) const;
  void log_refused_proxy(std::string_view why) const;

  [[nodiscard]] std::size_t waiting_bytes() const { return waiting_.size() + out_.size() - out_done_; }
  [[nodiscard]] bool has_room(std::size_t bytes, std::size_t extra = 0) const {
    return waiting_bytes() + bytes <= limits_.queue_bytes_max + extra;
  }
  void append(core::ByteView bytes) { waiting_.insert(waiting_.end(), bytes.begin(), bytes.end()); }
  // Returns the bytes to write next; they stay in place until written(). Empty if the queue is empty.
  core::ByteView next_to_write();
  void written(std::size_t bytes) { out_done_ += bytes; }
  // The queue of a finishing stream is written. An abandoned one does not wait for the peer.
  void written_all() {
    if (abandoned_) close(end_);
  }

  EventLoop::Impl& loop_;
  const bool server_;
  State state_ = State::opening;
  bool writing_ = false;   // an asynchronous write is pending
  std::string why_ended_;  // more about the end than its name, or empty
  core::Bytes begun_;      // taken out of the socket before start(), and no PROXY header

 private:
  void wait_for_proxy_header();
  void read_proxy_header();
  void skip(std::size_t bytes);
  void arm(core::Nanoseconds after);
  void timer_expired();
  void notify_end(StreamEnd reason);

  transport::Address address_;
  StreamOwner* owner_;
  const StreamLimits limits_;
  boost::asio::steady_timer timer_;
  core::Bytes waiting_;
  core::Bytes out_;
  std::size_t out_done_ = 0;
  bool received_ = false;    // a datagram
  bool sent_since_ = false;  // since the timer expired last
  bool ended_ = false;
  bool abandoned_ = false;  // counted by the loop
  StreamEnd end_ = StreamEnd::finished;
};

// Connection over `Next`: a socket, or TLS over a socket.
template <class Next>
class StreamOn : public StreamConnection {
 public:
  void write() override;

 protected:
  StreamOn(StreamSetup& setup, Next&& next) : StreamConnection(setup), next_(std::move(next)) {}
  boost::asio::ip::tcp::socket& socket() override;
  // Reads and discards until the peer closes.
  void discard();

  Next next_;

 private:
  bool write_now();
  void write_later();
};

std::shared_ptr<StreamConnection> make_tcp_stream(StreamSetup setup);
// Uses TLS if the setup has it.
std::shared_ptr<StreamConnection> make_websocket_stream(StreamSetup setup);

// Converts an address to Asio's type.
boost::asio::ip::tcp::endpoint to_endpoint(const transport::Address& address);

}  // namespace mobula::net
