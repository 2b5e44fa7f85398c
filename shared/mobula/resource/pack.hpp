// Living entities as a resource: the columns of a compiled level, made from a registry. So entities that leave a world
// are checked, migrated and spawned elsewhere by the code that does it for levels.
#pragma once

#include <cstddef>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <span>
#include <vector>

namespace mobula::resource {

/// Maximum number of kinds of components in a pack, by type and instance name.
inline constexpr std::size_t pack_columns_max = 256;

/// Packs entities. Returns the bytes of a resource file, whose level has them in their order. Requires that they are
/// alive and distinct. `schema` is the registry's.
/// - A handle of an entity that is not among them becomes null. If `others` is given, it receives these handles, each
///   once. The pack then has an entity without components for each, after the packed ones, to which fields refer.
/// - Server-only components, and those that the schema marks `not_saved`, are left out, as in a save. Fields with that
///   mark get their default.
/// - Values that the schema forbids become the nearest valid ones, or their defaults.
/// Errors: "too large", with the limit (limits.hpp, pack_columns_max).
core::Result<core::Bytes> pack(const ecs::Registry& registry, const reflect::Schema& schema,
                               std::span<const ecs::Entity> entities, std::vector<ecs::Entity>* others = nullptr);

}  // namespace mobula::resource
