// Parses JSON numbers.
#pragma once

#include <string_view>

namespace mobula::reflect {

/// Returns the nearest double with its sign: infinity if too large, zero if too small. NaN if the text is not a number.
double read_json_number(std::string_view text);

}  // namespace mobula::reflect
