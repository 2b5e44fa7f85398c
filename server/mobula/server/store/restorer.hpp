// Restores a saved world into a registry. A world of another schema is migrated field by field.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <mobula/server/store/world_reader.hpp>

namespace mobula::store {

struct Restored {
  std::vector<std::string> notes;  // sentences about what the migration changed
};

/// Restores all entities with their handles. Free indices get new generations of the registry's incarnation.
/// The registry must be empty, with the schema's components registered. All components count as changed.
/// Errors: those of ecs::load_saved; the registry is unchanged then.
core::Result<Restored> restore_world(const SavedWorld& world, const reflect::Schema& schema, ecs::Registry& registry);

}  // namespace mobula::store
