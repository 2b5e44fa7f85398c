// Writes into memory of the caller: arrays, texts, and structs that may grow. Nothing is written beyond what the caller
// has stated, and a refused call writes nothing but the number that is needed.
#pragma once

#include <algorithm>
#include <c/result.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace mobula::c {

// --- Arrays --------------------------------------------------------------------------------------------------------

/// Returns MOBULA_OK if `count` is there, and the array if it has a capacity.
mobula_result check_array(bool has_items, std::uint32_t capacity, const std::uint32_t* count);
/// Sets *count. Returns MOBULA_ERROR_BUFFER_TOO_SMALL if it exceeds the capacity.
mobula_result end_array(std::size_t wanted, std::uint32_t capacity, std::uint32_t* count);

/// An array of the caller. Counts items, and writes those that fit.
template <class T>
class ArrayOut {
 public:
  ArrayOut(T* items, std::uint32_t capacity, std::uint32_t* count)
      : items_(items), count_(count), capacity_(capacity) {}

  [[nodiscard]] mobula_result check() const { return check_array(items_ != nullptr, capacity_, count_); }
  void add(const T& item) {
    if (wanted_ < capacity_) items_[wanted_] = item;
    ++wanted_;
  }
  [[nodiscard]] mobula_result end() const { return end_array(wanted_, capacity_, count_); }

 private:
  T* items_;
  std::uint32_t* count_;
  std::uint32_t capacity_;
  std::size_t wanted_ = 0;
};

// --- Texts ---------------------------------------------------------------------------------------------------------

/// Room of the caller for a text.
struct TextOut {
  char* text;
  std::uint32_t capacity;
  std::uint32_t* length;
};

/// Returns the longest beginning of at most `bytes_max` bytes that ends with a whole character.
std::string_view fitting_text(std::string_view text, std::size_t bytes_max);
/// Writes as much of a text as fits, and a zero byte. Returns whether that is all. The pointers have been checked.
bool copy_text(std::string_view text, const TextOut& out);
/// Checks the pointers, then does the same. Returns MOBULA_ERROR_BUFFER_TOO_SMALL if it does not fit.
mobula_result write_text(std::string_view text, const TextOut& out);

// --- Structs -------------------------------------------------------------------------------------------------------

/// Returns MOBULA_OK if a pointer to a struct with this size can be used. A size beyond 4 KiB was never set.
mobula_result check_struct(const std::uint32_t* struct_size, std::size_t bytes_min = 2 * sizeof(std::uint32_t));

/// Writes the members that the caller's struct has, and leaves its struct_size.
template <class T>
mobula_result write_struct(const T& value, T* out) {
  static_assert(std::is_standard_layout_v<T> && std::is_trivially_copyable_v<T> && offsetof(T, struct_size) == 0);
  const std::uint32_t* const size = out == nullptr ? nullptr : &out->struct_size;
  if (const mobula_result checked = check_struct(size); checked != MOBULA_OK) return checked;
  constexpr std::size_t head = sizeof(std::uint32_t);
  std::memcpy(reinterpret_cast<std::byte*>(out) + head, reinterpret_cast<const std::byte*>(&value) + head,
              std::min<std::size_t>(*size, sizeof(T)) - head);
  return MOBULA_OK;
}

/// Reads the members that the caller's struct has. Others are zero. `bytes_min` is the size of the first published
/// struct: a smaller one may end within a member.
template <class T>
mobula_result read_struct(const T* in, std::size_t bytes_min, T& value) {
  const std::uint32_t* const size = in == nullptr ? nullptr : &in->struct_size;
  if (const mobula_result checked = check_struct(size, bytes_min); checked != MOBULA_OK) return checked;
  value = {};
  std::memcpy(&value, in, std::min<std::size_t>(*size, sizeof(T)));
  return MOBULA_OK;
}

}  // namespace mobula::c
