// A lock without the thread library. A thread that waits for it keeps its core busy, so sections are short: no input,
// output or other lock within one.
#pragma once

#include <atomic>

namespace mobula::core {

class SpinLock {
 public:
  /// Holds the lock during its lifetime.
  class Guard {
   public:
    explicit Guard(SpinLock& lock) : held_(lock.held_) {
      while (held_.test_and_set(std::memory_order_acquire))
        while (held_.test(std::memory_order_relaxed)) continue;
    }
    ~Guard() { held_.clear(std::memory_order_release); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    std::atomic_flag& held_;
  };

 private:
  std::atomic_flag held_;
};

}  // namespace mobula::core
