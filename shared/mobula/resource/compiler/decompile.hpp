// A resource file back to JSON that compiles to the same bytes, both parts of it. Each entity is written whole:
// prefabs that nobody spawns, includes and placements have left no trace in the file.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>
#include <mobula/resource/resource.hpp>
#include <string>

namespace mobula::resource {

// With the file's schema and these compilers. Columns of types that have a compiler in the table, or no struct in the
// schema, and all that fields cannot say, are written in hex.
// Reasons: "incomplete" (a client's copy does not know what entities are called), "invalid" (no compiler of ours makes
// such a file). Other files that we did not make may give JSON that makes other bytes, or is refused.
core::Result<std::string> decompile(const Resource& file, const CompilerTable& compilers);

}  // namespace mobula::resource
