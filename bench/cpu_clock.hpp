// CPU time, for costs that other programs on the machine do not change.
#pragma once

#include <ctime>
#include <mobula/core/clock.hpp>

namespace mobula::bench {

inline core::Nanoseconds read_cpu_clock(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return time.tv_sec * core::second + time.tv_nsec;
}

/// Returns the CPU time that this thread has taken.
inline core::Nanoseconds thread_cpu_now() { return read_cpu_clock(CLOCK_THREAD_CPUTIME_ID); }
/// Returns the CPU time that all threads of the process have taken.
inline core::Nanoseconds process_cpu_now() { return read_cpu_clock(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace mobula::bench
