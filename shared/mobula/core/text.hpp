// What may be shown to people: bytes that come from outside and end in logs, terminals and JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mobula::core {

// Well-formed UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

// U+0000 to U+001F and U+007F to U+009F, what ends a line or a paragraph (U+2028, U+2029), and what turns the text
// after it round (U+202A to U+202E, U+2066 to U+2069).
bool is_control(std::uint32_t code_point);

// UTF-8 without control characters: a log line stays a line and reads as it is, a terminal obeys nobody else.
bool is_printable(std::string_view text);

// The code point that the text begins with, taken off it; nothing is taken off if there is none.
inline constexpr std::uint32_t no_code_point = ~std::uint32_t{0};
std::uint32_t take_code_point(std::string_view& text);

// Without the spaces, tabs and ends of lines around it.
std::string_view trimmed(std::string_view text);

// Printable whatever it was: U+FFFD stands for each byte that is no UTF-8 and for each control character, and "..." for
// what is beyond so many bytes.
std::string shown(std::string_view text, std::size_t bytes_max);

}  // namespace mobula::core
