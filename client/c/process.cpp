#include <c/process.hpp>
#include <mobula/core/assert.hpp>
#include <mobula/core/spin_lock.hpp>

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace mobula::c {
namespace {

// The system calls a function in each child, so that a call for a client does not need getpid(). It is noted when the
// library is loaded, so that no fork is missed.
[[maybe_unused]] const bool counts_forks = [] {
#if !defined(_WIN32)
  const int error = pthread_atfork(nullptr, nullptr, core::count_fork);
  MOBULA_CHECK(error == 0, "the system has memory to note a function");
#endif
  return true;
}();

}  // namespace

std::uint32_t process_number() { return core::fork_count.load(std::memory_order_relaxed); }

}  // namespace mobula::c
