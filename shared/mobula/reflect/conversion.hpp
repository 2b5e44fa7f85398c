// Conversion of a field's values to a field of another kind, range or enum.
//
//   numbers  as they are, or the nearest number that the new field can hold; true and false are 1 and 0, and only these
//            go to a bool
//   enums    by the name of the value; to and from other numbers by its number
//   texts    whole or not at all; to a string_id as its name, to an enum as the name of a value
//   others   rotations, entities and string_ids only to their own kind
// Makes no messages, unlike write_value, because a level has many rows. Immutable.
#pragma once

#include <mobula/reflect/schema.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace mobula::reflect {

/// Result of a conversion: the value itself, the nearest number, or nothing.
enum class Converted : std::uint8_t { exactly, to_nearest, not_at_all };

class Conversion {
 public:
  /// Both fields must outlive this.
  Conversion(const Field& from, const Field& to);

  [[nodiscard]] const Field& from() const { return *from_; }
  [[nodiscard]] const Field& to() const { return *to_; }
  /// Returns whether all valid bytes (value_is_good) are valid for the new field with the same meaning.
  [[nodiscard]] bool certain() const { return certain_; }
  /// Returns whether the kinds are convertible.
  [[nodiscard]] bool possible() const;

  /// Converts one element and writes a valid value, unless the result is not_at_all. The destination must then be
  /// overwritten.
  Converted apply(const std::byte* from, std::byte* to) const;

 private:
  struct Ways;
  using Way = Converted (*)(const Conversion& conversion, const std::byte* from, std::byte* to);

  const Field* from_;
  const Field* to_;
  Way way_;
  bool certain_;
  std::vector<std::pair<std::int64_t, std::int64_t>> enumerated_;  // two enums: old and new number of each name
};

/// Returns a value as a count, nothing if it is not one.
std::optional<std::uint32_t> whole_number(const Field& field, const std::byte* at);

}  // namespace mobula::reflect
