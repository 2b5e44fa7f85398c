// Changes of a world up to the end of one tick. The simulation thread fills a batch, the writer thread writes it.
// One batch is reused, so that its memory stays allocated.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/server/store/facts.hpp>
#include <vector>

namespace mobula::store {

/// A pool of the registry that is new to the writer.
struct BatchPool {
  ecs::PoolId pool = 0;
  core::StringId32 type;
  std::string instance_name;
};

/// An index whose entity was created, destroyed or recomposed.
struct BatchEntity {
  static constexpr std::uint32_t elsewhere = ~0u;

  std::uint32_t index = 0;
  std::uint32_t generation = 0;   // 0 if the index is free
  std::uint32_t composition = 0;  // number in the batch; `elsewhere` if another world has the entity
};

/// Rows of one pool: the next `count` of the batch's indices and rows.
struct BatchRows {
  ecs::PoolId pool = 0;
  std::uint32_t count = 0;
};

struct Batch {
  /// True if the batch is the full world: the writer removes all else, and recreates tables of another schema.
  bool is_full = false;
  Facts facts;
  std::vector<BatchPool> new_pools;
  std::vector<BatchEntity> entities;             // ascending by index, unique
  std::vector<std::uint32_t> composition_sizes;  // number of pools, by composition
  std::vector<ecs::PoolId> composition_pools;    // those of all compositions, in their order
  std::vector<BatchRows> pools;
  std::vector<std::uint32_t> indices;
  core::Bytes rows;
  std::vector<ecs::EntityRange> ranges;  // all of them, if one has changed; generation 0 if its indices are free
  bool has_ranges = false;

  void clear();
};

}  // namespace mobula::store
