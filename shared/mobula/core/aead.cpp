#include <sodium.h>

#include <mobula/core/aead.hpp>
#include <mobula/core/assert.hpp>

namespace mobula::core {
namespace {

// sodium_init() selects the fastest implementation for the processor. Without it the slowest one is used.
[[maybe_unused]] const int sodium_ready = sodium_init();

unsigned char* raw(MutableBytes bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }
const unsigned char* raw(ByteView bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

std::array<unsigned char, 12> wide(std::uint64_t nonce) {
  std::array<unsigned char, 12> bytes{};
  store(bytes.data() + 4, nonce);
  return bytes;
}

MutableBytes plain_part(MutableBytes bytes) {
  MOBULA_ASSERT(bytes.size() >= seal_bytes, "no room for the tag");
  return bytes.first(bytes.size() - seal_bytes);
}

// The size comes from outside and is checked; the room for the plain bytes is the caller's duty.
bool has_tag(ByteView sealed, [[maybe_unused]] MutableBytes plain) {
  if (sealed.size() < seal_bytes) return false;
  MOBULA_ASSERT(plain.size() >= sealed.size() - seal_bytes, "no room for the plain bytes");
  return true;
}

}  // namespace

void seal(MutableBytes bytes, ByteView associated, std::uint64_t nonce, const SecretKey& key) {
  const MutableBytes plain = plain_part(bytes);
  crypto_aead_chacha20poly1305_ietf_encrypt_detached(raw(plain), raw(bytes.subspan(plain.size())), nullptr, raw(plain),
                                                     plain.size(), raw(associated), associated.size(), nullptr,
                                                     wide(nonce).data(), raw(ByteView(key)));
}

void seal(MutableBytes bytes, ByteView associated, const WideNonce& nonce, const SecretKey& key) {
  const MutableBytes plain = plain_part(bytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt_detached(raw(plain), raw(bytes.subspan(plain.size())), nullptr, raw(plain),
                                                      plain.size(), raw(associated), associated.size(), nullptr,
                                                      raw(ByteView(nonce)), raw(ByteView(key)));
}

bool open(ByteView sealed, ByteView associated, std::uint64_t nonce, const SecretKey& key, MutableBytes plain) {
  if (!has_tag(sealed, plain)) return false;
  const std::size_t size = sealed.size() - seal_bytes;
  return crypto_aead_chacha20poly1305_ietf_decrypt_detached(
             raw(plain), nullptr, raw(sealed), size, raw(sealed.subspan(size)), raw(associated), associated.size(),
             wide(nonce).data(), raw(ByteView(key))) == 0;
}

bool open(ByteView sealed, ByteView associated, const WideNonce& nonce, const SecretKey& key, MutableBytes plain) {
  if (!has_tag(sealed, plain)) return false;
  const std::size_t size = sealed.size() - seal_bytes;
  return crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
             raw(plain), nullptr, raw(sealed), size, raw(sealed.subspan(size)), raw(associated), associated.size(),
             raw(ByteView(nonce)), raw(ByteView(key))) == 0;
}

void wipe(MutableBytes secret) { sodium_memzero(secret.data(), secret.size()); }

}  // namespace mobula::core
