// Text safety: makes bytes from outside safe for logs, terminals and JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mobula::core {

/// Returns whether the text is well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

/// Returns whether a code point is a control character in this wider sense:
///   U+0000 to U+001F, U+007F to U+009F   control characters
///   U+2028, U+2029                       line and paragraph separators
///   U+202A to U+202E, U+2066 to U+2069   bidirectional controls
bool is_control(std::uint32_t code_point);

/// Returns whether the text is UTF-8 without control characters, so that it can neither break a log line nor control a
/// terminal.
bool is_printable(std::string_view text);

/// Returned by take_code_point() for bytes that are not UTF-8.
inline constexpr std::uint32_t no_code_point = ~std::uint32_t{0};
/// Removes the first code point from the text and returns it. If there is none, removes nothing.
std::uint32_t take_code_point(std::string_view& text);

/// Returns the text without surrounding spaces, tabs and line ends.
std::string_view trimmed(std::string_view text);

/// Returns a number with its noun: "1 entity", "2 entities".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

/// Position in a text, as editors show it. Characters count, not bytes.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};
/// Returns the position of the byte at `offset`.
LineColumn locate(std::string_view text, std::size_t offset);

/// Makes untrusted text printable: bytes that are not UTF-8 and control characters become U+FFFD. Text beyond
/// `bytes_max` becomes "...".
std::string shown(std::string_view text, std::size_t bytes_max);

}  // namespace mobula::core
