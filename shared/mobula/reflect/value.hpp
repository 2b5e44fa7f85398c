// Value of one field, separate from its component, as tools, scripts and JSON read and write it. A write checks the
// value against the schema and is complete or has no effect.
#pragma once

#include <array>
#include <mobula/ecs/entity.hpp>
#include <mobula/reflect/schema.hpp>
#include <utility>
#include <variant>

namespace mobula::reflect {

using Quaternion = std::array<float, 4>;  // x, y, z, w

/// Returns whether a quaternion of this length is taken as a rotation. False for NaN.
constexpr bool is_rotation_length(double length) { return length >= 0.98 && length <= 1.02; }

/// A value of 24 bytes. Integers and enums are int64 or uint64 by the sign of their kind. A text refers to its source.
using Value = std::variant<bool, std::int64_t, std::uint64_t, double, Quaternion, ecs::Entity, core::StringId32,
                           std::string_view>;

/// Returns the number of used elements of a field: the count of a bounded array, else all.
std::uint32_t elements_in_use(const Component& component, const Field& field, const std::byte* row);

/// Reads an element of a field.
Value read_value(const Field& field, const std::byte* at);

/// Returns whether bytes are a valid element of a field: bool 0 or 1, no NaN, within the range, a
/// named enum value. Text is followed by zeros. Writing stores only valid bytes. Every handle is valid here; entities
/// are checked elsewhere.
bool value_is_good(const Field& field, const std::byte* at);

/// Replaces a number outside its field's range by the nearest within. Returns false, and changes nothing, if no valid
/// value is nearest: for NaN, enums and bools, and all that is not a number.
bool clamp_value(const Field& field, std::byte* at);

/// Makes all values of a component valid, as a migration requires: each that is not becomes the nearest valid one, or
/// its default. A game may have written values that its schema forbids. Returns the number of values changed.
std::uint32_t repair_values(const Component& component, std::byte* row);
/// Sets the fields that are not saved to their defaults.
void reset_unsaved(const Component& component, std::byte* row);

/// Writes field.size bytes, or nothing.
/// - Numbers convert to numbers, integers also to floats.
/// - Texts convert to strings, to enums by the name of the value, and to string_ids by name.
/// - A rotation is normalised. Its length may differ from 1 by 0.01, so that two typed digits are enough.
/// `written` is the value as its author wrote it, for the message. Errors: "wrong type", "out of range", "not text".
core::Status write_value(const Field& field, const Value& value, std::byte* to, std::string_view written = {});

/// Returns the message "'path' is a number; expected …".
core::Error wrong_type(const Field& field, std::string_view is, std::string_view expected);
/// Returns the message "'path' is out of range: 5; expected …".
core::Error out_of_range(const Field& field, std::string_view written, std::string_view expected);
/// Returns that message of a number, with the field's range or that of its kind.
core::Error beyond_range(const Field& field, std::string_view written);
/// Returns "a number", "an entity", …
std::string_view describe(const Value& value);

/// Returns the name of an enum's value. Errors: "wrong type" if the field is not an enum, "out of range" if the value
/// has no name.
core::Result<std::string_view> enum_name(const Field& field, const Value& value);

/// Converts a value to T: bool, a number, an enum, Quaternion, ecs::Entity, core::StringId32, std::string_view (texts
/// and enum names), or Value. Integers convert to the nearest float. Errors: "wrong type", "out of range".
template <class T>
core::Result<T> value_as(const Field& field, const Value& value);

/// Makes a Value of a T.
template <class T>
Value to_value(const T& value);

namespace detail {

core::Error not_asked_for(const Field& field, const Value& value, std::string_view as);
core::Error does_not_fit(const Field& field, const Value& value);

template <class T>
core::Result<T> number_as(const Field& field, const Value& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (const auto* real = std::get_if<double>(&value)) return static_cast<T>(*real);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<T>(*whole);
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) return static_cast<T>(*whole);
    return not_asked_for(field, value, "a number");
  } else {
    const auto narrow = [&](auto whole) -> core::Result<T> {
      if (!std::in_range<T>(whole)) return does_not_fit(field, value);
      return static_cast<T>(whole);
    };
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return narrow(*whole);
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) return narrow(*whole);
    return not_asked_for(field, value, "a whole number");
  }
}

}  // namespace detail

template <class T>
core::Result<T> value_as(const Field& field, const Value& value) {
  if constexpr (std::is_same_v<T, Value>) {
    return value;
  } else if constexpr (std::is_enum_v<T>) {
    const auto number = detail::number_as<std::underlying_type_t<T>>(field, value);
    if (!number) return number.error();
    return static_cast<T>(*number);
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    return detail::number_as<T>(field, value);
  } else {
    if (const auto* same = std::get_if<T>(&value)) return *same;
    if constexpr (std::is_same_v<T, std::string_view>) {
      if (!field.enum_values.empty()) return enum_name(field, value);
    }
    return detail::not_asked_for(field, value, describe(Value(T{})));
  }
}

template <class T>
Value to_value(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return to_value(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if constexpr (std::is_signed_v<T>) return static_cast<std::int64_t>(value);
    return static_cast<std::uint64_t>(value);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string_view(value);
  } else {
    return value;
  }
}

}  // namespace mobula::reflect
