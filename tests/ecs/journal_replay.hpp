// Compositions of a registry's entities, as a reader of its structural change log alone knows them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "ecs/component_kinds.hpp"

namespace mobula::ecs::test {

inline std::vector<PoolId> sorted_pools(const World& world, Entity entity) {
  const std::span<const PoolId> pools = world.prototypes().pools(world.prototype(entity));
  std::vector<PoolId> sorted(pools.begin(), pools.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

class JournalReplay {
 public:
  void replay(const World& world) {
    for (const JournalEntry& entry : world.journal())
      for (std::uint32_t i = 0; i < entry.count; ++i)
        replay(world, entry.kind, {entry.first.index + i, entry.first.generation});
  }
  [[nodiscard]] const std::vector<PoolId>& composition(Entity entity) const { return compositions_.at(entity); }
  [[nodiscard]] std::size_t size() const { return compositions_.size(); }

 private:
  void replay(const World& world, JournalEntry::Kind kind, Entity entity) {
    if (kind == JournalEntry::Kind::destroy) {
      compositions_.erase(entity);
    } else if (kind == JournalEntry::Kind::create || compositions_.contains(entity)) {
      compositions_[entity] = world.valid(entity) ? sorted_pools(world, entity) : std::vector<PoolId>();
    } else {
      ADD_FAILURE() << "a change of " << to_string(entity) << ", whose creation is not in the structural change log";
    }
  }

  std::map<Entity, std::vector<PoolId>> compositions_;
};

}  // namespace mobula::ecs::test
