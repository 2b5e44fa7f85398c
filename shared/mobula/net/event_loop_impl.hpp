// Asio's part of EventLoop, for the sources of this folder only.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <map>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/udp_batch.hpp>
#include <mobula/transport/address.hpp>
#include <string>

namespace mobula::net {

struct EventLoop::Impl {
  // Maximum bytes per read of a stream, so that other streams get their turn.
  static constexpr std::size_t stream_bytes_max = 16 * 1024;

  void wait(core::Nanoseconds until);
  void handle_ready(core::Nanoseconds until);
  void rest(core::Nanoseconds until) const;
  void write_last();

  // One thread runs it, but stop() may be called from another: Asio's locks stay enabled.
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  // Signals of one kind and their handler.
  struct Signals {
    explicit Signals(boost::asio::io_context& io) : set(io) {}
    boost::asio::signal_set set;
    std::function<void()> handler;
  };
  Signals stop_signals{io};
  Signals reload_signals{io};
  std::atomic<bool> stopped = false;
  std::size_t abandoned = 0;               // streams without an owner that still write
  boost::asio::steady_timer deadline{io};  // deadline of run_until
  core::Nanoseconds pause = 0;             // after handlers were called
  core::Nanoseconds read_until = 0;        // end of the current run_until: sockets leave the rest to the next one
  // Buffers shared by all sockets of the loop: there may be thousands of sockets.
  UdpSendBatch send_batch;
  UdpReceiveBatch receive_batch;
  std::array<std::byte, stream_bytes_max> stream_bytes;
  // Trusted certificates by file name. Loading the system's certificates is slow, and thousands of bots share them.
  std::map<std::string, std::shared_ptr<boost::asio::ssl::context>> client_tls;
};

transport::Address to_address(const boost::asio::ip::udp::endpoint& endpoint);
// Returns an IPv4 address if `address` is a mapped one.
boost::asio::ip::address to_ip(const transport::Address& address);

}  // namespace mobula::net
