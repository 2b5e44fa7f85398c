// Parses JSON numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace mobula::reflect {

/// Returns the nearest double with its sign: infinity if too large, zero if too small. NaN if the text is not a number.
double read_json_number(std::string_view text);

/// Returns the digits of a whole number, with its sign: "100" for "1e2" and "100.0". Nothing if the number has a
/// fraction. Returns only the first 21 digits, which no integer type can hold.
std::optional<std::string> whole_digits(std::string_view text);

}  // namespace mobula::reflect
