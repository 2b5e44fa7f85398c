// A queue in a ring buffer. It grows when it is full, and shrinks when it was mostly empty for a while.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mobula::server {

/// Queue whose entries keep their numbers, which rise for ever.
template <class T>
class RisingRing {
 public:
  [[nodiscard]] std::uint32_t begin() const { return begin_; }
  [[nodiscard]] std::uint32_t end() const { return end_; }
  [[nodiscard]] T& operator[](std::uint32_t number) { return places_[number & (places_.size() - 1)]; }
  [[nodiscard]] const T& operator[](std::uint32_t number) const { return places_[number & (places_.size() - 1)]; }
  void push_back(T value) {
    if (end_ - begin_ == places_.size()) grow();
    (*this)[end_++] = value;
  }
  /// Removes the entries with lower numbers.
  void forget_before(std::uint32_t number) {
    most_ = std::max(most_, end_ - begin_);
    begin_ = number;
  }
  /// Shrinks the buffer if most of it was unused since the last call.
  void trim() {
    const std::size_t wanted = std::bit_ceil(std::max(places_min, std::size_t{std::max(most_, end_ - begin_)}));
    if (places_.size() >= 4 * wanted) resize(wanted);
    most_ = 0;
  }

 private:
  static constexpr std::size_t places_min = 16;

  void grow() { resize(std::max(places_min, 2 * places_.size())); }
  void resize(std::size_t count) {
    std::vector<T> places(count);
    for (std::uint32_t i = begin_; i != end_; ++i) places[i & (places.size() - 1)] = (*this)[i];
    places_.swap(places);
  }

  std::vector<T> places_;
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t most_ = 0;  // entries at a time since trim()
};

}  // namespace mobula::server
