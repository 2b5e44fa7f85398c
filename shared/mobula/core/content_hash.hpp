// BLAKE2b-256 of a file's or schema's content, used as its unforgeable identity.
// A keyed hash proves knowledge of the key.
#pragma once

#include <array>
#include <mobula/core/secret_key.hpp>
#include <string>

namespace mobula::core {

/// BLAKE2b-256 hash, the identity of a content.
struct ContentHash {
  std::array<std::byte, 32> bytes{};
  bool operator==(const ContentHash&) const = default;
};

ContentHash content_hash(ByteView content);

ContentHash keyed_hash(const SecretKey& key, ByteView content);
/// Compares in a time that does not depend on the position of a difference, so that a hash cannot be guessed byte by
/// byte.
bool equal_in_constant_time(ByteView a, ByteView b);

/// Returns 64 hex digits.
std::string to_string(const ContentHash& hash);

}  // namespace mobula::core
