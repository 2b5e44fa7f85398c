// Roots of the entities that a world has itself, and not as ghosts of another zone.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <mobula/hierarchy/hierarchy.hpp>

namespace mobula::server {

/// Returns whether an entity lives, is no ghost, and has no living parent. Then it crosses to other zones by itself.
inline bool is_own_root(const ecs::Registry& registry, ecs::Entity entity) {
  if (!registry.valid(entity) || registry.entities().is_ghost(entity)) return false;
  const auto* const parent = registry.try_get<const engine::Parent>(entity);
  return parent == nullptr || !registry.valid(parent->entity);
}

}  // namespace mobula::server
