// Loads memory that will soon be written into the cache. Only a hint.
#pragma once

#include <cstddef>

namespace mobula::core {

inline void prefetch_for_write(const void* begin, std::size_t bytes) {
  constexpr std::size_t line = 64;
  const char* const first = static_cast<const char*>(begin);
  for (std::size_t offset = 0; offset < bytes; offset += line) __builtin_prefetch(first + offset, 1);
}

}  // namespace mobula::core
