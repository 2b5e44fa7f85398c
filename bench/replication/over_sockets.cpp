#include "replication/over_sockets.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <mobula/core/format.hpp>

#include "replication/bots_thread.hpp"
#include "replication/meter.hpp"

namespace mobula::bench {
namespace {

constexpr double sockets_join_seconds_max = 60;
constexpr std::size_t other_files = 64;

core::Status allow_files(std::size_t count) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < count)
    return core::Error{"too few file descriptors", core::format("{} are needed, {} allowed", count, limit.rlim_max)};
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, count);
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return core::Done{};
}

class OverSockets {
 public:
  OverSockets(const ReplicationOptions& options, server::Server& server, net::EventLoop& loop, net::UdpSocket& socket)
      : options_(options), server_(server), loop_(loop), meter_(server, socket) {
    socket.on_datagram([this](const transport::Address& from, core::ByteView datagram) {
      server_.receive(from, datagram, core::monotonic_now(), meter_.output());
    });
  }

  // Ticks until the condition holds. Returns false on timeout.
  template <class Condition>
  bool serve_until(double seconds, Condition&& condition) {
    core::Nanoseconds next = core::monotonic_now();
    const core::Nanoseconds end = next + static_cast<core::Nanoseconds>(seconds * core::second);
    while (!condition()) {
      next += core::second / options_.walkers.ticks_per_second;
      if (next > end) return false;
      meter_.begin();
      loop_.run_until(next);
      meter_.begin_tick();
      server_.tick(core::monotonic_now(), meter_.output());
      meter_.end_tick();
    }
    return true;
  }
  [[nodiscard]] Meter& meter() { return meter_; }

 private:
  const ReplicationOptions& options_;
  server::Server& server_;
  net::EventLoop& loop_;
  Meter meter_;
};

}  // namespace

core::Result<ReplicationReport> run_over_sockets(const ReplicationOptions& options, Walkers& walkers) {
  if (const core::Status allowed = allow_files(options.clients + other_files); !allowed) return allowed.error();
  net::EventLoop loop;
  auto socket = net::UdpSocket::open(loop, transport::Address::v4(127, 0, 0, 1, 0));
  if (!socket) return socket.error();
  const auto address = transport::Address::v4(127, 0, 0, 1, (*socket)->local_port());
  const auto server = start_bench_server(options, walkers, address);
  if (!server) return server.error();

  OverSockets bench(options, **server, loop, **socket);
  BotsThread bots(options, address);
  const auto never = [] { return false; };
  const bool joined = bench.serve_until(sockets_join_seconds_max, [&] { return bots.all_play(); });
  if (joined) {
    bench.serve_until(settle_seconds, never);
    bench.meter().restart();
    bench.serve_until(options.seconds, never);
  }
  bots.stop();
  if (!bots.status()) return bots.status().error();
  if (!joined)
    return core::Error{"not all joined",
                       core::format("{} players of {} clients", (*server)->players(), options.clients)};
  ReplicationReport report = bench.meter().report(options.clients, options.walkers.moving_share());
  report.verified_ticks = bots.verified_ticks();
  report.mismatches = bots.mismatched_ticks();
  return report;
}

}  // namespace mobula::bench
