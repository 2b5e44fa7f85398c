#include <algorithm>
#include <cstdio>
#include <mobula/core/content_hash.hpp>
#include <mobula/core/format.hpp>
#include <mobula/process/complete_files.hpp>
#include <mobula/process/standard_output.hpp>
#include <mobula/resource/compiler/compile_jobs.hpp>
#include <mobula/resource/compiler/compiler.hpp>
#include <mobula/resource/compiler/decompile.hpp>
#include <mobula/resource/compiler/inspect.hpp>
#include <mobula/resource/files/resource_file.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {
namespace {

int refuse(const core::Error& error) {
  print_error(error.message);
  return refused;
}

int print(const std::string& text) {
  process::print(text);
  const core::Status written = process::printed();
  return written ? 0 : refuse(written.error());
}

core::ByteView bytes_of(const std::string& text) { return core::as_bytes(text.data(), text.size()); }

core::Result<std::shared_ptr<const reflect::Schema>> load_schema(const std::string& path, core::ByteView otherwise) {
  if (path.empty()) return reflect::Schema::load(otherwise);
  const core::Result<core::Bytes> bytes = process::read_file(path, limits::source_bytes);
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

std::string depfile_text(const CompileJob& job, const std::vector<std::string>& dependencies) {
  std::string text = make_escaped(job.output) + ":";
  for (const std::string& path : dependencies) text += " \\\n  " + make_escaped(path);
  if (!job.schema.empty()) text += " \\\n  " + make_escaped(job.schema);
  return text + "\n";
}

// Writes the named files. Refuses to overwrite an input, or to write a file twice.
core::Status write_outputs(std::vector<process::NewFile> outputs, std::vector<std::string> taken) {
  std::erase_if(outputs, [](const process::NewFile& output) { return output.path.empty(); });
  for (const process::NewFile& output : outputs) {
    for (const std::string& other : taken)
      if (!other.empty() && process::same_file(output.path, other))
        return core::Error{"not written",
                           core::format("{}: is the same file as {}; expected one of its own", output.path, other)};
    taken.push_back(output.path);
  }
  return process::write_files(outputs);
}

// Returns the tool's compilers for its own schema, none for another.
CompilerTable compilers_for(const CompileTool& tool, const reflect::Schema& schema) {
  return schema.fingerprint() == core::content_hash(tool.schema) ? tool.compilers : CompilerTable();
}

// Compiles the JSON again. Returns why the result differs from the file, or nothing.
std::string difference(const std::string& json, const Resource& file, const CompilerTable& compilers) {
  if (json.size() > limits::source_bytes)
    return core::format("is larger than a source may be: {} bytes", limits::source_bytes);
  const CompileOptions options{.compilers = compilers,
                               .read = [&json](const std::string&) -> core::Result<std::string> { return json; }};
  const Compiled again = compile("decompiled", file.schema(), options);
  if (!again.errors.empty()) return "does not compile again: " + to_string(again.errors.front());
  return std::ranges::equal(again.bytes, file.bytes()) ? "" : "differs when compiled again";
}

}  // namespace

void print_error(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

int run(const CompileJob& job, const CompileTool& tool) {
  const auto schema = load_schema(job.schema, tool.schema);
  if (!schema) return refuse(schema.error());
  const Compiled compiled = compile(job.input, **schema, {.compilers = compilers_for(tool, **schema)});
  for (const CompileError& error : compiled.errors) print_error(to_string(error));
  if (!compiled.errors.empty()) return refused;
  const std::string depfile = depfile_text(job, compiled.dependencies);
  std::vector<std::string> taken = compiled.dependencies;
  taken.push_back(job.schema);
  const core::Status written =
      write_outputs({{job.output, compiled.bytes}, {job.depfile, bytes_of(depfile)}}, std::move(taken));
  if (!written) return refuse(written.error());
  return print(core::format("{}: {} entities, {} spawnable prefabs, {} bytes\n", job.output, compiled.num_entities,
                            compiled.num_prefabs, compiled.bytes.size()));
}

int run(const InspectJob& job, const CompileTool& /*tool*/) {
  const auto file = load_file(job.input);
  if (!file) return refuse(file.error());
  return print(job.json ? inspect_json(**file, job.input) : inspect_table(**file, job.input));
}

int run(const DecompileJob& job, const CompileTool& tool) {
  const auto file = load_file(job.input);
  if (!file) return refuse(file.error());
  const CompilerTable compilers = compilers_for(tool, (*file)->schema());
  const core::Result<std::string> json = decompile(**file, compilers);
  if (!json) return refuse({json.error().reason, job.input + ": " + json.error().message});
  if (const std::string differs = difference(*json, **file, compilers); !differs.empty())
    print_error(core::format("{}: {}", job.input, differs));
  const core::Status written =
      write_outputs({{job.output, bytes_of(*json)}, {job.schema_to, (*file)->schema().bytes()}}, {job.input});
  if (!written) return refuse(written.error());
  if (job.output.empty()) return print(*json);
  return print(core::format("{}: {} entities, {} spawnable prefabs\n", job.output, (*file)->level().num_entities,
                            (*file)->prefab_names().size()));
}

}  // namespace mobula::resource
