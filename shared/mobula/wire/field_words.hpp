// Conversion of one field's value to 32-bit words and back, by its kind. row_codec.hpp defines the words.
#pragma once

#include <array>
#include <cstdint>
#include <mobula/reflect/quantise.hpp>
#include <mobula/reflect/schema.hpp>
#include <vector>

namespace mobula::wire {

/// Converter of a field.
struct FieldWords {
  // Writes the words of one value; `at` points to its bytes, aligned or not.
  using Write = void (*)(const FieldWords& field, const std::byte* at, std::uint32_t* words);
  // Writes the value of these words to `at`. False if no value has them.
  using Read = bool (*)(const FieldWords& field, const std::uint32_t* words, std::byte* at);

  Write to_words = nullptr;
  Read to_value = nullptr;
  std::uint32_t words = 1;  // words of one value
  std::uint32_t size = 0;   // bytes of one value
  std::uint32_t bits = 0;   // bits of the code, or of each part of a quaternion; 0 if the value's own bits are sent
  std::uint64_t steps = 0;  // greatest code
  std::uint64_t low = 0;    // least value of a ranged integer, in two's complement
  reflect::Quantiser quantiser;
  std::vector<std::int64_t> enum_values;
};

/// Returns the quaternion x, y, z, w that the words of a rotation mean, with as many bits per part.
std::array<double, 4> rotation_of_words(const std::uint32_t* words, std::uint32_t bits);
/// Returns whether a quaternion with this sum of squares is a rotation, whatever its length. Others are sent as none.
constexpr bool is_rotation(double squares) { return squares > 1e-12 && squares < 1e12; }

/// Returns the converter of a field.
FieldWords field_words(const reflect::Field& field);

}  // namespace mobula::wire
