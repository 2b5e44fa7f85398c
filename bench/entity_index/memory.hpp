// Counts allocations of a part of the program: within a scope, all that its thread allocates and frees is counted for
// the scope's meter. Counts the sizes that malloc really uses. Only in programs with counting_new.cpp.
#pragma once

#include <algorithm>
#include <cstddef>

namespace mobula::bench {

struct MemoryMeter {
  std::ptrdiff_t bytes = 0;
  std::ptrdiff_t bytes_max = 0;

  void count(std::ptrdiff_t change) {
    bytes += change;
    bytes_max = std::max(bytes_max, bytes);
  }
};

// Meter of this thread. Null if nothing is counted.
inline thread_local constinit MemoryMeter* memory_meter = nullptr;

class MemoryScope {
 public:
  explicit MemoryScope(MemoryMeter& meter) : before_(memory_meter) { memory_meter = &meter; }
  ~MemoryScope() { memory_meter = before_; }
  MemoryScope(const MemoryScope&) = delete;
  MemoryScope& operator=(const MemoryScope&) = delete;

 private:
  MemoryMeter* before_;
};

}  // namespace mobula::bench
