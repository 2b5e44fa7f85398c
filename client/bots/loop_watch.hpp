// How late the bots' own machine is: what bots measure of a server is true only while their loop keeps up. A datagram
// to itself waits its turn among those of the bots, and says how long that took; and how busy the process was.
#pragma once

#include <memory>
#include <mobula/core/histogram.hpp>
#include <mobula/net/udp_socket.hpp>

namespace mobula::client {

class LoopWatch {
 public:
  // Reasons: those of opening a socket.
  static core::Result<std::unique_ptr<LoopWatch>> open(net::EventLoop& loop);

  // Sends one. As often as bots are updated.
  void probe();
  // Microseconds from sending to being handed out, since the last clear().
  [[nodiscard]] core::Histogram& lags_us() { return lags_us_; }

  // CPU time of this process so far, all its threads.
  static core::Nanoseconds cpu_time();

 private:
  explicit LoopWatch(std::unique_ptr<net::UdpSocket> socket) : socket_(std::move(socket)) {}

  std::unique_ptr<net::UdpSocket> socket_;
  transport::Address self_;
  core::Histogram lags_us_;
};

}  // namespace mobula::client
