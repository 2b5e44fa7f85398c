// Compiles every component of a scene and sorts the results into columns.
#pragma once

#include <mobula/resource/compiler/scene.hpp>
#include <mobula/resource/compiler/workshop.hpp>
#include <mobula/resource/draft.hpp>

namespace mobula::resource {

/// check_only does not resolve references. A prefab that is never spawned by itself may refer to entities outside of
/// it.
enum class References { resolve, check_only };

/// Compiles a scene. Errors are reported to the workshop's diagnostics.
Draft assemble(const Scene& scene, const Prefabs& prefabs, Workshop& workshop, References references);

}  // namespace mobula::resource
