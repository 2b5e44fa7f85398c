#include <core/heap.hpp>
#include <new>
#include <transport/allocation_count.hpp>

namespace {
// The tests are single-threaded.
std::uint64_t allocations = 0;
std::uint64_t bytes = 0;

void release(void* memory) {
  bytes -= mobula::test::heap_size(memory);
  mobula::test::heap_free(memory);
}
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  void* memory = mobula::test::heap_allocate(size == 0 ? 1 : size, 1);
  if (memory == nullptr) throw std::bad_alloc();
  bytes += mobula::test::heap_size(memory);
  return memory;
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }

namespace mobula::transport {

std::uint64_t allocation_count() { return allocations; }
std::uint64_t allocated_bytes() { return bytes; }

}  // namespace mobula::transport
