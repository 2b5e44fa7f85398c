// Hex digits for text formats.
#pragma once

#include <mobula/core/bytes.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::core {

/// Returns two lower-case digits per byte.
std::string to_hex(ByteView bytes);
/// Decodes pairs of hex digits of either case. Returns nothing for any other text.
std::optional<Bytes> from_hex(std::string_view text);

}  // namespace mobula::core
