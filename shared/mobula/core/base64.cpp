#include <sodium.h>

#include <algorithm>
#include <mobula/core/base64.hpp>

namespace mobula::core {

std::string to_base64(ByteView bytes) {
  constexpr int variant = sodium_base64_VARIANT_ORIGINAL;
  std::string text(sodium_base64_encoded_len(bytes.size(), variant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                    variant);
  text.pop_back();
  return text;
}

std::optional<Bytes> from_base64(std::string_view text) {
  // libsodium 1.0.18 accepts many non-ASCII bytes as '/'.
  if (std::any_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; })) return std::nullopt;
  Bytes bytes(text.size() / 4 * 3 + 1);  // +1: an empty vector may have a null pointer
  std::size_t size = 0;
  const char* end = nullptr;
  const int bad = sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                                    text.size(), nullptr, &size, &end, sodium_base64_VARIANT_ORIGINAL);
  if (bad != 0 || end != text.data() + text.size()) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

}  // namespace mobula::core
