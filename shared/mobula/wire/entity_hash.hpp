// Hashes of entities, by which server and mirror verify that they have the same values.
//
//   entity = XXH3-64(u64 index, u64 generation, u64 prototype hash) + those of its rows, wrapping
//   row    = XXH3-64(its words, seed (generation << 32 | index) * 0x9e3779b97f4a7c15 xor (type << 32 | instance));
//            for the owner: of the words that everyone receives, + XXH3-64(the owner's words, seed + 1) if there are
//            any
#pragma once

#include <cstdint>
#include <mobula/core/hash.hpp>
#include <mobula/ecs/entity.hpp>
#include <mobula/ecs/pool.hpp>
#include <mobula/wire/row_codec.hpp>

namespace mobula::wire {

/// Returns the part of the hash that does not depend on values.
inline std::uint64_t base_hash(ecs::Entity entity, std::uint64_t prototype_hash) {
  const std::uint64_t words[] = {entity.index, entity.generation, prototype_hash};
  return core::hash64(core::as_bytes(words, 3));
}

/// Returns the pool's part of a row's seed.
inline std::uint64_t pool_key(const ecs::Pool& pool) {
  return static_cast<std::uint64_t>(pool.type().id.value) << 32 | pool.instance().value;
}

/// Returns the seed of a row.
inline std::uint64_t row_seed(ecs::Entity entity, std::uint64_t pool_key) {
  return (static_cast<std::uint64_t>(entity.generation) << 32 | entity.index) * 0x9e3779b97f4a7c15ull ^ pool_key;
}

/// Returns the row's hash for clients that do not own the entity.
inline std::uint64_t public_hash(const RowCodec& codec, const std::uint32_t* words, std::uint64_t seed) {
  return core::hash64(core::as_bytes(words, codec.public_words()), seed);
}

/// Returns what the row's hash for the owner has in addition, wrapping. 0 if all receive the same.
inline std::uint64_t owner_hash(const RowCodec& codec, const std::uint32_t* words, std::uint64_t seed) {
  const std::uint32_t count = codec.words() - codec.public_words();
  if (count == 0) return 0;
  const std::uint64_t own = core::hash64(core::as_bytes(words + codec.public_words(), count), seed + 1);
  if (!codec.has_words_for_others()) return own;
  return own + core::hash64(core::as_bytes(words, codec.common_words()), seed) - public_hash(codec, words, seed);
}

}  // namespace mobula::wire
