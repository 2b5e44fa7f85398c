#include <sodium.h>

#include <mobula/core/hex.hpp>

namespace mobula::core {

std::string to_hex(ByteView bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  text.pop_back();
  return text;
}

std::optional<Bytes> from_hex(std::string_view text) {
  if (text.empty() || text.size() % 2 != 0) return text.empty() ? std::optional(Bytes()) : std::nullopt;
  Bytes bytes(text.size() / 2);
  std::size_t size = 0;
  const int bad = sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(), text.size(),
                                 nullptr, &size, nullptr);
  if (bad != 0 || size * 2 != text.size()) return std::nullopt;
  return bytes;
}

}  // namespace mobula::core
