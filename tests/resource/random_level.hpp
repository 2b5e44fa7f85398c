// Random levels as JSON, for property tests.
#pragma once

#include <mobula/core/random.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>
#include <string>

namespace mobula::test {

// Returns a schema text for load_schema: components with fields of all kinds, some of them hidden.
std::string random_level_schema(core::Random& random);

// Returns compilers of the random levels' components: Route, which is not a struct, and Owned, which is one.
resource::CompilerTable random_level_compilers();

// Returns a level with children, attached and hidden entities, references, spawnable prefabs, placements, statics and
// columns in hex.
std::string random_level(const reflect::Schema& schema, core::Random& random);

}  // namespace mobula::test
