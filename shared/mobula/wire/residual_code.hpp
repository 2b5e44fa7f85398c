// Code of a residual, the distance of a number from its prediction, by a fixed table. Tables have short codes for the
// values that are frequent. Both sides derive the table from the same states. An entity's bits do not depend on
// its neighbours and serve every client with the same baselines.
//
//   symbol 0..7    the distance itself; 1 to 7: then a sign bit, 1 is negative
//   symbol 8..31   distances of 2^e and more, e = 3 + (symbol - 8) / 2, with the bit below the highest
//                  (symbol - 8) % 2; then the other e - 1 bits and a sign bit
//   symbol 32      a distance of 2^15 and more: golomb(12) of the distance - 2^15, and a sign bit
//   hold           no number: the unit is as in the baseline              (the first symbol of a unit alone)
//   others         no number: units that are not extrapolated have changed, a symbol follows       (of an entity)
//   turned         no number: a rotation omits another part, given by 2 bits; a symbol follows
//   symbol 36..43  the first three numbers of a unit, or fewer if it has no more, have distances of at most 1: bit n of
//                  symbol - 36 is that of number n; then a sign bit for each distance of 1
//                                                                        (the first symbol of a unit alone)
//
// There are 32 tables for the first number of a vector, 32 for that of a rotation, and 32 for all further numbers. The
// first number of a unit in steady motion has 4 times 8 others. Each line of residual_lengths.hpp is a table: a
// hexadecimal digit for each symbol, the length of its code, 0 if it has none. These are the code lengths of a
// canonical Huffman code (RFC 1951, 3.2.2). The highest bit of a code is sent first. The tables were trained on the
// motion of 901 tumbling boxes, and of characters that turn at random.
#pragma once

#include <bit>
#include <cstdint>
#include <mobula/core/bit_stream.hpp>
#include <span>

namespace mobula::wire {

inline constexpr std::uint32_t residual_symbols = 44;
inline constexpr std::uint32_t residual_tables = 128;
inline constexpr unsigned residual_code_bits_max = 12;

enum class ResidualFamily : std::uint32_t {
  vector = 0,
  rotation = 32,
  next = 64,
  steady_vector = 96,
  slow_vector = 104,
  steady_rotation = 112,
  calm_rotation = 120,
};

inline constexpr std::uint32_t symbol_far = 32;
inline constexpr std::uint32_t symbol_hold = 33;
inline constexpr std::uint32_t symbol_others = 34;
inline constexpr std::uint32_t symbol_turned = 35;
inline constexpr std::uint32_t symbol_small = 36;
// Numbers that one small symbol is of, at most.
inline constexpr std::size_t small_max = 3;

/// Returns 0 for 0; for n with its highest bit at e, 1 + 2e + the bit below it: two levels per doubling.
constexpr std::uint32_t half_octave(std::uint64_t n) {
  if (n == 0) return 0;
  const auto e = static_cast<std::uint32_t>(std::bit_width(n)) - 1;
  return 1 + 2 * e + (e > 0 ? static_cast<std::uint32_t>(n >> (e - 1) & 1) : 0);
}

/// Writes the code of a symbol.
void write_symbol(core::BitWriter& writer, std::uint32_t table, std::uint32_t symbol);
/// Reads a symbol. The codes of a table are complete: any bits begin with one. Fails the reader if the code exceeds its
/// end.
std::uint32_t read_symbol(core::BitReader& reader, std::uint32_t table);

/// Writes a residual, |residual| < 2^32.
void write_residual(core::BitWriter& writer, std::uint32_t table, std::int64_t residual);
/// Reads the rest of a residual whose symbol, 0 to symbol_far, has been read.
std::int64_t read_residual(core::BitReader& reader, std::uint32_t symbol);

/// Returns whether a residual may be one of those that a small symbol is of.
constexpr bool is_small(std::int64_t residual) { return residual >= -1 && residual <= 1; }

/// Writes 1 to small_max residuals at once. False, with nothing written, if one has a distance above 1.
bool write_small(core::BitWriter& writer, std::uint32_t table, std::span<const std::int64_t> residuals);
/// Reads the rest of residuals whose symbol, symbol_small or above, has been read. False if it is of more residuals.
bool read_small(core::BitReader& reader, std::uint32_t symbol, std::span<std::int64_t> residuals);

/// Returns the tables, one after the other.
const char* residual_lengths();

}  // namespace mobula::wire
