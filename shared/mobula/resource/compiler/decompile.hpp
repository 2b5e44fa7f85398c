// Converts a resource file back to JSON that compiles to the same bytes, both parts of it. Each entity is written in
// full, because the file does not contain unspawnable prefabs, includes and placements.
#pragma once

#include <mobula/core/result.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>
#include <mobula/resource/resource.hpp>
#include <string>

namespace mobula::resource {

/// Converts a file with its own schema and these compilers. Columns with a compiler in the table or without a struct in
/// the schema are written in hex, as are data that fields cannot express.
/// Errors: "incomplete" (a client's copy lacks entity names), "invalid" (not made by this compiler). A file of another
/// compiler may give JSON that makes other bytes or is refused.
core::Result<std::string> decompile(const Resource& file, const CompilerTable& compilers);

}  // namespace mobula::resource
