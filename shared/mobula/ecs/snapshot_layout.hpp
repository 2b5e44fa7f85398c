// Layout of a snapshot and its parsed form. snapshot.cpp writes and parses it; snapshot_loader.cpp checks and loads
// it. A SavedRegistry may also be built from another form of saved state.
//
// A snapshot is a header and columns. A column is an array of items without padding; it starts at a multiple of 8,
// preceded by zero bytes. All numbers are little-endian.
//
//   header             magic, version, total length, checksum
//   counts             one SnapshotCounts
//   pools              one PoolRecord per pool of schema components; its place here is the pool's number
//   names              per pool the type's name and the instance name, concatenated
//   prototype sizes    one uint32 per prototype: number of its pools; the first prototype is the empty one, other zeros
//                      are free ids
//   prototype pools    per prototype the numbers of its pools, in the order of adding
//   slots, ranges, free range lists    of the entity pool, as in entity_pool.hpp
//   then per pool:
//     indices          one uint32 per component: its entity, in the pool's order
//     components       the components, of the pool's component size
//
// The checksum is XXH3 over pieces of 512 items of one column, each seeded with the hash of all before. A piece is
// hashed and copied while it is in the cache.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/registry.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace mobula::ecs {

inline constexpr std::uint32_t snapshot_magic = 0x4e53424d;  // "MBSN"
inline constexpr std::uint32_t snapshot_version = 2;
inline constexpr std::size_t piece_items = 512;

/// Header of a snapshot.
struct SnapshotHeader {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t length;
  std::uint64_t checksum;
};

/// Lengths of the columns, and the numbers of the entity pool.
struct SnapshotCounts {
  Tick tick;
  std::uint32_t pools;
  std::uint32_t name_bytes;
  std::uint32_t prototypes;
  std::uint32_t prototype_pools;
  std::uint32_t slots;
  std::uint32_t ranges;
  std::uint32_t free_range_lists;
  std::uint32_t recycling;
  std::uint32_t incarnation;
  std::uint32_t reuse_bits;
  std::uint32_t free_head;
  std::uint32_t free_tail;
  std::uint32_t own_first;
  std::uint32_t fresh;
};

/// Description of a saved pool.
struct PoolRecord {
  std::uint32_t type;
  std::uint32_t type_name_bytes;
  std::uint32_t instance_name_bytes;
  std::uint32_t component_size;
  std::uint32_t count;
};

static_assert(sizeof(SnapshotHeader) == 24 && sizeof(SnapshotCounts) == 60 && sizeof(PoolRecord) == 20);

/// A parsed pool.
struct SavedPool {
  PoolRecord record;
  std::string_view type_name;
  std::string_view instance_name;
  std::span<const std::uint32_t> indices;
  const std::byte* components = nullptr;

  [[nodiscard]] core::StringId32 type() const { return core::StringId32(record.type); }
  [[nodiscard]] core::StringId32 instance() const { return core::StringId32(instance_name); }
  /// Returns the rank of the pool in the prototypes' canonical order.
  [[nodiscard]] std::uint64_t key() const { return static_cast<std::uint64_t>(record.type) << 32 | instance().value; }
};

/// A parsed prototype: numbers of its pools, and its base.
struct SavedPrototype {
  std::span<const std::uint32_t> pools;
  PrototypeId base = empty_prototype;
};

/// A parsed snapshot. Points into its bytes.
struct SavedRegistry {
  Tick tick = 0;
  std::vector<SavedPool> pools;
  std::vector<SavedPrototype> prototypes;
  EntityPoolImage entities;
};

inline core::Error damaged(const char* sentence) { return {"damaged snapshot", sentence}; }

/// Checks that the bytes are intact and finds the columns in them. The bytes must lie at a multiple of 8.
core::Result<SavedRegistry> parse_snapshot(core::ByteView bytes);

/// Loads parsed state like load_snapshot(). The caller keeps its memory meanwhile.
core::Status load_saved(SavedRegistry saved, Registry& registry);

}  // namespace mobula::ecs
