// The program mobula-compile as a function. A team with its own component compilers calls it from its own main, as
// server/examples/demo/compile_main.cpp does.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>
#include <string>

namespace mobula::resource {

struct CompileTool {
  core::ByteView schema;    // .bfbs, used unless --schema is given
  std::string schema_name;  // for --help, such as "the demo's"
  CompilerTable compilers = {};
};

/// Runs the program. Returns the exit status: 0 if done, 2 if the input was refused and nothing was written. Errors are
/// written to standard error.
int run_compile_tool(int argc, char** argv, const CompileTool& tool);

}  // namespace mobula::resource
