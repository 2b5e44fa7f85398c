// References in schema components, when a reload of the level removes entities that they name.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/game/level.hpp>

namespace mobula::server {

/// Makes each field of kind entity that names a removed entity name its successor, or null without one. Writes only
/// these components. Leaves out the components of removed entities, and Parents, which follow the hierarchy's rules.
void follow_references(ecs::Registry& registry, const reflect::Schema& schema, const LevelChange& change);

}  // namespace mobula::server
