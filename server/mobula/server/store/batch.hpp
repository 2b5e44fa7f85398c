// What changed in a world up to the end of one tick: copied on the simulation thread, written by the writer's. Used
// again and again, in the same memory.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/server/store/facts.hpp>
#include <vector>

namespace mobula::store {

// A pool of the registry that the writer hears of for the first time.
struct BatchPool {
  ecs::PoolId pool = 0;
  core::StringId32 type;
  std::string instance_name;
};

// An entity to look at again.
struct BatchEntity {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;   // 0: nobody lives there
  std::uint32_t composition = 0;  // number in the batch
};

// Rows of one pool: the next `count` of the batch's indices and rows.
struct BatchRows {
  ecs::PoolId pool = 0;
  std::uint32_t count = 0;
};

struct Batch {
  bool everything = false;  // what is not in it is gone; the tables are made anew if they are of another schema
  Facts facts;
  std::vector<BatchPool> new_pools;
  std::vector<BatchEntity> entities;             // rising by index, none twice
  std::vector<std::uint32_t> composition_sizes;  // of each composition, so many of the next:
  std::vector<ecs::PoolId> composition_pools;
  std::vector<BatchRows> pools;
  std::vector<std::uint32_t> indices;
  core::Bytes rows;
  std::vector<ecs::EntityRange> ranges;  // all, if any is other than last time; generation 0 where nobody lives
  bool has_ranges = false;

  void clear();
};

}  // namespace mobula::store
