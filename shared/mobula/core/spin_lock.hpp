// A lock without the thread library. A thread that waits for it keeps its core busy, so sections are short: no input,
// output or other lock within one.
//
// A child of fork() has the forking thread alone. A lock that another thread held in the parent is never released
// there. So the lock notes in which process it was taken, and the child takes it over from threads that it does not
// have.
#pragma once

#include <atomic>
#include <cstdint>

namespace mobula::core {

/// Number of forks between this process and the first one. Stays 0 unless the program calls count_fork() in each child,
/// as the C interface does.
inline std::atomic<std::uint32_t> fork_count{0};
inline void count_fork() { fork_count.fetch_add(1, std::memory_order_relaxed); }

class SpinLock {
 public:
  /// Holds the lock during its lifetime.
  class Guard {
   public:
    /// Waits for the lock. Calls renew() if a fork interrupted the section of another thread. The guarded data may then
    /// be half-changed: renew() makes them anew, and neither reads nor destroys them.
    template <class Renew>
    Guard(SpinLock& lock, Renew&& renew) : holder_(lock.holder_) {
      const std::uint32_t own = fork_count.load(std::memory_order_relaxed) + 1;
      std::uint32_t seen = free;
      while (!holder_.compare_exchange_weak(seen, own, std::memory_order_acquire)) {
        if (seen != own) continue;  // taken before a fork: the next try takes it over
        while (holder_.load(std::memory_order_relaxed) == own) continue;
        seen = free;
      }
      if (seen != free) renew();
    }
    ~Guard() { holder_.store(free, std::memory_order_release); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    std::atomic<std::uint32_t>& holder_;
  };

 private:
  static constexpr std::uint32_t free = 0;

  std::atomic<std::uint32_t> holder_{free};  // fork_count of the process whose thread holds it, plus 1
};

}  // namespace mobula::core
