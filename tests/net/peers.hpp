// Helpers for tests of pipes: a loop that runs until a condition holds, and a peer with a plain socket.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/socket_address.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mobula::net {

inline transport::Address loopback(std::uint16_t port, transport::Pipe pipe = transport::Pipe::udp) {
  transport::Address address = transport::Address::v4(127, 0, 0, 1, port);
  address.pipe = pipe;
  return address;
}

inline transport::Address loopback_v6(std::uint16_t port, transport::Pipe pipe = transport::Pipe::udp) {
  return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, port, pipe};
}

// Runs the loop until the condition holds. Returns false after a generous timeout.
template <class Condition>
bool run_until_true(EventLoop& loop, Condition&& condition) {
  const core::Nanoseconds end = core::monotonic_now() + 20 * core::second;
  while (!condition() && core::monotonic_now() < end) loop.run_until(core::monotonic_now() + core::millisecond);
  return condition();
}

inline void run_for(EventLoop& loop, core::Nanoseconds time) { loop.run_until(core::monotonic_now() + time); }

inline std::string text_of(core::ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline core::ByteView bytes_of(std::string_view text) { return core::as_bytes(text.data(), text.size()); }

// Received datagrams, in order, in total and per sender.
struct Inbox {
  std::vector<transport::Address> from;
  std::vector<core::Bytes> datagrams;

  auto handler() {
    return [this](const transport::Address& address, core::ByteView datagram) {
      from.push_back(address);
      datagrams.emplace_back(datagram.begin(), datagram.end());
    };
  }
};

// A plain non-blocking TCP socket.
class RawPeer {
 public:
  explicit RawPeer(std::uint16_t port, int receive_buffer_bytes = 0) {
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    if (receive_buffer_bytes > 0) {
      setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    }
    SocketAddress to;
    const socklen_t size = to_v4(loopback(port), to);
    EXPECT_EQ(connect(socket_, &to.any, size), 0) << "port " << port;
  }
  ~RawPeer() { close(socket_); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  void send(std::string_view bytes) { (void)::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  // Returns a datagram in the framing of the TCP pipe.
  void send_framed(std::string_view datagram) {
    const auto size = static_cast<std::uint16_t>(datagram.size());
    send(text_of(core::as_bytes(&size, 1)) + std::string(datagram));
  }
  // Returns all bytes received so far.
  const std::string& received() {
    std::array<char, 65536> buffer;
    for (;;) {
      const ssize_t count = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (count > 0) {
        received_.append(buffer.data(), static_cast<std::size_t>(count));
        continue;
      }
      closed_ = closed_ || count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
      return received_;
    }
  }
  // Returns whether the other side has closed.
  bool closed() {
    received();
    return closed_;
  }
  void half_close() { shutdown(socket_, SHUT_WR); }
  [[nodiscard]] std::uint16_t port() const {
    SocketAddress local{};
    socklen_t size = sizeof local;
    getsockname(socket_, &local.any, &size);
    return to_address(local).port;
  }

 private:
  int socket_ = -1;
  bool closed_ = false;
  std::string received_;
};

}  // namespace mobula::net
