// One value of a field, apart from its component: what tools, scripts and JSON hand in and get out.
// A value is checked against all that the schema says of its field, and written whole or not at all.
#pragma once

#include <array>
#include <mobula/ecs/entity.hpp>
#include <mobula/reflect/schema.hpp>
#include <utility>
#include <variant>

namespace mobula::reflect {

using Quaternion = std::array<float, 4>;  // x, y, z, w

// 24 bytes. Integers and enums are int64 or uint64, as their kind is signed or not. A text points to where it was
// read.
using Value = std::variant<bool, std::int64_t, std::uint64_t, double, Quaternion, ecs::Entity, core::StringId32,
                           std::string_view>;

// How many elements of the field count in this component: of a bounded array its count, else all.
std::uint32_t elements_in_use(const Component& component, const Field& field, const std::byte* row);

// From an element of the field in a component.
Value read_value(const Field& field, const std::byte* at);

// Whether code that trusts the type may read these bytes as an element of the field: no bool but 0 and 1, no NaN,
// nothing beyond its range, no enum without a name, text and then zeros. All that write_value writes is good. Any
// handle is: whether there may be one here is known to those who know entities.
bool value_is_good(const Field& field, const std::byte* at);

// Writes field.size bytes, or nothing. Numbers go to numbers, whole ones also to floats; texts also to enums, as the
// name of a value, and to a string_id, as its name. A rotation is made one of length 1.
// Reasons: "wrong type", "out of range", "not text". `written`: the value as its author wrote it, for the message.
core::Status write_value(const Field& field, const Value& value, std::byte* to, std::string_view written = {});

// "'path' is a number; expected …".
core::Error wrong_type(const Field& field, std::string_view is, std::string_view expected);
// "'path' is out of range: 5; expected …".
core::Error out_of_range(const Field& field, std::string_view written, std::string_view expected);
// "a number", "an entity", …
std::string_view describe(const Value& value);

// The name of an enum's value. Reasons: "wrong type" where the field is no enum, "out of range" for a value without
// a name.
core::Result<std::string_view> enum_name(const Field& field, const Value& value);

// As T: bool, a number, an enum, Quaternion, ecs::Entity, core::StringId32, std::string_view (of texts, and of enums
// the name), or Value. Whole numbers may be asked for as floats, to the nearest. Reasons: "wrong type", "out of range".
template <class T>
core::Result<T> value_as(const Field& field, const Value& value);

// The other way.
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
