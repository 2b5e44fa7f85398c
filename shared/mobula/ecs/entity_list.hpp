// EntityList: the list of a bulk call. The caller's list may be in a component: a listener, constructor or destructor
// may change it, and a pool that grows moves it.
#pragma once

#include <cstddef>
#include <mobula/ecs/entity.hpp>
#include <span>
#include <utility>
#include <vector>

namespace mobula::ecs {

/// Memory of lists: one for each bulk call within another. It is kept, so that a tick does not allocate.
class EntityLists {
 private:
  friend class EntityList;
  std::vector<std::vector<Entity>> kept_;
  std::size_t taken_ = 0;  // the first of kept_, which are empty until their calls end
};

/// A list of one call, in kept memory. Lists end in the reverse order of their beginning.
class EntityList {
 public:
  explicit EntityList(EntityLists& memory) : memory_(memory) {
    if (memory.taken_ == memory.kept_.size()) memory.kept_.emplace_back();
    entities = std::move(memory.kept_[memory.taken_++]);
    entities.clear();
  }
  EntityList(EntityLists& memory, std::span<const Entity> copied) : EntityList(memory) {
    entities.assign(copied.begin(), copied.end());
  }
  ~EntityList() { memory_.kept_[--memory_.taken_] = std::move(entities); }
  EntityList(const EntityList&) = delete;
  EntityList& operator=(const EntityList&) = delete;

  std::vector<Entity> entities;

 private:
  EntityLists& memory_;
};

}  // namespace mobula::ecs
