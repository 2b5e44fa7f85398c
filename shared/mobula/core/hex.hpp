// Bytes as hex digits, for text formats.
#pragma once

#include <mobula/core/bytes.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::core {

// Two small digits per byte.
std::string to_hex(ByteView bytes);
// Nothing unless the text is pairs of hex digits, small or capital, and nothing else.
std::optional<Bytes> from_hex(std::string_view text);

}  // namespace mobula::core
