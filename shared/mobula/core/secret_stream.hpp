// Bytes that nobody can guess who does not know the key: ids, nonces and keys of one owner, whose key comes from
// random_bytes, or in a simulation from the seed. The same key gives the same bytes in the same order.
#pragma once

#include <cstdint>
#include <mobula/core/content_hash.hpp>

namespace mobula::core {

class SecretStream {
 public:
  explicit SecretStream(const SecretKey& key) : key_(key) {}

  void fill(MutableBytes out);
  std::uint64_t next();

 private:
  SecretKey key_;
  std::uint64_t blocks_ = 0;  // each the hash of its number under the key
};

}  // namespace mobula::core
