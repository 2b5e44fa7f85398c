// Words for mistakes of JSON syntax: where they are, and what was expected there.
#pragma once

#include <rapidjson/error/error.h>

#include <string>
#include <string_view>

namespace mobula::resource {

/// Returns the offset of the next token after blanks, comments, separators and closing brackets. Returns that of a
/// comment without an end.
std::size_t next_token(std::string_view text, std::size_t from);

/// Message for half of a pair of escapes, which is no character.
inline constexpr std::string_view half_pair = R"(half of a surrogate pair; expected both, such as \ud83d\ude00)";

struct SyntaxError {
  std::size_t offset = 0;
  std::string message;
};

/// Describes an error of the reader, which stopped at `offset`. `token` is the next_token() after the last good one.
SyntaxError describe_syntax(rapidjson::ParseErrorCode code, std::string_view text, std::size_t offset,
                            std::size_t token);

}  // namespace mobula::resource
