// JSON strings. Control characters in the sense of is_control() are escaped as \uXXXX, more than JSON demands.
// So the text cannot control a terminal that shows it, and no information is lost.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mobula::core {

/// Returns the quoted text. Bytes that are not UTF-8 become U+FFFD. Text beyond `bytes_max` becomes "...".
std::string json_text(std::string_view text, std::size_t bytes_max = ~std::size_t{0});

}  // namespace mobula::core
