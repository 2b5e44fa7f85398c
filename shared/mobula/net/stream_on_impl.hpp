// Writing of StreamOn: a stream over a socket, or over TLS over a socket.
#pragma once

#include <boost/asio/buffer.hpp>
#include <mobula/net/stream_connection_impl.hpp>
#include <type_traits>

namespace mobula::net {

template <class Next>
boost::asio::ip::tcp::socket& StreamOn<Next>::socket() {
  if constexpr (std::is_same_v<Next, boost::asio::ip::tcp::socket>) {
    return next_;
  } else {
    return next_.next_layer();
  }
}

template <class Next>
void StreamOn<Next>::write() {
  if (state_ == State::closed || writing_) return;
  if (!write_now()) return write_later();
  if (state_ != State::finishing) return;
  boost::system::error_code ignored;
  socket().shutdown(boost::asio::socket_base::shutdown_send, ignored);
  written_all();
}

// Writes without blocking; usually all is written. Returns true if the queue is empty.
template <class Next>
bool StreamOn<Next>::write_now() {
  for (;;) {
    const core::ByteView bytes = next_to_write();
    if (bytes.empty()) return true;
    if constexpr (!std::is_same_v<Next, boost::asio::ip::tcp::socket>) {
      return false;
    } else {
      boost::system::error_code error;
      const std::size_t count = next_.write_some(boost::asio::buffer(bytes.data(), bytes.size()), error);
      if (error) return false;  // write_later reports a permanent error
      written(count);
    }
  }
}

template <class Next>
void StreamOn<Next>::write_later() {
  writing_ = true;
  const core::ByteView bytes = next_to_write();
  next_.async_write_some(
      boost::asio::buffer(bytes.data(), bytes.size()),
      [this, self = this->shared_from_this()](const boost::system::error_code& error, std::size_t count) {
        writing_ = false;
        if (error) return close(StreamEnd::lost);
        written(count);
        write();
      });
}

template <class Next>
void StreamOn<Next>::discard() {
  next_.async_read_some(boost::asio::buffer(loop_.stream_bytes),
                        [this, self = this->shared_from_this()](const boost::system::error_code& error, std::size_t) {
                          if (error) return read_failed(error);
                          discard();
                        });
}

}  // namespace mobula::net
