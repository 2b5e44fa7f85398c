// Compiles every component of a scene and sorts the results into columns.
#pragma once

#include <mobula/resource/compiler/draft.hpp>
#include <mobula/resource/compiler/scene.hpp>
#include <mobula/resource/compiler/workshop.hpp>

namespace mobula::resource {

// check_only: whether references lead somewhere is not asked. A prefab that no one spawns by itself may point
// out of itself.
enum class References { resolve, check_only };

// Errors are told.
Draft assemble(const Scene& scene, const Prefabs& prefabs, Workshop& workshop, References references);

}  // namespace mobula::resource
