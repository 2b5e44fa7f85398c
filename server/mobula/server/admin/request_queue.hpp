// Queue of requests from one thread to another: from the admin thread to the simulation thread, which serves it between
// ticks.
// Invariant: a request runs at most once, and never after it is withdrawn. Both ends may be used at any time by their
// threads; neither waits for the other's work. Serving an empty queue costs one load.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mobula/core/clock.hpp>
#include <mutex>

namespace mobula::server::admin {

class QueuedRequest {
 public:
  virtual ~QueuedRequest() = default;

 protected:
  /// Runs the request on the serving thread.
  virtual void work() noexcept = 0;
  /// Returns the request to the thread that queued it, where it is destroyed.
  virtual void hand_back(std::shared_ptr<QueuedRequest> self) noexcept = 0;

 private:
  friend class RequestQueue;
  enum class State : std::uint8_t { fresh, waiting, begun, withdrawn };
  State state_ = State::fresh;  // guarded by the queue's mutex
};

class RequestQueue {
 public:
  static constexpr std::size_t waiting_max = 64;
  using Clock = core::Nanoseconds (*)();

  explicit RequestQueue(Clock clock = core::monotonic_now) : clock_(clock) {}
  RequestQueue(const RequestQueue&) = delete;
  RequestQueue& operator=(const RequestQueue&) = delete;

  /// Queues a request. Returns false if waiting_max wait already.
  bool put(const std::shared_ptr<QueuedRequest>& request);
  /// Withdraws a request. Returns true if it has not run, and never will.
  bool withdraw(QueuedRequest& request);

  /// Runs requests in their order until `budget` has passed, at least one if any waits. Returns their number.
  std::size_t serve(core::Nanoseconds budget) {
    return waiting_.load(std::memory_order_acquire) == 0 ? 0 : serve_waiting(budget);
  }

 private:
  std::size_t serve_waiting(core::Nanoseconds budget);
  std::shared_ptr<QueuedRequest> take();

  Clock clock_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<QueuedRequest>> requests_;
  std::atomic<std::size_t> waiting_ = 0;
};

}  // namespace mobula::server::admin
