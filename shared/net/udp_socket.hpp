// A UDP socket of an EventLoop. Datagrams that come are handed to one handler; sending never blocks.
// Where the machine has IPv6 a socket on "any" speaks both; elsewhere it speaks IPv4 alone.
// Its loop must outlive it. The handler may send, but not destroy the socket it is called for.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/transport/endpoint.hpp>

namespace mobula::net {

struct UdpCounters {
  std::uint64_t datagrams_sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t datagrams_received = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t dropped_full = 0;  // the kernel's buffer had no room
  std::uint64_t send_errors = 0;   // unreachable, and the like
};

class UdpSocket final : public transport::Output {
 public:
  using Handler = std::function<void(const transport::Address& from, core::ByteView datagram)>;

  // Address::any(0) takes any free port. Refused with "port in use", "no permission", "no such address" or
  // "cannot open".
  static core::Result<std::unique_ptr<UdpSocket>> open(EventLoop& loop, const transport::Address& local);
  ~UdpSocket() override;
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  // `datagram` is valid during the call. What comes before there is a handler waits in the kernel.
  void on_datagram(Handler handler);
  // What the kernel has no room for is dropped and counted.
  void send(const transport::Address& to, core::ByteView datagram) override;

  [[nodiscard]] std::uint16_t local_port() const;
  [[nodiscard]] const UdpCounters& counters() const;

 private:
  struct Impl;
  explicit UdpSocket(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace mobula::net
