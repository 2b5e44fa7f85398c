// Images of entity pools: copies to damage, and comparison.
#pragma once

#include <cstring>
#include <mobula/ecs/entity_pool.hpp>
#include <span>
#include <vector>

namespace mobula::ecs::test {

// Copy of an image in memory of its own.
struct Saved {
  EntityPoolImage numbers;
  std::vector<EntitySlot> slots;
  std::vector<EntityRangeSlot> ranges;
  std::vector<EntityRangeList> lists;

  explicit Saved(const EntityPool& pool) {
    std::vector<EntitySlot> room;
    numbers = pool.image(room);
    slots.assign(numbers.slots.begin(), numbers.slots.end());
    ranges.assign(numbers.ranges.begin(), numbers.ranges.end());
    lists.assign(numbers.free_range_lists.begin(), numbers.free_range_lists.end());
  }

  [[nodiscard]] EntityPoolImage image() const {
    EntityPoolImage image = numbers;
    image.slots = slots;
    image.ranges = ranges;
    image.free_range_lists = lists;
    return image;
  }
};

inline bool same_bytes(const EntityPoolImage& a, const EntityPoolImage& b) {
  const auto same = [](const auto& x, const auto& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size_bytes()) == 0);
  };
  return a.recycling == b.recycling && a.incarnation == b.incarnation && a.reuse_bits == b.reuse_bits &&
         a.free_head == b.free_head && a.free_tail == b.free_tail && a.own_first == b.own_first && a.fresh == b.fresh &&
         same(a.slots, b.slots) && same(a.ranges, b.ranges) && same(a.free_range_lists, b.free_range_lists);
}

inline bool same_bytes(const EntityPool& a, const EntityPool& b) {
  return same_bytes(Saved(a).image(), Saved(b).image());
}

}  // namespace mobula::ecs::test
