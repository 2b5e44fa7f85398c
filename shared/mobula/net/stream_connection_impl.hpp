// One connection of a stream pipe: datagrams in, datagrams out, with a bounded queue. Asio's side, for this folder.
// Owned by whoever accepted or opened it and by the operations that are under way. One thread.
// Invariant: once it has ended, nothing it receives is told and nothing it is given is sent.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <mobula/net/event_loop_impl.hpp>
#include <mobula/net/stream.hpp>

namespace mobula::net {

class StreamConnection;

// Called from the loop only, never from within a call of the owner's own.
class StreamOwner {
 public:
  virtual void stream_datagram(StreamConnection& stream, core::ByteView datagram) = 0;
  // What came in one read has been told.
  virtual void stream_batch_taken() = 0;
  // Once: nothing more comes or can be sent. It may still say goodbye.
  virtual void stream_ended(StreamConnection& stream) = 0;
  // Once, after that: it may be forgotten. The last call.
  virtual void stream_gone(StreamConnection& stream) = 0;

 protected:
  ~StreamOwner() = default;
};

struct StreamSetup {
  EventLoop::Impl& loop;
  boost::asio::ip::tcp::socket socket;
  transport::Address address;  // the peer's
  StreamOwner& owner;
  const StreamLimits& limits;
  std::shared_ptr<boost::asio::ssl::context> tls = nullptr;
  // The client's side: the name it connects to, HOST, and how the Host header has it. Empty: the server's side.
  std::string host = {};
  std::string host_header = {};
};

class StreamConnection : public std::enable_shared_from_this<StreamConnection> {
 public:
  virtual ~StreamConnection() = default;
  StreamConnection(const StreamConnection&) = delete;
  StreamConnection& operator=(const StreamConnection&) = delete;

  // The server's side begins with an accepted socket, the client's by connecting.
  void accept();
  void connect(const boost::asio::ip::tcp::endpoint& to);

  // False: dropped, there was no room.
  bool send(core::ByteView datagram);
  // Writes what waits, as one piece where the kernel has room.
  virtual void write() = 0;
  [[nodiscard]] bool ready() const { return state_ == State::open && waiting_bytes() <= limits_.ready_bytes_max; }
  [[nodiscard]] bool is_open() const { return state_ == State::open; }
  // Writes what waits, then closes.
  void finish() { end(StreamEnd::finished, Goodbye::normal); }
  // At once, to make room.
  void crowd_out() { close(StreamEnd::crowded_out); }
  // The owner goes: the connection is closed and nobody is told.
  void abandon();

  [[nodiscard]] const transport::Address& address() const { return address_; }
  [[nodiscard]] StreamEnd how_ended() const { return end_; }
  [[nodiscard]] bool was_heard() const { return heard_; }

  std::uint32_t slot = 0;  // of the owner's
  bool dirty = false;      // the owner will write

 protected:
  enum class State : std::uint8_t { opening, open, finishing, closed };
  enum class Goodbye : std::uint8_t { none, normal, unsupported, count };

  StreamConnection(StreamSetup& setup);

  // Of each kind of stream. The socket is connected: agree with the other side, then opened().
  virtual void start() = 0;
  virtual boost::asio::ip::tcp::socket& socket() = 0;
  virtual bool append_frame(core::ByteView datagram) = 0;
  virtual void append_goodbye(Goodbye) {}

  void opened();
  void hear(core::ByteView datagram);
  void batch_taken();
  // In good order: what waits is written, then our side shut, then the other side awaited.
  void end(StreamEnd reason, Goodbye goodbye);
  // The same while the two have not agreed yet: the answer that says no is what waits.
  void refuse_opening(StreamEnd reason);
  // At once. Later calls change nothing.
  void close(StreamEnd reason);
  void read_failed(const boost::system::error_code& error);

  [[nodiscard]] std::size_t waiting_bytes() const { return waiting_.size() + out_.size() - out_done_; }
  [[nodiscard]] bool has_room(std::size_t bytes, std::size_t extra = 0) const {
    return waiting_bytes() + bytes <= limits_.queue_bytes_max + extra;
  }
  void append(core::ByteView bytes) { waiting_.insert(waiting_.end(), bytes.begin(), bytes.end()); }
  // What is to be written next, which stays in its place until it is; empty: nothing waits.
  core::ByteView next_to_write();
  void written(std::size_t bytes) { out_done_ += bytes; }

  EventLoop::Impl& loop_;
  const bool server_;
  State state_ = State::opening;
  bool writing_ = false;  // an asynchronous write is under way

 private:
  void arm(core::Nanoseconds after);
  void timer_expired();
  void tell_end(StreamEnd reason);

  const transport::Address address_;
  StreamOwner* owner_;
  const StreamLimits limits_;
  boost::asio::steady_timer timer_;
  core::Bytes waiting_;
  core::Bytes out_;
  std::size_t out_done_ = 0;
  bool heard_ = false;
  bool sent_since_ = false;  // the timer expired last
  bool ended_ = false;
  StreamEnd end_ = StreamEnd::finished;
};

// A connection over `Next`: a socket, or TLS over one.
template <class Next>
class StreamOn : public StreamConnection {
 public:
  void write() override;

 protected:
  StreamOn(StreamSetup& setup, Next&& next) : StreamConnection(setup), next_(std::move(next)) {}
  boost::asio::ip::tcp::socket& socket() override;
  // Reads on until the other side closes.
  void discard();

  Next next_;

 private:
  bool write_now();
  void write_later();
};

std::shared_ptr<StreamConnection> make_tcp_stream(StreamSetup setup);
// With TLS where the setup has it.
std::shared_ptr<StreamConnection> make_websocket_stream(StreamSetup setup);

// Asio's side of an address.
boost::asio::ip::tcp::endpoint to_endpoint(const transport::Address& address);

}  // namespace mobula::net
