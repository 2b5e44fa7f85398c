// Place and rotation in the world of an entity, from the Transforms and Parents of a picture. A client composes what it
// draws so, and the server what it judges, so that both get the same bits.
//
// The rules are those of hierarchy/members.hpp. An entity whose Parent names none with a Transform is a root. So is one
// in a circle or deeper than max_depth.
#pragma once

#include <array>
#include <mobula/hierarchy/members.hpp>
#include <mobula/hierarchy/world_transform.hpp>
#include <optional>

namespace mobula::hierarchy {

/// Transform of an entity and what it is relative to.
struct Link {
  engine::Transform local;
  ecs::Entity parent;  ///< Null for a root.
};

/// Returns the Link of an entity in the pictures of `source` at a moment. Nothing if it had no Transform then.
///
/// A destroyed parent leaves at once, although its children have another parent only from their next state on. So
/// states whose parent has left are skipped. `source` has link_at(entity, tick), has(entity), and next_state(entity,
/// tick), the tick of the first state after a moment; 0 if there is none.
template <class Source>
std::optional<Link> link_of(const Source& source, ecs::Entity entity, double tick) {
  std::optional<Link> link = source.link_at(entity, tick);
  while (link && link->parent && !source.has(link->parent)) {
    const ecs::Tick next = source.next_state(entity, tick);
    if (next == 0) break;
    tick = next;
    link = source.link_at(entity, tick);
  }
  return link;
}

/// Returns place and rotation in the world. Nothing if the entity had no Transform then.
template <class Source>
std::optional<WorldTransform> compose_chain(const Source& source, ecs::Entity entity, double tick) {
  std::array<Link, max_depth> chain;
  std::size_t depth = 0;
  for (ecs::Entity at = entity; at; at = chain[depth++].parent) {
    const std::optional<Link> link = link_of(source, at, tick);
    if (!link) break;
    if (depth == chain.size()) {  // a circle, or too deep
      depth = 1;
      break;
    }
    chain[depth] = *link;
  }
  if (depth == 0) return std::nullopt;
  WorldTransform world{chain[depth - 1].local.position, chain[depth - 1].local.rotation};
  while (--depth > 0) world = compose(world, chain[depth - 1].local);
  return world;
}

}  // namespace mobula::hierarchy
