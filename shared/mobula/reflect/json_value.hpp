// A JSON document as a tree in which every value and name knows where it stands. Who parses fills it;
// numbers are kept as they were written, so that nothing is lost before a field is known.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::reflect {

// Where in which source, for those who have several.
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

}  // namespace mobula::reflect
