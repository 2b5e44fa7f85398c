#include <bit>
#include <mobula/reflect/sent_size.hpp>

namespace mobula::reflect {
namespace {

constexpr std::uint32_t symbol_bits = 12;  // longest code of a symbol
constexpr std::uint32_t sign_bits = 1;

// Returns the bits of one word of a vector or rotation: its own, or a residual.
std::uint32_t coded_word_bits(std::uint32_t bits) {
  const std::uint32_t far = bits > 15 ? bits - 12 : 0;  // golomb(12) takes twice the bits above 12
  return bits + symbol_bits + sign_bits + 1 + far;
}

// Returns the bits of the course of a field (wire/entity_codec.hpp), as if it were a unit of its own.
std::uint32_t course_bits_max(const Field& field) {
  constexpr std::uint32_t age_bits = 29;   // golomb(0) of wire::path_age_max
  constexpr std::uint32_t width_bits = 5;  // bits of the width of a group
  constexpr std::uint32_t residual_bits = 29;
  if (field.tolerance == 0) return 0;
  const std::uint32_t residuals = field.kind == FieldKind::unit_quaternion ? 3 : 2;
  return 2 + age_bits + 2 * width_bits + residuals * residual_bits;
}

std::uint32_t value_bits(const Field& field) {
  if (field.bits > 0 || !field.enum_values.empty()) return field.bits;
  return field.kind == FieldKind::boolean ? 1 : field.size * 8;
}

// Returns the bits of one element. Each field counts as a unit of its own, which is never less than their vectors take.
std::uint32_t element_bits_max(const Field& field) {
  constexpr std::uint32_t unit_bits = 2 * symbol_bits + 2;  // symbols before the numbers, and the omitted part
  const bool array = field.count > 1 || field.count_field >= 0;
  switch (field.kind) {
    case FieldKind::fixed_string: return static_cast<std::uint32_t>(std::bit_width(field.size)) + field.size * 8;
    case FieldKind::entity: return 1 + (20 + 33) + 32;  // golomb(12) of an index, generation
    case FieldKind::unit_quaternion:
      if (field.bits == 0) return 1 + field.size * 8;
      if (array) return 1 + 2 + 3 * field.bits;
      return unit_bits + coded_word_bits(2) + 3 * coded_word_bits(field.bits);
    default: break;
  }
  const bool coded = !array && ((is_float(field.kind) && field.ranged) || field.smallest_three);
  return coded ? unit_bits + coded_word_bits(value_bits(field)) : 1 + value_bits(field);
}

}  // namespace

std::uint32_t sent_bits_max(const Component& component) {
  if (component.not_sent) return 0;
  std::uint32_t bits = 1;
  for (const Field& field : component.fields)
    if (!field.not_sent) bits += 1 + (element_bits_max(field) + 1) * field.count + course_bits_max(field);
  return bits;
}

}  // namespace mobula::reflect
