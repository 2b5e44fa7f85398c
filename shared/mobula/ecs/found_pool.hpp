// Pool of an entity's component, as Registry::find() returns it.
#pragma once

#include <mobula/ecs/misuse.hpp>
#include <mobula/ecs/pool.hpp>

namespace mobula::ecs::misuse {

/// Returns the pool. Reports no_pool, which Registry::find() returns for an entity without the component.
inline PoolId found(Entity entity, PoolId pool) {
  if (pool == no_pool) [[unlikely]]
    nothing_found(entity);
  return pool;
}

}  // namespace mobula::ecs::misuse
