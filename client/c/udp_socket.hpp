// A plain UDP socket that never blocks, for IPv4 and IPv6. The only file that knows the system's sockets.
#pragma once

#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <mobula/transport/endpoint.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace mobula::c {

/// Returns the addresses of HOST[:PORT], udp:HOST[:PORT] or udp://HOST[:PORT], IPv4 first. The port is 7777 if it is
/// missing. Resolves a name, which may block. Reasons: "bad address", "unknown host".
core::Result<std::vector<transport::Address>> resolve(std::string_view text);
/// Returns the address of a text that resolve() takes, with an IP address as HOST. Nothing for names and other texts.
std::optional<transport::Address> parse_udp_address(std::string_view text);

class UdpSocket final : public transport::Output {
 public:
  UdpSocket() = default;
  ~UdpSocket() override { close(); }
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  /// Opens the socket, or opens it anew on another port. Reason: "socket".
  core::Status open();
  void close();
  /// Takes the place of another socket, which is closed afterwards. Counters are added.
  void take_over(UdpSocket& other);

  /// Sends a datagram. One that the system does not take is lost.
  void send(const transport::Address& to, core::ByteView datagram) override;
  /// Returns the size of the next datagram, 0 if none waits. One that is longer than `buffer` is cut, or dropped.
  std::size_t receive(transport::Address& from, core::MutableBytes buffer);
  /// Waits until a datagram waits, at most for `at_most`. Without a socket it waits that long.
  void wait(core::Nanoseconds at_most) const;

  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t sent_bytes() const { return sent_bytes_; }

 private:
  static constexpr std::intptr_t none = -1;

  std::intptr_t socket_ = none;
  bool v4_only_ = false;
  std::uint64_t sent_ = 0;
  std::uint64_t sent_bytes_ = 0;
};

}  // namespace mobula::c
