#include <mobula/core/hash.hpp>
#include <xxhash.h>
#if defined(__x86_64__) && !defined(XXH_INLINE_ALL)
#include <xxh_x86dispatch.h>  // the same hashes, by the widest vectors that the processor has
#endif

namespace mobula::core {

std::uint64_t hash64(ByteView bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace mobula::core
