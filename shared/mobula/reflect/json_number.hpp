// The text of a JSON number as a double.
#pragma once

#include <string_view>

namespace mobula::reflect {

// The nearest double, with its sign: infinity for what is too large, zero for what cannot be told from it. NaN for text
// that is no number.
double read_json_number(std::string_view text);

}  // namespace mobula::reflect
