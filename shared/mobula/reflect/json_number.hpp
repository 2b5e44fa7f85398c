// Parses JSON numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mobula::reflect {

/// Message for a number that no double holds.
inline constexpr std::string_view number_too_large = "the number is too large; expected at most 1.7976931348623157e308";

/// Returns the nearest double with its sign: infinity if too large, zero if too small. NaN if the text is not a number.
double read_json_number(std::string_view text);

/// Returns the digits of a whole number, with its sign: "100" for "1e2" and "100.0". Nothing if the number has a
/// fraction. Returns only the first 21 digits, which no integer type can hold.
std::optional<std::string> whole_digits(std::string_view text);

}  // namespace mobula::reflect
