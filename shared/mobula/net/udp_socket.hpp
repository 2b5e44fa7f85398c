// UDP socket of an EventLoop. Received datagrams are passed to one handler; sending never blocks.
// A socket on "any" is dual-stack, or IPv4 only on a machine without IPv6.
// The loop must outlive it. The handler may send, but must not destroy the socket.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/udp_counters.hpp>
#include <mobula/transport/endpoint.hpp>

namespace mobula::net {

/// UDP socket of an event loop.
class UdpSocket final : public transport::Output {
 public:
  /// Size that is requested for each of the kernel's buffers, in bytes.
  static constexpr int kernel_buffer_bytes = 4 * 1024 * 1024;

  using Handler = std::function<void(const transport::Address& from, core::ByteView datagram)>;

  /// Opens a socket. Address::any(0) selects any free port.
  /// Errors: "port in use", "no permission", "no such address", "cannot open".
  static core::Result<std::unique_ptr<UdpSocket>> open(EventLoop& loop, const transport::Address& local);
  ~UdpSocket() override;
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  /// Answers each peer from the local address that it has sent to, for a socket of all addresses. Before the first
  /// datagram. Does nothing where the system does not report these addresses.
  void answer_from_asked_address();
  /// Sets the handler of received datagrams, which are valid during the call. Earlier ones are kept by the kernel.
  void on_datagram(Handler handler);
  /// Adds a datagram to the loop's batch. It is sent by flush(), after the handler has received a batch, when it
  /// is full, when another socket sends, or when the loop runs. If the kernel has no room, datagrams are dropped and
  /// counted.
  void send(const transport::Address& to, core::ByteView datagram) override;
  void flush() override;

  [[nodiscard]] std::uint16_t local_port() const;
  /// Returns the size of the kernel's receive buffer as the kernel counts it, in bytes. 0 if it is unknown.
  [[nodiscard]] std::size_t receive_buffer_bytes() const;
  [[nodiscard]] const UdpCounters& counters() const;

 private:
  struct Impl;
  explicit UdpSocket(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace mobula::net
