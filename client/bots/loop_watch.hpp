// Lateness of the bots' own loop: measurements of a server are valid only while this loop keeps up. A datagram that the
// loop sends to itself waits among those of the bots, which measures the delay. Also measures CPU time of the process.
#pragma once

#include <memory>
#include <mobula/core/histogram.hpp>
#include <mobula/net/udp_socket.hpp>

namespace mobula::client {

class LoopWatch {
 public:
  /// Opens the socket. Errors: those of opening a socket.
  static core::Result<std::unique_ptr<LoopWatch>> open(net::EventLoop& loop);

  /// Sends a probe. Called before each part of the bots is updated.
  void probe();
  /// Returns whether a probe has not been delivered yet.
  [[nodiscard]] bool waits() const { return sent_ != received_; }
  /// Returns microseconds from sending to delivery, since the last clear().
  [[nodiscard]] core::Histogram& lags_us() { return lags_us_; }

  /// Returns the CPU time of all threads of this process so far.
  static core::Nanoseconds cpu_time();

 private:
  explicit LoopWatch(std::unique_ptr<net::UdpSocket> socket) : socket_(std::move(socket)) {}

  std::unique_ptr<net::UdpSocket> socket_;
  transport::Address self_;
  core::Histogram lags_us_;
  std::uint64_t sent_ = 0;  // probes
  std::uint64_t received_ = 0;
};

}  // namespace mobula::client
