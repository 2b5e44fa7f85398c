// Compilers of the demo, which mobula-compile uses besides the schema.
#pragma once

#include <mobula/resource/compiler/component_compiler.hpp>

namespace demo {

/// Returns the compilers of Patrol (patrol_compiler.hpp) and Obstacle (obstacle_compiler.hpp).
mobula::resource::CompilerTable component_compilers();

}  // namespace demo
