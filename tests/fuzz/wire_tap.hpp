// One end of a connection in the hands of a fuzz target; the other is what Asio takes for an accepted TCP socket.
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
    fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0, "two ends");
    ours_ = ends[0];
    boost::system::error_code error;
    socket_.assign(boost::asio::ip::tcp::v4(), ends[1], error);
    fuzz::require(!error, "which Asio takes");
  }
  ~WireTap() { close(); }
  WireTap(const WireTap&) = delete;
  WireTap& operator=(const WireTap&) = delete;

  // The other end, once.
  boost::asio::ip::tcp::socket take_socket() { return std::move(socket_); }

  // Says something, has it worked on, and hears what is answered.
  void say(core::ByteView bytes) {
    static_cast<void>(::send(ours_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    settle();
  }
  void say(std::string_view text) { say(core::as_bytes(text.data(), text.size())); }
  void settle() {
    std::array<char, 16 * 1024> piece;
    heard_.clear();
    for (ssize_t count = 0;; heard_.append(piece.data(), static_cast<std::size_t>(count))) {
      io_.restart();
      io_.poll();
      if (ours_ < 0 || (count = ::recv(ours_, piece.data(), piece.size(), 0)) <= 0) return;
    }
  }
  // Since something was said.
  [[nodiscard]] const std::string& heard() const { return heard_; }
  void close() {
    if (ours_ >= 0) ::close(ours_);
    ours_ = -1;
    settle();
  }

 private:
  boost::asio::io_context& io_;
  boost::asio::ip::tcp::socket socket_;
  int ours_ = -1;
  std::string heard_;
};

inline constexpr std::uint8_t whole_text = 0x81;
inline constexpr std::uint8_t whole_binary = 0x82;

// A WebSocket frame: `first` has FIN, the reserved bits and the opcode. A client's is masked, by zeros.
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
