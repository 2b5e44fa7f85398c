// The system's heap with alignments and sizes of blocks, for tests that replace operator new and count.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace mobula::test {

#if defined(_WIN32)

// Windows knows no size of an aligned block, so each has it in front.
struct HeapBlock {
  void* start = nullptr;
  std::size_t bytes = 0;
};

inline void* heap_allocate(std::size_t bytes, std::size_t alignment) {
  alignment = std::max(alignment, alignof(std::max_align_t));
  std::size_t room = sizeof(HeapBlock) + alignment + bytes;
  void* const start = std::malloc(room);
  if (start == nullptr) return nullptr;
  room -= sizeof(HeapBlock);
  void* memory = static_cast<std::byte*>(start) + sizeof(HeapBlock);
  std::align(alignment, bytes, memory, room);
  static_cast<HeapBlock*>(memory)[-1] = {start, bytes};
  return memory;
}
inline void heap_free(void* memory) {
  if (memory != nullptr) std::free(static_cast<HeapBlock*>(memory)[-1].start);
}
inline std::size_t heap_size(void* memory) { return memory != nullptr ? static_cast<HeapBlock*>(memory)[-1].bytes : 0; }

#else

inline void* heap_allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
inline void heap_free(void* memory) { std::free(memory); }
inline std::size_t heap_size(void* memory) { return malloc_usable_size(memory); }

#endif

}  // namespace mobula::test
