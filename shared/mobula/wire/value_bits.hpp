// Bits of values that are not extrapolated: numbers, plain words, texts, references to entities (entity_codec.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mobula/wire/row_codec.hpp>

namespace mobula::wire {

// `Io` is a source or sink of entity_bits.hpp. `words` and `baseline` are those of the value; a reader overwrites
// `words`.

/// Codes the words of a value as they are.
template <class Io, class Words>
void code_plain(Io& io, const Unit& unit, Words* words) {
  for (std::uint32_t i = 0; i < unit.words; ++i) {
    std::uint32_t word = words[i];
    io.bits(word, unit.bits[i]);
    if constexpr (Io::reads) {
      words[i] = word;
      if (word > unit.max[i]) io.fail();
    }
  }
}

/// Codes a number, by its distance from the baseline if that is shorter.
template <class Io, class Words>
void code_number(Io& io, const Unit& unit, const std::uint32_t* baseline, Words* words) {
  constexpr unsigned order = 2;
  const unsigned bits = unit.bits[0];
  const std::uint32_t mask = static_cast<std::uint32_t>((1ull << bits) - 1);
  if constexpr (Io::reads) {
    if (io.flag(false)) {
      io.bits(*words, bits);
    } else {
      std::uint32_t folded = 0;
      io.golomb(folded, order);
      const std::uint32_t distance = folded % 2 != 0 ? folded / 2 + 1 : 0 - folded / 2;
      *words = (*baseline + distance) & mask;
    }
    if (*words > unit.max[0]) io.fail();
  } else {
    const std::uint32_t up = (*words - *baseline) & mask;
    const std::uint32_t down = (*baseline - *words) & mask;
    std::uint32_t folded = up <= down ? 2 * up - 1 : 2 * down;
    const bool near =
        std::min(up, down) < (1u << 30) && 2 * static_cast<unsigned>(std::bit_width(folded / 4 + 1)) + 1 < bits;
    io.flag(!near);
    if (near) return io.golomb(folded, order);
    io.bits(*words, bits);
  }
}

/// Codes a text: its length, then its bytes.
template <class Io, class Words>
void code_text(Io& io, const Unit& unit, Words* words) {
  const std::uint32_t greatest = unit.max[0];
  std::uint32_t length = words[0];
  io.bits(length, static_cast<unsigned>(std::bit_width(greatest)));
  if constexpr (Io::reads) {
    if (length > greatest) return io.fail();
    std::fill_n(words, unit.words, 0u);
    words[0] = length;
  }
  for (std::uint32_t i = 0; i < length && io.ok(); ++i) {
    const std::uint32_t word = 1 + i / 4;
    std::uint32_t byte = words[word] >> (i % 4 * 8) & 0xff;
    io.bits(byte, 8);
    if constexpr (Io::reads) {
      if (byte == 0) return io.fail();
      words[word] |= byte << (i % 4 * 8);
    }
  }
}

/// Codes a reference to an entity.
template <class Io, class Words>
void code_entity(Io& io, Words* words) {
  constexpr unsigned order = 12;
  std::uint32_t index = words[0];
  std::uint32_t generation = words[1];
  const bool is = io.flag(generation != 0);
  if (is) {
    io.golomb(index, order);
    io.bits(generation, 32);
  }
  if constexpr (Io::reads) {
    if (is && generation == 0) return io.fail();
    words[0] = is ? index : 0;
    words[1] = is ? generation : 0;
  }
}

}  // namespace mobula::wire
