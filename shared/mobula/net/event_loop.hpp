// Waits for sockets and signals until a deadline and calls their handlers, all in one thread.
// It owns no sockets; they must be destroyed before their loop.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/clock.hpp>

namespace mobula::net {

/// Single-threaded event loop for sockets and signals.
class EventLoop {
 public:
  EventLoop();
  /// Writes what streams had queued when they were destroyed. Waits a quarter of a second at most.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Runs handlers until the deadline (core::monotonic_now) or until stopped. If the deadline has passed, or passes in
  /// a pause, it still handles ready sockets for a bounded time: a late server must keep receiving.
  void run_until(core::Nanoseconds deadline);

  /// Sets a pause after handlers were called; 0, the default, makes none. Datagrams that
  /// arrive during a pause are handled together, at its end or at the deadline of run_until. A wake-up costs more than
  /// most datagrams, so a server, which needs them for its next tick only, saves CPU time.
  void set_pause(core::Nanoseconds pause);
  [[nodiscard]] core::Nanoseconds pause() const;

  /// Ends the current and every later run_until, at the end of a pause. May be called from any thread.
  void stop();
  [[nodiscard]] bool stopped() const;

  /// Sets the handler of the first SIGINT or SIGTERM, called in run_until; one per process. Later ones change nothing,
  /// because wrappers and terminals send such signals twice. Only a SIGINT a second or more after the first SIGINT ends
  /// the process at once. It then prints why to standard error and exits with status 130.
  void on_stop_signal(std::function<void()> handler);
  /// Sets the handler of SIGHUP.
  void on_reload_signal(std::function<void()> handler);

  /// Asio's part, for the sources of this folder.
  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::net
