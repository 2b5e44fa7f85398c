// Attributes of schema fields: permitted combinations, and parsing of their texts.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/reflect/declarations.hpp>
#include <mobula/reflect/schema.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::reflect {

/// Kind of a declared field with respect to attributes.
enum class Category : std::uint8_t {
  boolean,
  integer,
  enumeration,
  real,
  quaternion,
  entity,
  text,
  string_id,
  structure,  // its leaves are separate fields
};

/// Checks whether an attribute is allowed on a field. Returns the problem, or nothing. `array` includes arrays of
/// structs.
using Problem = std::optional<std::string>;

Problem check_placement(const Attributes& attributes, Category category, bool array);

/// Adds the flags of the attributes to `flags`.
void apply_flags(const Attributes& attributes, Field& field);

/// Sets the quantisation of a leaf from `range`, `step` and `bits`.
Problem apply_quantisation(const Attributes& attributes, Category category, Field& field);

/// Sets the tolerance of a quantised leaf from the text of `dead_reckoning`.
Problem apply_dead_reckoning(std::string_view text, Category category, Field& field);

/// Writes the values of leaves, in order, from the text of a `default`: one word each, four for a quaternion. A fixed
/// string takes the whole text. `component` points to the component's bytes.
Problem write_default(std::string_view text, std::span<const Field> leaves, std::byte* component);

/// Checks that a default can be encoded, because every new component has it.
Problem check_default(const Field& field, const std::byte* component);

}  // namespace mobula::reflect
