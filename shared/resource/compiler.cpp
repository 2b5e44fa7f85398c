#include <mobula/core/format.hpp>
#include <mobula/resource/assemble.hpp>
#include <mobula/resource/compiler.hpp>
#include <mobula/resource/file.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {
namespace {

core::Result<std::string> read_from_disc(const std::string& path) {
  const core::Result<core::Bytes> bytes = read_file(path, limits::source_bytes);
  if (!bytes)
    return core::Error{bytes.error().reason, bytes.error().message.substr(path.size() + 2)};  // without "path: "
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

// Every prefab is compiled, so that mistakes in one are told before it is used.
void compile_prefabs(Prefabs& prefabs, Workshop& workshop, DraftFile& file) {
  for (const auto& [name, spawnable] : prefabs.names()) {
    const Node* node = prefabs.find(name, {});
    if (node == nullptr) continue;
    Scene scene(prefabs, workshop.diagnostics);
    scene.add_prefab(*node);
    if (spawnable) {
      file.prefabs[workshop.names.intern(name, node->place)] = assemble(scene, prefabs, workshop, References::resolve);
    } else {
      NameTable unused(workshop.diagnostics);
      Workshop trial{workshop.schema, workshop.diagnostics, unused, {}};
      static_cast<void>(assemble(scene, prefabs, trial, References::check_only));
    }
  }
}

std::size_t bytes_of(const Draft& draft) {
  std::size_t bytes = 0;
  for (const auto& [key, column] : draft.columns) bytes += column.data.size();
  return bytes;
}

// FlatBuffers cannot build what is much larger; the rest of a file is small beside the columns.
bool too_large(const DraftFile& file) {
  std::size_t bytes = bytes_of(file.level);
  for (const auto& [name, prefab] : file.prefabs) bytes += bytes_of(prefab);
  return bytes > limits::file_bytes;
}

}  // namespace

Compiled compile(const std::string& path, const reflect::Schema& schema, const CompileOptions& options) {
  Compiled result;
  Diagnostics diagnostics;
  const Sources sources = load_sources(path, options.read ? options.read : read_from_disc, diagnostics);
  result.dependencies = sources.paths;
  Prefabs prefabs(sources, schema, options.compilers, diagnostics);
  if (!prefabs.fit(sources)) {
    result.errors = diagnostics.errors();
    return result;
  }
  NameTable names(diagnostics);
  Workshop workshop{schema, diagnostics, names, {}};
  DraftFile file{.schema = schema.bytes(), .names = {}, .level = {}, .prefabs = {}};
  compile_prefabs(prefabs, workshop, file);
  Scene level(prefabs, diagnostics);
  level.add_level(sources);
  file.level = assemble(level, prefabs, workshop, References::resolve);
  result.errors = diagnostics.errors();
  if (!result.errors.empty()) return result;
  file.names = names.all();
  result.num_entities = file.level.num_entities();
  result.num_prefabs = static_cast<std::uint32_t>(file.prefabs.size());
  if (!too_large(file)) result.bytes = write_resource(file);
  if (result.bytes.empty() || result.bytes.size() > limits::file_bytes) {
    result.errors.push_back({path, 0, 0, core::format("makes more than {} bytes", limits::file_bytes)});
    result.bytes.clear();
  }
  return result;
}

}  // namespace mobula::resource
