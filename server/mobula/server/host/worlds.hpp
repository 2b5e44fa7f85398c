// The worlds of one process, by name, and the loop that ticks each when it is due. One thread for all of them; what one
// tick takes, the others wait for.
#pragma once

#include <functional>
#include <memory>
#include <mobula/server/host/hosted_world.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::server {

class Worlds {
 public:
  Worlds() = default;
  Worlds(const Worlds&) = delete;
  Worlds& operator=(const Worlds&) = delete;

  // The pointer is good until the world is closed. At any time, in a hook of another world's game too. Reasons: "name
  // taken", "ending" (of the process), and those of HostedWorld::open. The game must outlive the world.
  core::Result<HostedWorld*> open(std::string name, HostConfig config, Game& game);
  // Ends its clients' sessions, after the tick that runs. Nothing happens if there is none of that name.
  void close(std::string_view name);
  // Null if there is none, or it is being closed.
  [[nodiscard]] HostedWorld* find(std::string_view name);
  // In the order in which they were opened.
  [[nodiscard]] std::span<const std::unique_ptr<HostedWorld>> all() const { return worlds_; }

  // Ticks until stop(), until there is no world left, or for so many ticks of the oldest (0: without end); then shuts
  // all of them down. False if one of them could not be saved.
  bool run(std::uint64_t ticks = 0);
  // Called after each tick of each world.
  void on_tick(std::function<void()> handler) { on_tick_ = std::move(handler); }
  void stop() { events_.stop(); }
  // Lets nobody into any of them, tells their clients, and stops when all are done with that.
  void drain(std::string_view reason);
  [[nodiscard]] net::EventLoop& events() { return events_; }

 private:
  [[nodiscard]] HostedWorld& next_due();
  void end_closed();
  [[nodiscard]] bool drained() const;

  net::EventLoop events_;
  std::function<void()> on_tick_;
  std::vector<std::unique_ptr<HostedWorld>> worlds_;
  bool draining_ = false;            // or run() ends
  std::vector<std::string> closed_;  // names of worlds that end when this tick has
  bool saved_ = true;                // all that have ended
};

}  // namespace mobula::server
