// Lookup: the components of one type by handle, for many accesses in a row. Slots, pages and blocks are opened once
// instead of with each access.
//
// Valid until the next structural change of the entities or the pool, or until either grows: checked in every build.
// Not for registries of mirrors, which have neither slots nor pages.
#pragma once

#include <mobula/core/assert.hpp>
#include <mobula/ecs/entity_pool.hpp>
#include <mobula/ecs/misuse.hpp>
#include <mobula/ecs/pool.hpp>
#include <type_traits>

namespace mobula::ecs {

/// Components of one type by handle: Lookup<const T> reads, access through Lookup<T> counts as a write.
template <class T>
class Lookup {
 public:
  Lookup(const EntityPool& entities, Pool& pool)
      : entities_(&entities),
        pool_(&pool),
        slots_(entities.slots()),
        pages_(pool.set().pages()),
        table_(pool.table()),
        version_(pool.version()) {
    MOBULA_CHECK(entities.config().recycling != Recycling::given && pool.set().has_pages(),
                 "a lookup needs slots and pages, which a mirror's registry does not have");
  }

  /// Returns null for a stale handle or a missing component.
  [[nodiscard]] T* try_get(Entity entity) const {
    MOBULA_CHECK(version_ == pool_->version() && slots_ == entities_->slots(),
                 "a lookup in " + pool_->instance_name() + " is used after a structural change");
    const std::uint32_t position = pages_.find(entity.index);
    if (position == Pool::none || !slots_.owns(entity)) return nullptr;
    if constexpr (!std::is_const_v<T>) table_.mark_changed(position);
    return table_.typed_address<T>(position);
  }
  /// Returns the component. Fails a check if the entity is dead or lacks it.
  [[nodiscard]] T& get(Entity entity) const {
    T* const found = try_get(entity);
    if (found == nullptr) [[unlikely]]
      misuse::nothing_to_get(entity, pool_->instance_name());
    return *found;
  }
  [[nodiscard]] bool has(Entity entity) const { return pool_->contains(entity.index) && entities_->valid(entity); }

 private:
  const EntityPool* entities_;
  Pool* pool_;
  EntityPool::Slots slots_;
  SparseSet::Pages pages_;
  Pool::Table table_;
  std::uint64_t version_;
};

}  // namespace mobula::ecs
