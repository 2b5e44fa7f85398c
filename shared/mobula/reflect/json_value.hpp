// JSON document as a tree in which every value and name has its place in the source. Filled by a parser. Numbers keep
// their text, so that no precision is lost before the field is known.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::reflect {

/// Place in a source, for documents with several sources.
struct Place {
  std::uint32_t file = 0;
  std::uint32_t offset = 0;  // bytes
};

struct JsonMember;

struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  bool boolean = false;
  Place place;
  std::string text;                 // string, or number as written
  std::vector<JsonValue> items;     // elements of an array
  std::vector<JsonMember> members;  // members of an object, in the order written

  /// Returns a member, null if there is none.
  [[nodiscard]] const JsonValue* find(std::string_view name) const;
};

/// A named value of a JSON object.
struct JsonMember {
  std::string name;
  Place place;
  JsonValue value;
};

/// Returns the kind for messages: "a number", "text", "an array", …
std::string_view describe(JsonValue::Kind kind);

/// Returns a number that replaces a shorter notation in the source, at its place.
JsonValue json_number(double number, Place place);
/// Returns an array of numbers, likewise.
JsonValue json_numbers(std::initializer_list<double> numbers, Place place);

}  // namespace mobula::reflect
