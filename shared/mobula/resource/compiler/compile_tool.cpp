#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <filesystem>
#include <mobula/core/format.hpp>
#include <mobula/process/command_line.hpp>
#include <mobula/resource/compiler/compile_jobs.hpp>

namespace mobula::resource {
namespace {

constexpr const char* compile_footer = R"(
Commands on what was compiled, each with its own --help:
  {0} inspect F     print what a compiled level has
  {0} decompile F   print it as JSON

Examples:
  {0} village.json -o village.level
  {0} arena.json -o arena.level --schema my_components.bfbs
  {0} village.json -o village.level --depfile village.level.d   (for make and ninja)

All errors of a run are printed on standard error as file:line:column: message.
)";

constexpr const char* inspect_footer = R"(
Examples:
  {0} village.level
  {0} village.level --json | jq '.level.columns[] | {{name, bytes}}'
)";

constexpr const char* decompile_footer = R"(
Examples:
  {0} village.level
  {0} village.level -o village.json --schema-to village.bfbs

The same program makes the same bytes of it, with --schema village.bfbs if its own schema is another one. Entities are
written in full: a compiled file does not contain unspawnable prefabs, includes and placements.
)";

CLI::Option* add_file(CLI::App& app, const char* option, std::string& path, const char* type, const std::string& what) {
  return app.add_option(option, path, what)->type_name(type);
}

// Adds options that write to the job, which has to live until they are parsed.
void add_options(CLI::App& app, CompileJob& job, const CompileTool& tool) {
  app.description("Compiles a level from JSON to the file that mobula-server loads.");
  app.footer(core::format(compile_footer, app.get_name()));
  add_file(app, "input", job.input, "IN.json", "the level's JSON")->required();
  add_file(app, "-o,--output", job.output, "OUT.level", "the file to write")->required();
  add_file(app, "--schema", job.schema, "F.bfbs",
           core::format("components to compile with; {} if not given", tool.schema_name));
  add_file(app, "--depfile", job.depfile, "F", "also write what the output depends on, for make");
}

void add_options(CLI::App& app, InspectJob& job, const CompileTool& /*tool*/) {
  app.description("Describes a compiled level, or the part of it that clients keep.");
  app.footer(core::format(inspect_footer, app.get_name()));
  add_file(app, "file", job.input, "F.level", "the compiled level")->required();
  app.add_flag("--json", job.json, "print JSON instead of a table");
}

void add_options(CLI::App& app, DecompileJob& job, const CompileTool& /*tool*/) {
  app.description("Turns a compiled level back into JSON that compiles to the same bytes.");
  app.footer(core::format(decompile_footer, app.get_name()));
  add_file(app, "file", job.input, "F.level", "the compiled level")->required();
  add_file(app, "-o,--output", job.output, "OUT.json", "the file to write; standard output if not given");
  add_file(app, "--schema-to", job.schema_to, "F.bfbs", "also write the schema that the file was compiled with");
}

template <class Job>
int parse_and_run(const std::string& name, int argc, const char* const* argv, const CompileTool& tool) {
  Job job;
  CLI::App app("", name);
  add_options(app, job, tool);
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  return run(job, tool);
}

struct Command {
  std::string_view name;
  int (*run)(const std::string& name, int argc, const char* const* argv, const CompileTool& tool);
};

// Anything else runs the compiler.
constexpr std::array<Command, 2> commands{{
    {"inspect", parse_and_run<InspectJob>},
    {"decompile", parse_and_run<DecompileJob>},
}};

}  // namespace

int run_compile_tool(int argc, char** argv, const CompileTool& tool) {
  const std::string program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "mobula-compile";
  for (const Command& command : commands)
    if (argc > 1 && command.name == argv[1])
      return command.run(core::format("{} {}", program, command.name), argc - 1, argv + 1, tool);
  return parse_and_run<CompileJob>(program, argc, argv, tool);
}

}  // namespace mobula::resource
