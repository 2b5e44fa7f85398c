// Compilers of obstacles: of each component, and of the static "Obstacles" that the rules read.
#pragma once

#include <mobula/resource/compiler/component_compiler.hpp>

namespace demo {

/// Adds the compiler of "Obstacle": {"radius": 0.4, "height": 6}, a cylinder, or {"half_x": 2, "half_z": 1}, a box of
/// the entity's direction. It stands on the entity's place. Prefabs that are spawned later are no obstacles.
void add_obstacle_compiler(mobula::resource::CompilerTable& table);

}  // namespace demo
