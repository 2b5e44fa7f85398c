// A JSON document as a tree in which every value and name knows where it stands.
// RapidJSON's SAX reader fills it; duplicate names in an object are errors.
#pragma once

#include <mobula/resource/diagnostics.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::resource {

struct JsonMember;

struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  bool boolean = false;
  Place place;
  std::string text;                 // of a string; of a number as it was written
  std::vector<JsonValue> items;     // of an array
  std::vector<JsonMember> members;  // of an object, in the order written

  // Null when there is no such member.
  [[nodiscard]] const JsonValue* find(std::string_view name) const;
};

struct JsonMember {
  std::string name;
  Place place;
  JsonValue value;
};

// For messages: "a number", "text", "an array", …
std::string_view describe(JsonValue::Kind kind);

// Values that stand for something shorter in the source, at its place.
JsonValue json_number(double number, Place place);
JsonValue json_numbers(std::initializer_list<double> numbers, Place place);

// Nothing, with an error told, unless the number is written so that it fits.
std::optional<double> read_number(const JsonValue& value, Diagnostics& diagnostics);
std::optional<std::uint32_t> read_count(const JsonValue& value, std::uint32_t low, std::uint32_t high,
                                        Diagnostics& diagnostics);
// An array of as many numbers as `into` holds; `what` names it in the error, such as "[x, y, z]".
bool read_numbers(const JsonValue& value, std::span<double> into, std::string_view what, Diagnostics& diagnostics);

// Nothing, with errors told, for what is not one whole JSON value.
std::optional<JsonValue> parse_json(std::uint32_t file, Diagnostics& diagnostics);

}  // namespace mobula::resource
