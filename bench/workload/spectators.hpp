// The clients of a workload: real clients with real sockets behind simulated networks. Each compares its mirror with
// the true poses in each tick.
#pragma once

#include <array>
#include <memory>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/net/event_loop.hpp>

#include "workload/server_process.hpp"

namespace mobula::bench {

// The poses of all objects in each of the last ticks.
class TruePoses {
 public:
  static constexpr ecs::Tick ticks_kept = 256;

  explicit TruePoses(const PurrnetOptions& options)
      : movers_(options.motion, options.objects, options.ticks_per_second, options.seed) {}

  // Returns the poses in a tick that is at most ticks_kept older than the newest that was asked for.
  std::span<const purrnet::Mover> at(ecs::Tick tick);

 private:
  Movers movers_;
  ecs::Tick moved_ = 0;
  std::array<std::vector<purrnet::Mover>, ticks_kept> poses_;
};

class Spectators {
 public:
  // Errors: those of opening sockets and of a latency's text.
  static core::Result<std::unique_ptr<Spectators>> open(const PurrnetOptions& options, ServerProcess& server);

  // Runs the clients for a time, or until the condition holds. Returns whether it does.
  template <class Condition>
  bool run(double seconds, Condition&& condition) {
    const core::Nanoseconds end = core::monotonic_now() + static_cast<core::Nanoseconds>(seconds * core::second);
    while (!condition()) {
      if (core::monotonic_now() >= end) return false;
      step();
    }
    return true;
  }
  // Returns whether all clients have a complete mirror.
  [[nodiscard]] bool all_complete() const;
  [[nodiscard]] std::uint32_t complete_count() const;

  // Compares all ticks from here on.
  void begin_comparison() { comparing_ = true; }
  // Adds what the clients saw to a report.
  void add_to(PurrnetReport& report) const;

 private:
  struct Spectator {
    std::unique_ptr<client::PipeClient> client;
    ecs::Tick first = 0;  // tick that was compared first; 0 before that
    ecs::Tick newest = 0;
    std::uint64_t ticks = 0;  // compared
  };

  explicit Spectators(const PurrnetOptions& options) : options_(options), truth_(options) {}
  void step();
  void compare(Spectator& spectator);
  void compare(const client::Mirror& mirror);

  PurrnetOptions options_;
  net::EventLoop loop_;
  std::span<const ecs::Entity> objects_;
  TruePoses truth_;
  std::vector<std::unique_ptr<Spectator>> spectators_;
  std::vector<client::PipeClient*> clients_;
  std::size_t turn_ = 0;
  core::Nanoseconds next_step_ = 0;
  bool comparing_ = false;
  PoseError worst_;
  std::uint64_t compared_ = 0;
  std::uint64_t absent_ = 0;
};

}  // namespace mobula::bench
