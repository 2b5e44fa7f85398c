// Values of consecutive numbers, each at number % capacity. The capacity is a power of two, so numbers may wrap.
// Who uses it knows which numbers are in it; it starts empty and allocates nothing until it is told a capacity.
#pragma once

#include <bit>
#include <cstdint>
#include <mobula/core/assert.hpp>
#include <utility>
#include <vector>

namespace mobula::transport {

template <class T>
class NumberRing {
 public:
  [[nodiscard]] std::size_t capacity() const { return slots_.size(); }

  T& operator[](std::uint32_t number) { return slots_[place(number)]; }
  const T& operator[](std::uint32_t number) const { return slots_[place(number)]; }

  // Keeps the values of `count` numbers from `first` on; all others begin anew. 0 gives all memory back.
  void set_capacity(std::size_t capacity, std::uint32_t first, std::uint32_t count) {
    MOBULA_ASSERT(capacity == 0 || std::has_single_bit(capacity), "not a power of two");
    MOBULA_ASSERT(count <= capacity, "what is kept does not fit");
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
