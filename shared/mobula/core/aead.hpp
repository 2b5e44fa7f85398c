// Authenticated encryption as used by netcode: ChaCha20-Poly1305 (RFC 8439) with counters as nonces, and
// XChaCha20-Poly1305 with nonces wide enough to be random.
//
// Sealed bytes are the encrypted bytes, then a tag of 16 bytes. Associated data is not included, but opening needs the
// same data. A key must never seal twice with one nonce.
#pragma once

#include <array>
#include <mobula/core/secret_key.hpp>

namespace mobula::core {

inline constexpr std::size_t seal_bytes = 16;
using WideNonce = std::array<std::byte, 24>;

/// Encrypts in place: `bytes` holds the plain bytes, then room for the tag.
/// The 12 bytes of the nonce are four zeros and the number, little-endian.
void seal(MutableBytes bytes, ByteView associated, std::uint64_t nonce, const SecretKey& key);
/// Encrypts the same with XChaCha20. The nonce may be random.
void seal(MutableBytes bytes, ByteView associated, const WideNonce& nonce, const SecretKey& key);

/// Decrypts sealed.size() - seal_bytes bytes to the front of `plain`, which may be the memory of `sealed`.
/// Returns false if the bytes are forged or too short; `plain` then contains no decrypted byte.
[[nodiscard]] bool open(ByteView sealed, ByteView associated, std::uint64_t nonce, const SecretKey& key,
                        MutableBytes plain);
/// Decrypts what seal() has encrypted with a WideNonce.
[[nodiscard]] bool open(ByteView sealed, ByteView associated, const WideNonce& nonce, const SecretKey& key,
                        MutableBytes plain);

}  // namespace mobula::core
