// Parses a level's sources. RapidJSON's SAX reader fills the tree; duplicate names in an object are errors.
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

// Nothing, with an error told, unless the number is written so that it fits.
std::optional<double> read_number(const JsonValue& value, Diagnostics& diagnostics);
std::optional<std::uint32_t> read_count(const JsonValue& value, std::uint32_t low, std::uint32_t high,
                                        Diagnostics& diagnostics);
// An array of as many numbers as `into` holds; `what` names it in the error, such as "[x, y, z]".
bool read_numbers(const JsonValue& value, std::span<double> into, std::string_view what, Diagnostics& diagnostics);

// Nothing, with errors told, for what is not one whole JSON value.
std::optional<JsonValue> parse_json(std::uint32_t file, Diagnostics& diagnostics);

}  // namespace mobula::resource
