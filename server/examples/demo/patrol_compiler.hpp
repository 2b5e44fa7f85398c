// How the demo's own component sources become bytes: mobula-compile knows these besides the schema.
#pragma once

#include <mobula/resource/compiler/component_compiler.hpp>

namespace demo {

// "Patrol": {"points": [[x, y, z], …], "speed": 1.5}: at least two points, at most 1,000, of the world's.
mobula::resource::CompilerTable component_compilers();

}  // namespace demo
