// 64-bit hashes (XXH3) of bytes: prototypes, entity versions, world state.
// Fast and the same on every machine; not for what an enemy may choose (see content_hash.hpp).
#pragma once

#include <mobula/core/bytes.hpp>

namespace mobula::core {

std::uint64_t hash64(ByteView bytes, std::uint64_t seed = 0);

}  // namespace mobula::core
