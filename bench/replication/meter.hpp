// CPU time of the server's thread in each tick, divided among the phases by the server's own clock.
#pragma once

#include <mobula/server/session/server.hpp>

#include "replication/replication_bench.hpp"

namespace mobula::bench {

// The server's output, timed and counted.
class MeteredOutput final : public transport::Output {
 public:
  explicit MeteredOutput(transport::Output& output) : output_(output) {}

  void send(const transport::Address& to, core::ByteView datagram) override {
    const core::Nanoseconds begin = core::monotonic_now();
    output_.send(to, datagram);
    bytes_ += datagram.size();
    spent_ += core::monotonic_now() - begin;
  }
  void flush() override {
    const core::Nanoseconds begin = core::monotonic_now();
    output_.flush();
    spent_ += core::monotonic_now() - begin;
  }
  [[nodiscard]] bool ready(const transport::Address& to) const override { return output_.ready(to); }
  void finished(const transport::Address& to) override { output_.finished(to); }

  [[nodiscard]] core::Nanoseconds spent() const { return spent_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  transport::Output& output_;
  core::Nanoseconds spent_ = 0;
  std::uint64_t bytes_ = 0;
};

class Meter {
 public:
  Meter(const server::Server& server, transport::Output& output) : server_(server), output_(output) {}

  [[nodiscard]] MeteredOutput& output() { return output_; }

  // Called in each tick: before the server receives, before it ticks, after that.
  void begin();
  void begin_tick();
  void end_tick();

  // Reports count from here on.
  void restart();
  // Report for `clients` clients. `moving_share`: of the entities in the world, those that move.
  [[nodiscard]] ReplicationReport report(std::uint32_t clients, double moving_share);

 private:
  // Sums over ticks.
  struct Totals {
    std::array<core::Nanoseconds, static_cast<std::size_t>(server::TickPhase::count)> phases{};
    core::Nanoseconds send = 0;
    core::Nanoseconds receive_cpu = 0;
    core::Nanoseconds tick_cpu = 0;
    core::Nanoseconds tick_wall = 0;
    std::uint64_t bytes = 0;
    std::uint64_t made = 0;
    std::uint64_t copied = 0;
    std::uint64_t visible = 0;  // entities in views
  };
  [[nodiscard]] Totals totals() const;

  const server::Server& server_;
  MeteredOutput output_;
  Totals sums_;    // counted by this meter
  Totals before_;  // all, at the last restart
  core::Nanoseconds cpu_begin_ = 0;
  core::Nanoseconds cpu_tick_ = 0;
  core::Nanoseconds wall_tick_ = 0;
  std::vector<core::Nanoseconds> ticks_;  // CPU time of each
};

}  // namespace mobula::bench
