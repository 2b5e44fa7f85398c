// What the tests of pipes share: a loop that runs until something holds, and a peer that is a bare socket.
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

// Runs the loop until the condition holds; false when it does not within a generous time.
template <class Condition>
bool run_until_true(EventLoop& loop, Condition&& condition) {
  const core::Nanoseconds end = core::monotonic_now() + 20 * core::second;
  while (!condition() && core::monotonic_now() < end) loop.run_until(core::monotonic_now() + core::millisecond);
  return condition();
}

inline void run_for(EventLoop& loop, core::Nanoseconds time) { loop.run_until(core::monotonic_now() + time); }

inline std::string text_of(core::ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline core::ByteView bytes_of(std::string_view text) { return core::as_bytes(text.data(), text.size()); }

// All that came, in order, whole and per sender.
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

// A TCP socket that knows of no datagrams. Nothing blocks.
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
  // A datagram as TCP carries it.
  void send_framed(std::string_view datagram) {
    const auto size = static_cast<std::uint16_t>(datagram.size());
    send(text_of(core::as_bytes(&size, 1)) + std::string(datagram));
  }
  // What has come so far, added to what came before.
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
  // The other side has closed.
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
