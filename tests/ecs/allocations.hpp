// What the test program allocates: operator new and delete are replaced by ones that count, and that fail when told.
// Per thread, so that nothing but the test itself is counted or made to fail.
#pragma once

#include <cstdint>

namespace mobula::ecs::test {

// By this thread, since it began.
std::uint64_t allocations();

// Counts the bytes that this thread asks for and has not given back, while it lives. One at a time; what it counts was
// asked for and is given back in its time.
class CountedBytes {
 public:
  CountedBytes();
  ~CountedBytes();
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;
  [[nodiscard]] std::int64_t held() const;
};

// While it lives, the n-th allocation of this thread from now on (the first is 1) throws std::bad_alloc; the others
// succeed. One at a time.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::uint64_t nth);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
};

}  // namespace mobula::ecs::test
