// A connection whose one end a fuzz target controls. The other end is a socket that Asio treats as an accepted one.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fuzz/fuzz.hpp>
#include <string>
#include <string_view>

namespace mobula::test {

class WireTap {
 public:
  explicit WireTap(boost::asio::io_context& io) : io_(io), socket_(io) {
    std::array<int, 2> ends{};
    fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0,
                  "a pair of sockets");
    ours_ = ends[0];
    boost::system::error_code error;
    socket_.assign(boost::asio::ip::tcp::v4(), ends[1], error);
    fuzz::require(!error, "Asio accepts the socket");
  }
  ~WireTap() { close(); }
  WireTap(const WireTap&) = delete;
  WireTap& operator=(const WireTap&) = delete;

  // Returns the other end. May be called once.
  boost::asio::ip::tcp::socket take_socket() { return std::move(socket_); }

  // Sends bytes, runs the event loop and receives the answer.
  void send(core::ByteView bytes) {
    static_cast<void>(::send(ours_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    settle();
  }
  void send(std::string_view text) { send(core::as_bytes(text.data(), text.size())); }
  void settle() {
    std::array<char, 16 * 1024> piece;
    received_.clear();
    for (ssize_t count = 0;; received_.append(piece.data(), static_cast<std::size_t>(count))) {
      io_.restart();
      io_.poll();
      if (ours_ < 0 || (count = ::recv(ours_, piece.data(), piece.size(), 0)) <= 0) return;
    }
  }
  // Bytes received since the last send.
  [[nodiscard]] const std::string& received() const { return received_; }
  void close() {
    if (ours_ >= 0) ::close(ours_);
    ours_ = -1;
    settle();
  }

 private:
  boost::asio::io_context& io_;
  boost::asio::ip::tcp::socket socket_;
  int ours_ = -1;
  std::string received_;
};

inline constexpr std::uint8_t text_frame = 0x81;
inline constexpr std::uint8_t binary_frame = 0x82;

// Returns a WebSocket frame. `first` has FIN, the reserved bits and the opcode. A client's frame is masked by zeros.
inline core::Bytes websocket_frame(std::uint8_t first, core::ByteView payload, bool of_client = true) {
  const unsigned mask_bit = of_client ? 0x80 : 0;
  core::Bytes frame{std::byte{first}};
  if (payload.size() < 126) {
    frame.push_back(static_cast<std::byte>(mask_bit | payload.size()));
  } else {
    frame.insert(frame.end(), {static_cast<std::byte>(mask_bit | 126), static_cast<std::byte>(payload.size() >> 8),
                               static_cast<std::byte>(payload.size())});
  }
  if (of_client) frame.resize(frame.size() + 4);
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

}  // namespace mobula::test
