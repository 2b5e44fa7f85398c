// Memory image of an entity pool: what snapshots and saves have of it.
#pragma once

#include <cstdint>
#include <mobula/ecs/entity_batch.hpp>
#include <mobula/ecs/given_entities.hpp>
#include <span>
#include <vector>

namespace mobula::ecs {

using PrototypeId = std::uint32_t;  // below 2^29

/// State of a range of indices.
struct EntityRangeSlot {
  EntityRange range;    // generation: of the living; if none lives the next one, 0 if retired
  std::uint32_t alive;  // living entities, ghosts included, and those that are abroad
  std::uint32_t next;   // if none lives: next free range of this size, or no_link
};

/// Free ranges of one size: a list linked through their slots.
struct EntityRangeList {
  std::uint32_t count;  // size of each range
  std::uint32_t head;
  std::uint32_t tail;  // under `queue`, else no_link
};

/// Memory image of a pool, for snapshots: numbers and three arrays without padding.
struct EntityPoolImage {
  std::uint32_t recycling = 0;
  std::uint32_t incarnation = 0;
  std::uint32_t reuse_bits = 0;
  std::uint32_t free_head = 0;
  std::uint32_t free_tail = 0;
  std::uint32_t own_first = 0;
  std::uint32_t fresh = 0;  // own indices from here on were never used
  std::span<const EntitySlot> slots;
  std::span<const EntityRangeSlot> ranges;            // by first index
  std::span<const EntityRangeList> free_range_lists;  // by count, one per size of ranges
};

/// A saved living entity.
struct LivingEntity {
  Entity entity;
  PrototypeId prototype = 0;
};

/// Memory of an image that image_of() builds.
struct EntityPoolImageRoom {
  std::vector<EntitySlot> slots;
  std::vector<EntityRangeSlot> ranges;
  std::vector<EntityRangeList> free_range_lists;
};

}  // namespace mobula::ecs
