// Authenticated encryption, as netcode uses it: ChaCha20-Poly1305 (RFC 8439) with numbers for nonces, and
// XChaCha20-Poly1305 with nonces so wide that random ones never meet.
//
// Sealed bytes: the encrypted ones, as many as were plain, then a tag of 16 bytes. Associated bytes are not in it, but
// opening needs the same ones. A key must never seal two things under one nonce.
#pragma once

#include <array>
#include <mobula/core/secret_key.hpp>

namespace mobula::core {

inline constexpr std::size_t seal_bytes = 16;
using WideNonce = std::array<std::byte, 24>;

// In place: `bytes` holds the plain ones, then room for the tag.
// The nonce's 12 bytes are four zeros and the number, little-endian.
void seal(MutableBytes bytes, ByteView associated, std::uint64_t nonce, const SecretKey& key);
void seal(MutableBytes bytes, ByteView associated, const WideNonce& nonce, const SecretKey& key);

// Writes sealed.size() - seal_bytes bytes to the front of `plain`, which may be the very bytes of `sealed`.
// False: forged, or too short; then nothing that was encrypted is in `plain`.
[[nodiscard]] bool open(ByteView sealed, ByteView associated, std::uint64_t nonce, const SecretKey& key,
                        MutableBytes plain);
[[nodiscard]] bool open(ByteView sealed, ByteView associated, const WideNonce& nonce, const SecretKey& key,
                        MutableBytes plain);

}  // namespace mobula::core
