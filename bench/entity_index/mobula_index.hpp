// Mobula's entity index behind the table's interface: components added one by one, and entities made from ready
// prototypes, as a spawn does.
#pragma once

#include <mobula/ecs/entity_index.hpp>
#include <string>

#include "entity_index/workload.hpp"

namespace mobula::bench {

class MobulaIndex {
 public:
  using Handle = ecs::Entity;

  // Maps a component's manager to the pool of that number. Four pools share a component type.
  explicit MobulaIndex(const Workload& workload) {
    for (const Component& component : workload.components()) {
      const core::StringId32 type("type " + std::to_string(component.manager / 4));
      index_.add_pool(static_cast<std::uint64_t>(type.value) << 32 | component.name.value);
    }
  }

  Handle create() { return index_.create(); }
  void add(Handle entity, const Component& component) { index_.add(entity, component.manager); }
  [[nodiscard]] std::uint32_t find(Handle entity, core::StringId32 name) const { return index_.find(entity, name); }
  void destroy(std::span<const Handle> entities) {
    for (const Handle entity : entities) index_.destroy(entity);
  }
  void clean_up() { index_.prototypes().reclaim(index_.prototypes().size()); }

 protected:
  ecs::EntityIndex index_;
};

static_assert(ecs::no_pool == no_component, "a miss is a miss in all implementations");

class ReadyMobulaIndex : MobulaIndex {
 public:
  using MobulaIndex::clean_up;
  using MobulaIndex::destroy;
  using MobulaIndex::find;
  using MobulaIndex::Handle;

  explicit ReadyMobulaIndex(const Workload& workload) : MobulaIndex(workload), held_(index_.prototypes()) {
    for (std::uint32_t i = 0; i < workload.config().compositions; ++i) {
      std::vector<ecs::PoolId> pools;
      for (const Component& component : workload.composition(i)) pools.push_back(component.manager);
      ready_.push_back(index_.prototypes().intern(pools));
      held_.add(ready_.back());
    }
  }

  ReadyMobulaIndex(const ReadyMobulaIndex&) = delete;  // held references contain the table's address
  ReadyMobulaIndex& operator=(const ReadyMobulaIndex&) = delete;

  Handle create_with(std::uint32_t composition) {
    const Handle entity = index_.create();
    index_.assign(entity, ready_[composition]);
    return entity;
  }

 private:
  std::vector<ecs::PrototypeId> ready_;
  ecs::HeldPrototypes held_;
};

}  // namespace mobula::bench
