// How far a number is from where it was predicted, as bits of a fixed table: what has small numbers as a rule gets
// short codes for them. Which table follows from what both sides know, so an entity's bits do not depend on its
// neighbours, and serve every client that knows the same of it.
//
//   symbol 0..7    the distance itself; 1 to 7: then a sign bit, 1 is negative
//   symbol 8..31   distances of 2^e and more, e = 3 + (symbol - 8) / 2, with the bit below the highest (symbol - 8) %
//   2;
//                  then the other e - 1 bits and a sign bit
//   symbol 32      a distance of 2^15 and more: golomb(12) of what it is above that, and a sign bit
//   hold           not a number: the unit is what it was at b1          (the first symbol of a unit alone)
//   others         not a number: units that were not moving have changed, a symbol follows      (of an entity)
//   turned         not a number: a rotation leaves out another part, 2 bits say which; a symbol follows
//
// Tables: 32 for a vector's first number, 32 for a rotation's, 32 for all that follow. Each line is a table, a
// hexadecimal digit for each symbol: how many bits its code has, 0 if it has none. Codes are canonical: shorter ones
// come first, equally long ones by symbol; a code's highest bit is sent first. The tables were made from the motion of
// 901 tumbling boxes and of walkers that turn at random.
#pragma once

#include <bit>
#include <cstdint>
#include <mobula/core/bit_stream.hpp>

namespace mobula::wire {

inline constexpr std::uint32_t residual_symbols = 36;
inline constexpr std::uint32_t residual_tables = 96;
inline constexpr unsigned residual_code_bits_max = 12;

enum class ResidualFamily : std::uint32_t { vector = 0, rotation = 32, next = 64 };

inline constexpr std::uint32_t symbol_far = 32;
inline constexpr std::uint32_t symbol_hold = 33;
inline constexpr std::uint32_t symbol_others = 34;
inline constexpr std::uint32_t symbol_turned = 35;

// 0 of 0; of n with its highest bit at e: 1 + 2e + the bit below it. Two levels for each doubling.
constexpr std::uint32_t half_octave(std::uint64_t n) {
  if (n == 0) return 0;
  const auto e = static_cast<std::uint32_t>(std::bit_width(n)) - 1;
  return 1 + 2 * e + (e > 0 ? static_cast<std::uint32_t>(n >> (e - 1) & 1) : 0);
}

void write_symbol(core::BitWriter& writer, std::uint32_t table, std::uint32_t symbol);
// Of any table each string of bits begins with a code; the reader fails where it goes on behind the end.
std::uint32_t read_symbol(core::BitReader& reader, std::uint32_t table);

// |residual| < 2^32.
void write_residual(core::BitWriter& writer, std::uint32_t table, std::int64_t residual);
// `symbol`: 0 .. symbol_far, which was read before.
std::int64_t read_residual(core::BitReader& reader, std::uint32_t symbol);

// The tables' lines, one after the other.
const char* residual_lengths();

}  // namespace mobula::wire
