// Component compilers of the demo, which mobula-compile uses besides the schema.
#pragma once

#include <mobula/resource/compiler/component_compiler.hpp>

namespace demo {

/// Returns the compiler of "Patrol": {"points": [[x, y, z], …], "speed": 1.5}, with 2 to 1,000 points of the world.
mobula::resource::CompilerTable component_compilers();

}  // namespace demo
