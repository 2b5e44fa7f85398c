// Deterministic stream of secret bytes for ids, nonces and keys, unpredictable without its key. The key comes from
// random_bytes(), or in a simulation from the seed.
#pragma once

#include <cstdint>
#include <mobula/core/content_hash.hpp>

namespace mobula::core {

/// Stream of secret bytes that follows from a key.
class SecretStream {
 public:
  explicit SecretStream(const SecretKey& key) : key_(key) {}

  void fill(MutableBytes out);
  std::uint64_t next();

 private:
  SecretKey key_;
  std::uint64_t blocks_ = 0;  // number of blocks; each is the keyed hash of its number
};

}  // namespace mobula::core
