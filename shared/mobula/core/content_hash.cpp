#include <sodium.h>

#include <mobula/core/content_hash.hpp>
#include <mobula/core/hex.hpp>

namespace mobula::core {

ContentHash content_hash(ByteView content) {
  ContentHash hash;
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.bytes.data()), hash.bytes.size(),
                     reinterpret_cast<const unsigned char*>(content.data()), content.size(), nullptr, 0);
  return hash;
}

ContentHash keyed_hash(const SecretKey& key, ByteView content) {
  ContentHash hash;
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.bytes.data()), hash.bytes.size(),
                     reinterpret_cast<const unsigned char*>(content.data()), content.size(),
                     reinterpret_cast<const unsigned char*>(key.data()), key.size());
  return hash;
}

bool equal_in_constant_time(ByteView a, ByteView b) {
  return a.size() == b.size() && (a.empty() || sodium_memcmp(a.data(), b.data(), a.size()) == 0);
}

std::string to_string(const ContentHash& hash) { return to_hex(hash.bytes); }

}  // namespace mobula::core
