// Finds the pool of an engine component in a registry that may know another schema, or none.
#pragma once

#include <mobula/ecs/registry.hpp>

namespace mobula::hierarchy {

/// Returns the default pool of a component. Null unless the registry's type of that name is the schema's.
template <class T>
ecs::Pool* find_schema_pool(ecs::Registry& registry) {
  const ecs::ComponentType* type = registry.find_type(core::StringId32(T::component_name));
  return type != nullptr && type->schema && type->size == sizeof(T) ? &registry.pool<T>() : nullptr;
}

}  // namespace mobula::hierarchy
