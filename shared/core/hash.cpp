#include <mobula/core/hash.hpp>
#include <xxhash.h>

namespace mobula::core {

std::uint64_t hash64(ByteView bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace mobula::core
