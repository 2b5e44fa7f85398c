// Parses a level's sources: JSON with comments and trailing commas. RapidJSON's SAX reader fills the tree; duplicate
// names in an object are errors.
#pragma once

#include <mobula/reflect/json_value.hpp>
#include <mobula/resource/compiler/diagnostics.hpp>
#include <optional>
#include <string_view>

namespace mobula::resource {

using reflect::describe;
using reflect::json_number;
using reflect::json_numbers;
using reflect::JsonMember;
using reflect::JsonValue;

/// Returns a number. Reports an error and returns nothing for another value or one out of range.
std::optional<double> read_number(const JsonValue& value, Diagnostics& diagnostics);
/// Returns a whole number from `low` to `high`. Reports an error and returns nothing for any other value.
std::optional<std::uint32_t> read_count(const JsonValue& value, std::uint32_t low, std::uint32_t high,
                                        Diagnostics& diagnostics);
/// Reads an array of exactly into.size() numbers. `what` names it in the error, such as "[x, y, z]".
bool read_numbers(const JsonValue& value, std::span<double> into, std::string_view what, Diagnostics& diagnostics);

/// Parses the file's text. Reports errors and returns nothing unless it is exactly one JSON value.
std::optional<JsonValue> parse_json(std::uint32_t file, Diagnostics& diagnostics);

}  // namespace mobula::resource
