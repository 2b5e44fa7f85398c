// BLAKE2b-256 of a file's or a schema's content: its identity, which nobody can forge.
// Keyed, it proves that whoever made the hash knew the key.
#pragma once

#include <array>
#include <mobula/core/secret_key.hpp>
#include <string>

namespace mobula::core {

struct ContentHash {
  std::array<std::byte, 32> bytes{};
  bool operator==(const ContentHash&) const = default;
};

ContentHash content_hash(ByteView content);

ContentHash keyed_hash(const SecretKey& key, ByteView content);
// Takes the same time wherever the two differ, so that nobody can guess a hash byte by byte.
bool equal_in_constant_time(ByteView a, ByteView b);

// From the operating system: for keys and nonces that nobody must guess. Never in simulated state.
void random_bytes(MutableBytes out);

// 64 hex digits.
std::string to_string(const ContentHash& hash);

}  // namespace mobula::core
