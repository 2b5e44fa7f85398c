// A UDP socket of an EventLoop. Datagrams that come are handed to one handler; sending never blocks.
// Where the machine has IPv6 a socket on "any" speaks both; elsewhere it speaks IPv4 alone.
// Its loop must outlive it. The handler may send, but not destroy the socket it is called for.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/result.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/udp_counters.hpp>
#include <mobula/transport/endpoint.hpp>

namespace mobula::net {

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
  // What waits goes out together at flush(), after the handler has seen a batch, when there is no more room, when
  // another socket of the loop sends, or when the loop runs. What the kernel has no room for is dropped and counted.
  void send(const transport::Address& to, core::ByteView datagram) override;
  void flush() override;

  [[nodiscard]] std::uint16_t local_port() const;
  [[nodiscard]] const UdpCounters& counters() const;

 private:
  struct Impl;
  explicit UdpSocket(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace mobula::net
