// Jobs of mobula-compile, run after its command line is parsed. Each returns the exit status.
#pragma once

#include <mobula/resource/compiler/compile_tool.hpp>
#include <string>

namespace mobula::resource {

/// File names. Empty if not given.
struct CompileJob {
  std::string input;
  std::string output;
  std::string schema;
  std::string depfile;
};

struct InspectJob {
  std::string input;
  bool json = false;
};

struct DecompileJob {
  std::string input;
  std::string output;  // standard output if empty
  std::string schema_to;
};

int run(const CompileJob& job, const CompileTool& tool);
int run(const InspectJob& job, const CompileTool& tool);
int run(const DecompileJob& job, const CompileTool& tool);

inline constexpr int refused = 2;

/// Writes a line to standard error.
void print_error(const std::string& line);

}  // namespace mobula::resource
