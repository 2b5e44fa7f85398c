// Stream layer below Beast's WebSocket: reads from the connection and writes into the connection's queue. So frames are
// never split, several are written with one call, and the queue's limit also applies to pongs.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/core/role.hpp>
#include <mobula/core/bytes.hpp>

namespace mobula::net {

// Queue of the connection: accepts a frame's bytes, or returns an error.
class FrameQueue {
 public:
  virtual boost::system::error_code queue_frame(std::size_t bytes) = 0;
  virtual void queue_bytes(core::ByteView bytes) = 0;
  // Requests a write: Beast's own frames (handshake, pong, close) are written at once.
  virtual void queue_is_due() = 0;

 protected:
  ~FrameQueue() = default;
};

// Owned by the connection. Owns nothing.
template <class Next>
class QueueLayer {
 public:
  using executor_type = boost::asio::ip::tcp::socket::executor_type;
  using error_code = boost::system::error_code;

  QueueLayer(Next& next, FrameQueue& queue) : next_(&next), queue_(&queue) {}
  executor_type get_executor() { return next_->get_executor(); }

  template <class Buffers, class Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return next_->async_read_some(buffers, std::forward<Handler>(handler));
  }

  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, error_code& error) {
    const std::size_t size = boost::asio::buffer_size(buffers);
    error = queue_->queue_frame(size);
    if (error) return 0;
    for (const boost::asio::const_buffer part : boost::beast::buffers_range_ref(buffers)) {
      queue_->queue_bytes({static_cast<const std::byte*>(part.data()), part.size()});
    }
    return size;
  }

  template <class Buffers, class Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    error_code error;
    const std::size_t size = write_some(buffers, error);
    queue_->queue_is_due();
    return boost::asio::async_initiate<Handler, void(error_code, std::size_t)>(
        [this](auto&& then, error_code result, std::size_t count) {
          boost::asio::post(get_executor(),
                            boost::beast::bind_front_handler(std::forward<decltype(then)>(then), result, count));
        },
        handler, error, size);
  }

  // Required of any layer by Beast. Blocking reads and writes are never called.
  template <class Buffers>
  std::size_t read_some(const Buffers&, error_code& error) {
    error = boost::asio::error::operation_not_supported;
    return 0;
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    error_code error;
    return read_some(buffers, error);
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    error_code error;
    return write_some(buffers, error);
  }

 private:
  Next* next_;
  FrameQueue* queue_;
};

// Found by Beast through argument-dependent lookup. They do nothing because the connection closes itself.
template <class Next>
void beast_close_socket(QueueLayer<Next>&) {}

template <class Next>
void teardown(boost::beast::role_type, QueueLayer<Next>&, boost::system::error_code& error) {
  error = {};
}

template <class Next, class Handler>
void async_teardown(boost::beast::role_type, QueueLayer<Next>& layer, Handler&& handler) {
  boost::asio::post(layer.get_executor(),
                    boost::beast::bind_front_handler(std::forward<Handler>(handler), boost::system::error_code()));
}

}  // namespace mobula::net
