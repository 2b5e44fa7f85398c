// One field's value as 32-bit words, and back, by its kind. row_codec.hpp says what the words are.
#pragma once

#include <cstdint>
#include <mobula/reflect/quantise.hpp>
#include <mobula/reflect/schema.hpp>
#include <vector>

namespace mobula::wire {

struct FieldWords {
  // Of one value; `at`: its bytes, aligned or not.
  using Write = void (*)(const FieldWords& field, const std::byte* at, std::uint32_t* words);
  // False if no value has these words.
  using Read = bool (*)(const FieldWords& field, const std::uint32_t* words, std::byte* at);

  Write to_words = nullptr;
  Read to_value = nullptr;
  std::uint32_t words = 1;  // of one value
  std::uint32_t size = 0;   // bytes of one value
  std::uint32_t bits = 0;   // of its code; of a quaternion: of each part; 0: the value's own
  std::uint64_t steps = 0;  // the greatest code
  std::uint64_t low = 0;    // of ranged integers, in two's complement
  reflect::Quantiser quantiser;
  std::vector<std::int64_t> enum_values;
};

FieldWords field_words(const reflect::Field& field);

}  // namespace mobula::wire
