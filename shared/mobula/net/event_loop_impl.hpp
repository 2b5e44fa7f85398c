// Asio's side of EventLoop, for the sources of this folder alone.
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
  // What one read of a stream takes at most; then the others have their turn.
  static constexpr std::size_t stream_bytes_max = 16 * 1024;

  // One thread runs it; stop may come from another, so Asio's locks stay.
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  // Signals of one kind, and who is told of them.
  struct Signals {
    explicit Signals(boost::asio::io_context& io) : set(io) {}
    boost::asio::signal_set set;
    std::function<void()> handler;
  };
  Signals stop_signals{io};
  Signals reload_signals{io};
  std::atomic<bool> stopped = false;
  boost::asio::steady_timer deadline{io};  // of run_until
  // All sockets of the loop use them, one after the other: there may be thousands, each with little of its own.
  UdpSendBatch send_batch;
  UdpReceiveBatch receive_batch;
  std::array<std::byte, stream_bytes_max> stream_bytes;
  // What clients trust, by file name: reading the system's certificates takes long, and thousands of bots share them.
  std::map<std::string, std::shared_ptr<boost::asio::ssl::context>> client_tls;
};

transport::Address to_address(const boost::asio::ip::udp::endpoint& endpoint);
// IPv4 where the address is one of IPv4.
boost::asio::ip::address to_ip(const transport::Address& address);

}  // namespace mobula::net
