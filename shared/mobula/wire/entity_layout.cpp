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

}  // namespace

void EntityLayout::add(const RowCodec& codec) {
  rows.push_back({&codec, words});
  words += codec.words();
  defaults.insert(defaults.end(), codec.default_words().begin(), codec.default_words().end());
  bits_max += 1;
  for (const Unit& unit : codec.units()) bits_max += 1 + bits_max_of(unit);
}

}  // namespace mobula::wire
