// Growing array of plain values in the memory of a step. Its code is a tenth of that of std::vector, which counts in a
// module of a few kilobytes. The memory of a step is freed as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace mobula::rules_module {

namespace detail {
/// A List of elements of any type.
struct ListMemory {
  std::byte* elements = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;

  /// Adds an element of zeros and returns its memory.
  void* append(std::uint32_t element_size);
};
}  // namespace detail

template <class T>
class List {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  [[nodiscard]] std::uint32_t size() const { return memory_.size; }
  [[nodiscard]] T& operator[](std::uint32_t place) const { return reinterpret_cast<T*>(memory_.elements)[place]; }
  [[nodiscard]] T& back() const { return (*this)[size() - 1]; }
  [[nodiscard]] std::span<T> all() const { return {reinterpret_cast<T*>(memory_.elements), size()}; }
  void push_back(const T& value) { *static_cast<T*>(memory_.append(sizeof(T))) = value; }
  void insert(std::uint32_t place, const T& value) {
    push_back(value);
    for (std::uint32_t at = size() - 1; at > place; --at) (*this)[at] = (*this)[at - 1];
    (*this)[place] = value;
  }

 private:
  detail::ListMemory memory_;
};

}  // namespace mobula::rules_module
