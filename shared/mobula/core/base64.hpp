// Base64 (RFC 4648, with padding) for text formats.
#pragma once

#include <mobula/core/bytes.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::core {

std::string to_base64(ByteView bytes);
/// Decodes text in exactly the form that to_base64() returns. Returns nothing for any other text.
std::optional<Bytes> from_base64(std::string_view text);

}  // namespace mobula::core
