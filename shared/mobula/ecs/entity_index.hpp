// Index of entities and their compositions, without component data: handles, and the prototype that each slot names.
// After Stingray's entity index. The registry updates it with every add and remove. Used by one thread at a time.
#pragma once

#include <mobula/ecs/entity_pool.hpp>
#include <mobula/ecs/misuse.hpp>
#include <mobula/ecs/prototype.hpp>

namespace mobula::ecs {

/// Entities and their compositions, without component data.
class EntityIndex {
 public:
  explicit EntityIndex(EntityPoolConfig config = {}) : entities_(config) {}

  [[nodiscard]] EntityPool& entities() { return entities_; }
  [[nodiscard]] const EntityPool& entities() const { return entities_; }
  [[nodiscard]] PrototypeTable& prototypes() { return prototypes_; }
  [[nodiscard]] const PrototypeTable& prototypes() const { return prototypes_; }

  /// Adds a pool. Pools get the ids 0, 1, 2 … in the order of adding.
  void add_pool(PrototypeTable::SortKey key) { prototypes_.add_pool(key); }

  /// Creates an entity. null_entity if the index space is used up.
  Entity create(PrototypeId prototype = empty_prototype) {
    const Entity entity = entities_.create(prototype);
    if (entity) prototypes_.retain(prototype);
    return entity;
  }
  /// Destroys a living entity and returns the prototype it had.
  PrototypeId destroy(Entity entity) {
    const PrototypeId prototype = entities_.destroy(entity);
    prototypes_.release(prototype);
    return prototype;
  }

  /// Adds a component to a living entity that has none of the pool's instance name.
  void add(Entity entity, PoolId pool) {
    if (!entities_.valid(entity)) [[unlikely]]
      misuse::dead_entity("changing", entity);
    const EntityPool::PrototypePlace place = entities_.prototype_place(entity.index);
    const PrototypeId from = place.get();
    change(place, from, checked(prototypes_.with(from, pool)));
  }
  /// Adds several components in this order, or one component to several entities, as if one by one.
  void add(Entity entity, std::span<const PoolId> pools) {
    if (!entities_.valid(entity)) [[unlikely]]
      misuse::dead_entity("changing", entity);
    const EntityPool::PrototypePlace place = entities_.prototype_place(entity.index);
    const PrototypeId from = place.get();
    PrototypeId to = from;
    for (const PoolId pool : pools) to = checked(prototypes_.with(to, pool));
    change(place, from, to);
  }
  void add(std::span<const Entity> entities, PoolId pool) {
    for (const Entity entity : entities) add(entity, pool);
  }
  /// Removes a component that a living entity has.
  void remove(Entity entity, PoolId pool) {
    if (!entities_.valid(entity)) [[unlikely]]
      misuse::dead_entity("changing", entity);
    const EntityPool::PrototypePlace place = entities_.prototype_place(entity.index);
    const PrototypeId from = place.get();
    change(place, from, checked(prototypes_.without(from, pool)));
  }
  void assign(Entity entity, PrototypeId prototype) {
    if (!entities_.valid(entity)) [[unlikely]]
      misuse::dead_entity("changing", entity);
    const EntityPool::PrototypePlace place = entities_.prototype_place(entity.index);
    change(place, place.get(), prototype);
  }
  /// Changes an entity's prototype. `from`: its current one.
  void change(EntityPool::PrototypePlace place, PrototypeId from, PrototypeId to) noexcept {
    prototypes_.release(from);
    prototypes_.retain(to);
    place.change(from, to);
  }

  /// Returns the pool in which an entity has the component of an instance name. no_pool if it has none or is dead.
  [[nodiscard]] PoolId find(Entity entity, core::StringId32 name) const {
    return entities_.valid(entity) ? prototypes_.find(entities_.prototype(entity.index), name) : no_pool;
  }
  /// Returns an entity's pools in the order of adding; empty if it is dead. Valid until a prototype is created.
  [[nodiscard]] std::span<const PoolId> pools(Entity entity) const {
    return prototypes_.pools(entities_.valid(entity) ? entities_.prototype(entity.index) : empty_prototype);
  }

 private:
  static PrototypeId checked(PrototypeId prototype) {
    MOBULA_CHECK(prototype != PrototypeTable::impossible,
                 "an entity gets a component of an instance name that it has, or loses one that it lacks");
    return prototype;
  }

  EntityPool entities_;
  PrototypeTable prototypes_;
};

}  // namespace mobula::ecs
