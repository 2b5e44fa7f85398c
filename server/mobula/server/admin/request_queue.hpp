// Where one thread puts questions for another, which works on them when it has time: here the admin server's for the
// simulation's, which comes by between ticks.
//
// Invariant: a question is worked on at most once, and not at all once it is withdrawn. Both ends may be used by their
// threads at any time; neither waits for the other's work. Coming by while nobody asks costs one load.
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
  // On the thread that serves.
  virtual void work() noexcept = 0;
  // Gives itself back to the thread that asked, with whatever it has to destroy.
  virtual void hand_back(std::shared_ptr<QueuedRequest> self) noexcept = 0;

 private:
  friend class RequestQueue;
  enum class State : std::uint8_t { fresh, waiting, begun, withdrawn };
  State state_ = State::fresh;  // the desk's lock guards it
};

class RequestQueue {
 public:
  static constexpr std::size_t waiting_max = 64;
  using Clock = core::Nanoseconds (*)();

  explicit RequestQueue(Clock clock = core::monotonic_now) : clock_(clock) {}
  RequestQueue(const RequestQueue&) = delete;
  RequestQueue& operator=(const RequestQueue&) = delete;

  // Who asks. False: too many wait.
  bool put(const std::shared_ptr<QueuedRequest>& question);
  // True: it has not been worked on, and will not be.
  bool withdraw(QueuedRequest& question);

  // Who answers: works on questions, in their order, until so much time has passed; at least on one if any waits.
  // Returns on how many.
  std::size_t serve(core::Nanoseconds budget) {
    return waiting_.load(std::memory_order_acquire) == 0 ? 0 : serve_waiting(budget);
  }

 private:
  std::size_t serve_waiting(core::Nanoseconds budget);
  std::shared_ptr<QueuedRequest> take();

  Clock clock_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<QueuedRequest>> questions_;
  std::atomic<std::size_t> waiting_ = 0;
};

}  // namespace mobula::server::admin
