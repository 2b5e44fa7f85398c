// What may be shown to people: bytes that come from outside and end in logs, terminals and JSON.
#pragma once

#include <string_view>

namespace mobula::core {

// Well-formed UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

// UTF-8 without control characters (U+0000 to U+001F, U+007F to U+009F): a log line stays a line, a terminal obeys
// nobody else.
bool is_printable(std::string_view text);

}  // namespace mobula::core
