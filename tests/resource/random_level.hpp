// Levels nobody thought of: the JSON of one, for what must hold for all of them.
#pragma once

#include <mobula/core/random.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>
#include <string>

namespace mobula::test {

// Schema text for load_schema: components with all kinds of fields, hidden ones too.
std::string random_level_schema(core::Random& random);

// Compilers of the random levels' components Route, which is no struct, and Owned, which is one.
resource::CompilerTable random_level_compilers();

// A level with children, attached and hidden entities, references, spawnable prefabs, placements, statics and columns
// in hex.
std::string random_level(const reflect::Schema& schema, core::Random& random);

}  // namespace mobula::test
