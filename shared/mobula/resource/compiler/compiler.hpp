// JSON to resource file: sources -> prefabs -> scene -> components -> bytes. docs/levels.md documents the JSON. A run
// reports all its errors. The same input makes the same bytes on every machine.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>
#include <mobula/resource/compiler/diagnostics.hpp>
#include <mobula/resource/compiler/sources.hpp>
#include <string>
#include <vector>

namespace mobula::resource {

struct CompileOptions {
  CompilerTable compilers = {};
  ReadSource read = {};  // reads from disk if empty
};

struct Compiled {
  core::Bytes bytes;  // empty if there are errors
  std::vector<CompileError> errors;
  std::vector<std::string> dependencies;  // every file that was requested, in order
  std::uint32_t num_entities = 0;         // entities of the level
  std::uint32_t num_prefabs = 0;          // spawnable ones
};

/// Compiles a level file.
Compiled compile(const std::string& path, const reflect::Schema& schema, const CompileOptions& options = {});

}  // namespace mobula::resource
