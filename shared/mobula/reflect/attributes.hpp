// What attributes of fields mean: which may stand on what, and how their texts are read.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/reflect/declarations.hpp>
#include <mobula/reflect/schema.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::reflect {

// What a declared field is, as far as attributes care.
enum class Category : std::uint8_t {
  boolean,
  integer,
  enumeration,
  real,
  quaternion,
  entity,
  text,
  string_id,
  structure,  // of which the leaves are fields of their own
};

// A problem in words, or nothing. `array` also covers arrays of structs.
using Problem = std::optional<std::string>;

Problem check_placement(const Attributes& attributes, Category category, bool array);

// Adds what the attributes say to the flags already there.
void apply_flags(const Attributes& attributes, Field& field);

// Fills in the quantisation of a leaf from `range`, `step` and `bits`.
Problem apply_quantisation(const Attributes& attributes, Category category, Field& field);

// Writes the values of one or several leaves, in order, from the text of a `default`: one word for
// each, four for a quaternion; a fixed string takes the whole text. `component` is the component's bytes.
Problem write_default(std::string_view text, std::span<const Field> leaves, std::byte* component);

// A new component must have a value that can be sent.
Problem check_default(const Field& field, const std::byte* component);

}  // namespace mobula::reflect
