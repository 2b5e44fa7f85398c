// Life cycle of a process as a game server of Agones: what the program calls.
#pragma once

#include <memory>
#include <mobula/server/agones/sidecar.hpp>

namespace mobula::agones {

struct LifeCycleConfig {
  SidecarConfig sidecar{};
  std::uint64_t players_max = 0;  // capacity of the counter `players`; 0 leaves that of the resource
  std::uint64_t worlds_max = 0;   // capacity of the counter `worlds`; 0 leaves that of the resource
  /// Allocates the game server when the first player joins, and gives it back after the last one has left. For servers
  /// whose players do not come through a GameServerAllocation.
  bool allocate_when_joined = false;
  /// Time for which a game server without players is reserved, before Agones makes it ready. 0 makes it ready at once.
  std::uint32_t reserve_seconds = 0;
  core::Nanoseconds shutdown_timeout = 2 * core::second;
};

/// Call all functions on the thread of the event loop.
class LifeCycle {
 public:
  /// The loop must outlive it.
  LifeCycle(net::EventLoop& events, LifeCycleConfig config);

  /// Makes the game server ready: the worlds are open.
  void ready();
  /// Called after each tick. Keeps the game server healthy and sends the counters.
  void tick_ran(std::uint64_t players, std::uint64_t worlds, core::Nanoseconds now);
  /// Returns whether Agones is ending the game server: drain the worlds. Once true, it stays true. Called at least ten
  /// times per second, also when no tick runs: it sends what is due.
  [[nodiscard]] bool drain_wanted(core::Nanoseconds now);
  /// Ends the game server: the worlds are saved. Blocks for up to `shutdown_timeout`. Nothing is sent afterwards.
  void shut_down();

  /// Counters, for metrics and tests.
  [[nodiscard]] SidecarStats stats() const { return sidecar_ ? sidecar_->stats() : last_stats_; }

 private:
  void note_players(std::uint64_t players);

  LifeCycleConfig config_;
  bool ready_ = false;
  bool in_use_ = false;  // players were there at the last tick
  bool ending_ = false;
  std::unique_ptr<Sidecar> sidecar_;  // null after shut_down()
  SidecarStats last_stats_;
};

}  // namespace mobula::agones
