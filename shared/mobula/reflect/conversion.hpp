// What becomes of a field's values where the field is another one: of another kind, range or enum.
//
//   numbers  true and false are 1 and 0; floats go to whole numbers only if they are whole, and to floats the nearest
//   enums    by the name of the value; to and from other numbers by its number
//   texts    whole or not at all; to a string_id as its name, to an enum as the name of a value
//   others   rotations, entities and string_ids only to their own kind
//
// Builds no messages, as write_value would: a level has many rows. Immutable.
#pragma once

#include <mobula/reflect/schema.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace mobula::reflect {

class Conversion {
 public:
  // Both must live as long.
  Conversion(const Field& from, const Field& to);

  [[nodiscard]] const Field& from() const { return *from_; }
  [[nodiscard]] const Field& to() const { return *to_; }
  // Whether the bytes of every good value (value_is_good) are a good value of the new field, and mean the same.
  [[nodiscard]] bool certain() const { return certain_; }
  // Whether there is a way from the one kind to the other.
  [[nodiscard]] bool possible() const;

  // From an element to an element. True: what is written there is good if the old value was. False: the new field
  // cannot hold the value, and what is there now is to be overwritten.
  bool apply(const std::byte* from, std::byte* to) const;

 private:
  struct Ways;
  using Way = bool (*)(const Conversion& conversion, const std::byte* from, std::byte* to);

  const Field* from_;
  const Field* to_;
  Way way_;
  bool certain_;
  std::vector<std::pair<std::int64_t, std::int64_t>> enumerated_;  // two enums: old and new number of one name
};

// A number that may count something; nothing if it is none.
std::optional<std::uint32_t> whole_number(const Field& field, const std::byte* at);

}  // namespace mobula::reflect
