#include <atomic>
#include <c/process.hpp>
#include <mobula/core/assert.hpp>

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace mobula::c {
namespace {

std::atomic<std::uint32_t> number{0};

// The system calls a function in each child, so that a call for a client does not need getpid().
bool count_forks() {
#if !defined(_WIN32)
  const int error = pthread_atfork(nullptr, nullptr, [] { number.fetch_add(1, std::memory_order_relaxed); });
  MOBULA_CHECK(error == 0, "the system has memory to note a function");
#endif
  return true;
}

}  // namespace

std::uint32_t process_number() {
  [[maybe_unused]] static const bool counted = count_forks();
  return number.load(std::memory_order_relaxed);
}

}  // namespace mobula::c
