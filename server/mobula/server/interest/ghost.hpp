// Copy of an entity that another zone of the world has (zones/ghosts.hpp).
#pragma once

#include <mobula/ecs/pool.hpp>

namespace mobula::server {

/// On each ghost: a server-only component. The systems of a schedule leave ghosts out. Other code that changes entities
/// excludes it: ghosts that differ from their original are corrected.
struct Ghost {
  std::uint32_t neighbour = 0;  // number of the zone that has the entity
  ecs::Tick ends = 0;           // 0 while that zone shows it
};

}  // namespace mobula::server
