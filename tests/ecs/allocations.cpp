#include "ecs/allocations.hpp"

#include <core/heap.hpp>
#include <new>

namespace mobula::ecs::test {
namespace {

thread_local std::uint64_t made = 0;
thread_local std::uint64_t failing = 0;  // number of the failing allocation, as `made` counts; 0 if none
thread_local bool counting = false;
thread_local std::int64_t held_bytes = 0;  // as the allocator rounds them up

// Returns null on failure.
void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (++made == failing) return nullptr;
  void* const memory = mobula::test::heap_allocate(bytes == 0 ? 1 : bytes, alignment);
  if (counting) held_bytes += static_cast<std::int64_t>(mobula::test::heap_size(memory));
  return memory;
}

void release(void* memory) noexcept {
  if (counting) held_bytes -= static_cast<std::int64_t>(mobula::test::heap_size(memory));
  mobula::test::heap_free(memory);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const memory = allocate(bytes, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

std::uint64_t allocations() { return made; }

CountedBytes::CountedBytes() {
  counting = true;
  held_bytes = 0;
}
CountedBytes::~CountedBytes() { counting = false; }
std::int64_t CountedBytes::held() const { return held_bytes; }

UncountedBytes::UncountedBytes() : was_counting_(counting) { counting = false; }
UncountedBytes::~UncountedBytes() { counting = was_counting_; }

FailingAllocation::FailingAllocation(std::uint64_t nth) { failing = made + nth; }
FailingAllocation::~FailingAllocation() { failing = 0; }

}  // namespace mobula::ecs::test

using mobula::ecs::test::allocate;
using mobula::ecs::test::allocate_or_throw;
using mobula::ecs::test::release;

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 1); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 1); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}

void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept { release(memory); }
