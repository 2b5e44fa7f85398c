#include <mobula/core/format.hpp>
#include <mobula/reflect/json_value.hpp>

namespace mobula::reflect {

const JsonValue* JsonValue::find(std::string_view name) const {
  for (const JsonMember& member : members)
    if (member.name == name) return &member.value;
  return nullptr;
}

std::string_view describe(JsonValue::Kind kind) {
  static constexpr std::string_view words[] = {"null", "true or false", "a number", "text", "an array", "an object"};
  return words[static_cast<std::size_t>(kind)];
}

JsonValue json_number(double number, Place place) {
  return {.kind = JsonValue::Kind::number,
          .boolean = false,
          .place = place,
          .text = core::format("{}", number),  // the shortest text that reads as the same number
          .items = {},
          .members = {}};
}

JsonValue json_numbers(std::initializer_list<double> numbers, Place place) {
  JsonValue array{
      .kind = JsonValue::Kind::array, .boolean = false, .place = place, .text = {}, .items = {}, .members = {}};
  for (const double number : numbers) array.items.push_back(json_number(number, place));
  return array;
}

}  // namespace mobula::reflect
