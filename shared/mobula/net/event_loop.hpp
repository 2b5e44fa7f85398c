// Waits for sockets and signals until a deadline and calls their handlers. One thread runs it, and all handlers.
// Owns nothing but the waiting; sockets must be gone before their loop.
#pragma once

#include <functional>
#include <memory>
#include <mobula/core/clock.hpp>

namespace mobula::net {

class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Returns at the deadline (core::monotonic_now), or at once when stopped. A deadline that has passed still
  // handles what is ready, for a bounded time: a late server must not go deaf.
  void run_until(core::Nanoseconds deadline);

  // Ends the current and every later run_until. From the loop's thread or any other.
  void stop();
  [[nodiscard]] bool stopped() const;

  // Called in run_until after the first SIGINT or SIGTERM; one handler per process. A second signal ends the process at
  // once, whatever it is doing, with status 128 + its number.
  void on_stop_signal(std::function<void()> handler);
  // After each SIGHUP.
  void on_reload_signal(std::function<void()> handler);

  // Asio's side, for this folder's sources.
  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace mobula::net
