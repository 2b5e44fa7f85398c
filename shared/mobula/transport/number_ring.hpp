// Ring buffer of values by consecutive number, each at number % capacity. The capacity is a power of two, so numbers
// may wrap. The owner keeps track of the numbers in use. Starts with capacity 0, without memory.
#pragma once

#include <bit>
#include <cstdint>
#include <mobula/core/assert.hpp>
#include <utility>
#include <vector>

namespace mobula::transport {

/// Ring buffer indexed by consecutive, wrapping numbers.
template <class T>
class NumberRing {
 public:
  [[nodiscard]] std::size_t capacity() const { return slots_.size(); }

  /// Returns the value of a number. Requires a capacity.
  T& operator[](std::uint32_t number) { return slots_[place(number)]; }
  const T& operator[](std::uint32_t number) const { return slots_[place(number)]; }

  /// Keeps the values of `count` numbers from `first` on and resets all others. Capacity 0 frees all memory.
  void set_capacity(std::size_t capacity, std::uint32_t first, std::uint32_t count) {
    MOBULA_ASSERT(capacity == 0 || std::has_single_bit(capacity), "not a power of two");
    MOBULA_ASSERT(count <= capacity, "the kept values do not fit");
    std::vector<T> slots(capacity);
    for (std::uint32_t number = first; number != first + count; ++number) {
      slots[number & (capacity - 1)] = std::move((*this)[number]);
    }
    slots_.swap(slots);
  }

 private:
  [[nodiscard]] std::size_t place(std::uint32_t number) const {
    MOBULA_ASSERT(!slots_.empty(), "the ring has no capacity yet");
    return number & (slots_.size() - 1);
  }

  std::vector<T> slots_;
};

}  // namespace mobula::transport
