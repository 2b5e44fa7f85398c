// Component compiler of patrols.
#pragma once

#include <mobula/resource/compiler/component_compiler.hpp>

namespace demo {

/// Adds the compiler of "Patrol": {"points": [[x, y, z], …], "speed": 1.5}, with 2 to 1,000 points of the world.
void add_patrol_compiler(mobula::resource::CompilerTable& table);

}  // namespace demo
