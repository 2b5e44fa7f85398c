// What mobula-compile does, once its command line is read. Each job returns the exit status.
#pragma once

#include <mobula/resource/compiler/compile_tool.hpp>
#include <string>

namespace mobula::resource {

// Names of files; empty: none.
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
  std::string output;  // none: standard output
  std::string schema_to;
};

int run(const CompileJob& job, const CompileTool& tool);
int run(const InspectJob& job, const CompileTool& tool);
int run(const DecompileJob& job, const CompileTool& tool);

inline constexpr int refused = 2;

// A line on standard error.
void complain(const std::string& line);

}  // namespace mobula::resource
