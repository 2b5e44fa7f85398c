// 64-bit hash (XXH3) of bytes, for prototypes, entity versions and world state.
// Fast and equal on every machine. Not for data chosen by a hostile client: see content_hash.hpp.
#pragma once

#include <mobula/core/bytes.hpp>

namespace mobula::core {

std::uint64_t hash64(ByteView bytes, std::uint64_t seed = 0);

}  // namespace mobula::core
