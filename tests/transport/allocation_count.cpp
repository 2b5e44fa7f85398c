#include <cstdlib>
#include <new>
#include <transport/allocation_count.hpp>

namespace {
std::uint64_t allocations = 0;  // the tests have one thread
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace mobula::transport {

std::uint64_t allocation_count() { return allocations; }

}  // namespace mobula::transport
