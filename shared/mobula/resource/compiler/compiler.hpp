// JSON to resource file: sources -> prefabs -> scene -> components -> bytes. levels.md shows what is written.
// Every error of a run is told at once. Same input, same bytes, on every machine.
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
  ReadSource read = {};  // empty: files on disc
};

struct Compiled {
  core::Bytes bytes;  // empty if there are errors
  std::vector<CompileError> errors;
  std::vector<std::string> dependencies;  // every file that was asked for, the first one first
  std::uint32_t num_entities = 0;         // of the level
  std::uint32_t num_prefabs = 0;          // spawnable
};

Compiled compile(const std::string& path, const reflect::Schema& schema, const CompileOptions& options = {});

}  // namespace mobula::resource
