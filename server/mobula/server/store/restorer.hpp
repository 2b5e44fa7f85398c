// A saved world into a registry: by the schema of now, field by field where it was saved by another.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <mobula/server/store/world_reader.hpp>

namespace mobula::store {

struct Restored {
  std::vector<std::string> notes;  // what is not as it was saved, since the schema has moved on: sentences
};

// All handles are what they were, and whatever is free gets new ones of the registry's incarnation. The registry has no
// entities, and the schema's components are registered. Readers see everything as new. Reasons: those of
// ecs::load_saved; then the registry is as it was.
core::Result<Restored> restore_world(const SavedWorld& world, const reflect::Schema& schema, ecs::Registry& registry);

}  // namespace mobula::store
