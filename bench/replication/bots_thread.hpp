// Clients with real UDP sockets, in a thread of their own. Datagrams of both directions are delayed by the latency of
// the client's path, or lost.
//
// A tick has slices, and each client sends in one of them.
#pragma once

#include <atomic>
#include <memory>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/udp_socket.hpp>
#include <string>
#include <thread>

#include "replication/crowd.hpp"

namespace mobula::bench {

class BotsThread {
 public:
  BotsThread(const ReplicationOptions& options, const transport::Address& server);
  ~BotsThread() { stop(); }
  BotsThread(const BotsThread&) = delete;
  BotsThread& operator=(const BotsThread&) = delete;

  // Callable from any thread.
  [[nodiscard]] bool all_play() const { return all_play_; }
  // Ends the thread. The other functions are for after that.
  void stop();
  // Reason if a socket could not be opened.
  [[nodiscard]] const core::Status& status() const { return status_; }
  [[nodiscard]] std::uint64_t mismatched_ticks() const;
  [[nodiscard]] std::uint64_t verified_ticks() const;

 private:
  static constexpr std::size_t slice_count = 25;

  struct Bot {
    std::uint32_t number;
    BenchClient client;
    std::unique_ptr<net::UdpSocket> socket;
  };
  struct Slice {
    Slice(std::uint64_t seed, std::uint32_t loss_percent)
        : down(2 * seed, loss_percent), up(2 * seed + 1, loss_percent) {}
    DelayedPipe down;
    DelayedPipe up;
    std::vector<std::unique_ptr<Bot>> bots;
  };

  void run();
  void step(Slice& slice);
  core::Status add_bot(Slice& slice);
  [[nodiscard]] bool find_out_whether_all_play() const;

  ReplicationOptions options_;
  transport::Address server_;
  net::EventLoop loop_;
  std::vector<std::unique_ptr<Slice>> slices_;
  std::uint32_t bots_ = 0;
  core::Status status_ = core::Done{};
  std::atomic<bool> all_play_ = false;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace mobula::bench
