// JSON strings, and messages about text that is no JSON. Control characters in the sense of is_control() are escaped as
// \uXXXX, more than JSON demands. So the text cannot control a terminal that shows it, and no information is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mobula::core {

/// Returns the quoted text. Bytes that are not UTF-8 become U+FFFD. Text beyond `bytes_max` becomes "...".
std::string json_text(std::string_view text, std::size_t bytes_max = ~std::size_t{0});

/// Message for a number that no double holds.
inline constexpr std::string_view json_number_too_large =
    "the number is too large; expected at most 1.7976931348623157e308";

/// Kinds of mistakes that a parser reports.
enum class JsonMistake : std::uint8_t { syntax, number_too_large };
/// Describes a mistake by line, column and text. `end` counts the bytes that the parser has read, with one for the end
/// of the text. The parser's token may begin earlier than what it does not expect.
std::string describe_json_mistake(std::string_view text, std::size_t end, JsonMistake mistake);

}  // namespace mobula::core
