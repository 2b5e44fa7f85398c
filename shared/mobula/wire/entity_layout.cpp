#include <algorithm>
#include <bit>
#include <mobula/wire/entity_layout.hpp>
#include <mobula/wire/residual_code.hpp>

namespace mobula::wire {
namespace {

// Returns an upper bound for the bits of a unit; each element of an array has one more.
std::uint32_t bits_max_of(const Unit& unit) {
  if (unit.kind == Unit::Kind::text)
    return (static_cast<std::uint32_t>(std::bit_width(unit.max[0])) + unit.max[0] * 8 + 1) * unit.elements;
  constexpr std::uint32_t entity_bits = 1 + (20 + 33) + 32;  // 2^32 - 1 with 2^12 added has 33 bits
  if (unit.kind == Unit::Kind::entity) return (entity_bits + 1) * unit.elements;
  const bool coded = unit.kind == Unit::Kind::vector || unit.kind == Unit::Kind::rotation;
  std::uint32_t bits = coded ? 2 * residual_code_bits_max + 2 : 1;
  for (std::size_t i = 0; i < unit.words; ++i) {
    const std::uint32_t far = unit.bits[i] > 15 ? unit.bits[i] - 12u : 0;
    bits += unit.bits[i] + (coded ? residual_code_bits_max + 2 + far : 0);
  }
  return (bits + 1) * unit.elements;
}

bool differ(std::span<const WordRange> cuts, const std::uint32_t* a, const std::uint32_t* b) {
  return std::ranges::any_of(
      cuts, [&](const WordRange& cut) { return !std::equal(a + cut.first, a + cut.first + cut.count, b + cut.first); });
}

// Returns whether `other` lacks a component of `state` that has cuts, or has other values in them.
bool has_cut_beside(const LaidOutState& state, const LaidOutState& other) {
  return std::ranges::any_of(state.layout->rows, [&](const EntityLayout::Row& row) {
    if (row.codec->cuts().empty()) return false;
    const EntityLayout::Row* const match = other.layout->find(row.codec);
    return match == nullptr || differ(row.codec->cuts(), state.words + row.first, other.words + match->first);
  });
}

}  // namespace

void EntityLayout::add(const RowCodec& codec) {
  rows.push_back({&codec, words});
  for (const WordRange& cut : codec.cuts()) cuts.push_back({words + cut.first, cut.count});
  words += codec.words();
  defaults.insert(defaults.end(), codec.default_words().begin(), codec.default_words().end());
  bits_max += 1;
  for (const Unit& unit : codec.units()) bits_max += 1 + bits_max_of(unit);
}

bool is_cut(const LaidOutState& earlier, const LaidOutState& later) {
  if (earlier.layout == later.layout) return differ(earlier.layout->cuts, earlier.words, later.words);
  return has_cut_beside(earlier, later) || has_cut_beside(later, earlier);
}

}  // namespace mobula::wire
