// The worlds of one process, by name, and the loop that ticks each when it is due. All of them share one thread: a long
// tick of one world delays the others.
#pragma once

#include <compare>
#include <functional>
#include <memory>
#include <mobula/net/event_loop.hpp>
#include <mobula/server/host/hosted_world.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::server {

/// Opens and closes the worlds of a process on behalf of others, and knows whether the process may serve.
class Supervisor {
 public:
  virtual ~Supervisor() = default;
  /// Returns whether the process may go on. Called before each tick. If not, run() ends, and no world is saved any
  /// more.
  [[nodiscard]] virtual bool may_serve() const = 0;
  /// Called in each turn of the loop, between ticks.
  virtual void update() = 0;
  /// Handles that the admin port listens at this port. Called before the first update().
  virtual void admin_listens(std::uint16_t port) = 0;
  /// Handles the drain of the process.
  virtual void drain() = 0;
  /// Called between the steps of work that keeps the loop from its next turn, such as the last saves of many worlds.
  virtual void progress() = 0;
  /// Returns why the process takes no clients yet, or no more; null if it does. The text is static.
  [[nodiscard]] virtual const char* not_ready() const = 0;
};

class Worlds {
 public:
  Worlds() = default;
  Worlds(const Worlds&) = delete;
  Worlds& operator=(const Worlds&) = delete;

  /// Opens a world. May be called at any time, also in a hook of another world's game. The pointer is valid until the
  /// world is closed; the game must outlive it. A name is 1 to 64 letters, digits, '-', '_' and '.', and begins with a
  /// letter or digit. Errors: "bad name", "name taken", "ending" (the process is shutting down), and those of
  /// HostedWorld::open, such as "bad configuration".
  core::Result<HostedWorld*> open(std::string name, HostConfig config, Game& game);
  /// Closes a world and its clients' sessions after the current tick. Ignored if there is no such world.
  void close(std::string_view name);
  /// Closes a world as close() does, without saving it.
  void drop(std::string_view name);
  /// Reloads the level of each world, as HostedWorld::reload_level does.
  void reload_levels();
  /// Returns a world. Null if there is no such world, or it is being closed.
  [[nodiscard]] HostedWorld* find(std::string_view name);
  /// Returns whether a world closes after this tick.
  [[nodiscard]] bool is_closing(std::string_view name) const;
  /// Returns all worlds in the order in which they were opened.
  [[nodiscard]] std::span<const std::unique_ptr<HostedWorld>> all() const { return worlds_; }
  /// Returns the number of players in all worlds, disconnected ones included.
  [[nodiscard]] std::uint64_t players() const;
  /// Returns the number of worlds that have ended. It grows when all() loses one.
  [[nodiscard]] std::uint64_t ended() const { return ended_; }

  /// Lets a supervisor open worlds. run() then goes on while there is none. It must outlive run().
  void supervise(Supervisor& supervisor) { supervisor_ = &supervisor; }
  [[nodiscard]] bool supervised() const { return supervisor_ != nullptr; }
  /// Lets the supervisor, if there is one, know the admin port.
  void admin_listens(std::uint16_t port) {
    if (supervised()) supervisor_->admin_listens(port);
  }
  /// Returns the supervisor's not_ready(). Null without a supervisor.
  [[nodiscard]] const char* not_ready() const { return supervised() ? supervisor_->not_ready() : nullptr; }
  /// Ticks the worlds until stop(), until none is left, or for `ticks` ticks of the oldest (0 for no limit), then shuts
  /// them down. A world whose game throws is closed as of its last save; the others go on. Returns false if that
  /// happened, if a world could not be saved, or if the supervisor has forbidden to serve.
  bool run(std::uint64_t ticks = 0);
  /// Sets the function that is called after each tick of each world, and now and then while there is no world.
  void on_tick(std::function<void()> handler) { on_tick_ = std::move(handler); }
  void stop() { events_.stop(); }
  [[nodiscard]] bool draining() const { return draining_; }
  /// Drains all worlds, then stops: new clients are refused, connected clients are notified.
  void drain(std::string_view reason);
  [[nodiscard]] net::EventLoop& events() { return events_; }

 private:
  // A world by the time at which its next tick is due, then by its number.
  struct Due {
    core::Nanoseconds at = 0;
    std::uint64_t number = 0;
    HostedWorld* world = nullptr;
    auto operator<=>(const Due&) const = default;
  };

  [[nodiscard]] core::Nanoseconds pause() const;
  void tick(HostedWorld& world);
  void end_closed();
  [[nodiscard]] bool goes_on(std::uint64_t ticks) const;
  [[nodiscard]] core::Nanoseconds next_turn() const;
  [[nodiscard]] bool may_serve() const { return supervisor_ == nullptr || supervisor_->may_serve(); }
  void end_all();
  [[nodiscard]] bool drained() const;

  net::EventLoop events_;
  Supervisor* supervisor_ = nullptr;
  std::function<void()> on_tick_;
  std::vector<std::unique_ptr<HostedWorld>> worlds_;
  std::vector<Due> due_;      // a heap, earliest first; has all of worlds_ between ticks
  std::uint64_t opened_ = 0;  // number of the newest world
  std::uint64_t ended_ = 0;
  bool draining_ = false;             // draining, or run() is ending
  std::vector<std::string> opening_;  // names of worlds that are being opened
  std::vector<std::string> closed_;   // names of worlds that close after this tick
  bool saved_ = true;                 // all closed worlds were saved
};

}  // namespace mobula::server
