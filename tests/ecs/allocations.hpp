// Replaces operator new and delete by versions that count, and that fail on request. State is per thread, so only the
// test itself is counted and made to fail.
#pragma once

#include <cstdint>

namespace mobula::ecs::test {

// Returns the number of allocations of this thread so far.
std::uint64_t allocations();

// Counts the bytes that this thread allocated and did not release during its lifetime. One at a time; counted memory
// must be released during the same lifetime.
class CountedBytes {
 public:
  CountedBytes();
  ~CountedBytes();
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;
  [[nodiscard]] std::int64_t held() const;
};

// Leaves out what this thread allocates and releases during its lifetime, such as the memory of an oracle.
class UncountedBytes {
 public:
  UncountedBytes();
  ~UncountedBytes();
  UncountedBytes(const UncountedBytes&) = delete;
  UncountedBytes& operator=(const UncountedBytes&) = delete;

 private:
  bool was_counting_;
};

// Makes the n-th allocation of this thread from now on (the first is 1) throw std::bad_alloc during its lifetime;
// others succeed. One at a time.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::uint64_t nth);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
};

}  // namespace mobula::ecs::test
