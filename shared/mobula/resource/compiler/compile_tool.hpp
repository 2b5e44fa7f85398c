// The program mobula-compile, as a function: a team whose components have compilers of their own makes a main of three
// lines with it, like server/examples/demo/compile_main.cpp.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/resource/compiler/component_compiler.hpp>
#include <string>

namespace mobula::resource {

struct CompileTool {
  core::ByteView schema;    // .bfbs: what is compiled with unless --schema says otherwise
  std::string schema_name;  // for --help: "the demo's"
  CompilerTable compilers = {};
};

// The exit status: 0: done; 2: refused, and nothing written. What is wrong is told on standard error.
int run_compile_tool(int argc, char** argv, const CompileTool& tool);

}  // namespace mobula::resource
