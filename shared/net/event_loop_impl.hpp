// Asio's side of EventLoop, for the sources of this folder alone.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstddef>
#include <mobula/net/event_loop.hpp>
#include <mobula/transport/address.hpp>

namespace mobula::net {

struct EventLoop::Impl {
  // Longer than any datagram we accept, so that a longer one is seen to be too long.
  static constexpr std::size_t receive_bytes_max = 2048;

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
  // All sockets receive into it, one after the other.
  std::array<std::byte, receive_bytes_max> buffer;
};

transport::Address to_address(const boost::asio::ip::udp::endpoint& endpoint);

}  // namespace mobula::net
