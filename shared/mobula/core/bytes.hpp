// Byte views, owned bytes, and unaligned little-endian loads and stores of plain values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace mobula::core {

static_assert(std::endian::native == std::endian::little, "blobs and datagrams are little-endian and used in place");

using ByteView = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;
using Bytes = std::vector<std::byte>;

/// Loads a value. The caller must have checked that sizeof(T) bytes are available.
template <class T>
  requires std::is_trivially_copyable_v<T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// Stores a value. The caller must have checked that sizeof(T) bytes are available.
template <class T>
  requires std::is_trivially_copyable_v<T>
void store(void* to, const T& value) {
  std::memcpy(to, &value, sizeof(T));
}

/// Returns the memory of `count` values, valid as long as they are.
template <class T>
ByteView as_bytes(const T* data, std::size_t count) {
  return {reinterpret_cast<const std::byte*>(data), count * sizeof(T)};
}

/// Returns the next multiple of `alignment`, which is greater than 0.
constexpr std::uint32_t align_up(std::uint32_t offset, std::uint32_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace mobula::core
