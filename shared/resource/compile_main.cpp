// mobula-compile: JSON to a compiled resource file. Exit status 0: written; 2: refused, and nothing written.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/format.hpp>
#include <mobula/resource/compiler.hpp>
#include <mobula/resource/file.hpp>
#include <mobula/resource/limits.hpp>
#include <mobula/schema/components.hpp>
#include <string>

namespace {

using namespace mobula;

constexpr int refused = 2;

constexpr const char* examples = R"(
Examples:
  mobula-compile village.json -o village.level
  mobula-compile arena.json -o arena.level --schema my_components.bfbs
  mobula-compile village.json -o village.level --depfile village.level.d   (for make and ninja)

Errors are told as file:line:column: message, all of a run at once, on standard error.
)";

struct Arguments {
  std::string input;
  std::string output;
  std::string schema;
  std::string depfile;
};

void complain(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

core::Result<std::shared_ptr<const reflect::Schema>> load_schema(const std::string& path) {
  if (path.empty()) return reflect::Schema::load(demo::schema_bytes());
  const core::Result<core::Bytes> bytes = resource::read_file(path, resource::limits::source_bytes);
  if (!bytes) return bytes.error();
  core::Result<std::shared_ptr<const reflect::Schema>> schema = reflect::Schema::load(*bytes);
  if (!schema) return core::Error{schema.error().reason, path + ": " + schema.error().message};
  return schema;
}

std::string make_escaped(const std::string& path) {
  std::string escaped;
  for (const char c : path) {
    if (c == ' ' || c == '#' || c == '\\') escaped += '\\';
    if (c == '$') escaped += '$';
    escaped += c;
  }
  return escaped;
}

std::string depfile_text(const Arguments& arguments, const std::vector<std::string>& dependencies) {
  std::string text = make_escaped(arguments.output) + ":";
  for (const std::string& path : dependencies) text += " \\\n  " + make_escaped(path);
  if (!arguments.schema.empty()) text += " \\\n  " + make_escaped(arguments.schema);
  return text + "\n";
}

// Nothing that was read is written over, and no file is written twice.
core::Status check_outputs(const Arguments& arguments, std::vector<std::string> taken) {
  if (!arguments.schema.empty()) taken.push_back(arguments.schema);
  for (const std::string& output : {arguments.output, arguments.depfile}) {
    if (output.empty()) continue;  // no depfile
    for (const std::string& other : taken)
      if (resource::same_file(output, other))
        return core::Error{"not written",
                           core::format("{}: is the same file as {}; expected one of its own", output, other)};
    taken.push_back(output);
  }
  return core::Done{};
}

int run(const Arguments& arguments) {
  const auto schema = load_schema(arguments.schema);
  if (!schema) {
    complain(schema.error().message);
    return refused;
  }
  const resource::Compiled compiled = resource::compile(arguments.input, **schema);
  if (!compiled.errors.empty()) {
    for (const resource::CompileError& error : compiled.errors) complain(to_string(error));
    return refused;
  }
  const std::string depfile = depfile_text(arguments, compiled.dependencies);
  std::vector<resource::NewFile> files;
  if (!arguments.depfile.empty()) files.push_back({arguments.depfile, core::as_bytes(depfile.data(), depfile.size())});
  files.push_back({arguments.output, compiled.bytes});
  core::Status written = check_outputs(arguments, compiled.dependencies);
  if (written) written = resource::write_files(files);
  if (!written) {
    complain(written.error().message);
    return refused;
  }
  std::puts(core::format("{}: {} entities, {} spawnable prefabs, {} bytes", arguments.output, compiled.num_entities,
                         compiled.num_prefabs, compiled.bytes.size())
                .c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Compiles a level from JSON to the file that mobula-server loads.", "mobula-compile");
  app.footer(examples);
  const CLI::Validator named([](std::string& path) { return path.empty() ? "its name is empty" : ""; }, "");
  app.add_option("input", arguments.input, "the level's JSON")->required()->check(named)->type_name("IN.json");
  app.add_option("-o,--output", arguments.output, "the file to write")
      ->required()
      ->check(named)
      ->type_name("OUT.level");
  app.add_option("--schema", arguments.schema, "components to compile with; the demo's if not given")
      ->check(named)
      ->type_name("F.bfbs");
  app.add_option("--depfile", arguments.depfile, "also write what the output depends on, for make")
      ->check(named)
      ->type_name("F");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    complain(core::format("mobula-compile: {} (see --help)", error.what()));
    return refused;
  }
  return run(arguments);
}
