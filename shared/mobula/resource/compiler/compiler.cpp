#include <mobula/core/format.hpp>
#include <mobula/process/complete_files.hpp>
#include <mobula/resource/compiler/assemble.hpp>
#include <mobula/resource/compiler/compiler.hpp>
#include <mobula/resource/compiler/drafted_level.hpp>
#include <mobula/resource/compiler/raw_parts.hpp>
#include <mobula/resource/compiler/split.hpp>
#include <mobula/resource/limits.hpp>

namespace mobula::resource {
namespace {

// A pipe that is included by mistake would keep the compiler waiting.
core::Result<std::string> read_from_disc(const std::string& path) {
  const core::Result<core::Bytes> bytes = process::read_regular_file(path, limits::source_bytes);
  if (!bytes)
    return core::Error{bytes.error().reason, bytes.error().message.substr(path.size() + 2)};  // without "path: "
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

// Splits a level or prefab into both parts of the file.
void put(Draft draft, const reflect::Schema& schema, Draft& clients, Draft& server) {
  SplitDraft parts = split(std::move(draft), schema);
  clients = std::move(parts.clients);
  server = std::move(parts.server);
}

void compile_spawnable(const Node& node, const std::string& name, Prefabs& prefabs, Workshop& workshop,
                       DraftFile& file) {
  Scene scene(prefabs, workshop.diagnostics);
  scene.add_prefab(node);
  Draft draft = assemble(scene, prefabs, workshop, References::resolve);
  if (const JsonValue* columns = prefabs.source(name).find("columns")) read_columns(*columns, scene, workshop, draft);
  const core::StringId32 id =
      workshop.names.intern(name, node.place, node.server_only ? Audience::server : Audience::everyone);
  put(std::move(draft), workshop.schema, file.clients.prefabs[id], file.server.prefabs[id]);
}

// Compiles every prefab, so that its mistakes are reported before it is used.
void compile_prefabs(Prefabs& prefabs, Workshop& workshop, DraftFile& file) {
  for (const auto& [name, spawnable] : prefabs.names()) {
    const Node* node = prefabs.find(name, {});
    if (node == nullptr) continue;
    if (spawnable) {
      compile_spawnable(*node, name, prefabs, workshop, file);
      continue;
    }
    if (const JsonValue* columns = prefabs.source(name).find("columns"))
      workshop.diagnostics.error(columns->place, "only a spawnable prefab has columns; expected \"spawnable\": true");
    Scene scene(prefabs, workshop.diagnostics);
    scene.add_prefab(*node);
    NameTable no_names(workshop.diagnostics);
    StaticTable no_statics(workshop.diagnostics);
    Workshop trial{workshop.schema, workshop.diagnostics, no_names, no_statics, {}};
    static_cast<void>(assemble(scene, prefabs, trial, References::check_only));
  }
}

// Level compilers see no level with errors, whose columns may be incomplete.
void run_level_compilers(const CompilerTable& compilers, const Draft& draft, Workshop& workshop) {
  if (compilers.level_compilers().empty() || !workshop.diagnostics.errors().empty()) return;
  DraftedLevel level(draft, workshop);
  for (const LevelCompiler& compile : compilers.level_compilers()) compile(level);
}

void compile_level(const Sources& sources, const CompilerTable& compilers, Prefabs& prefabs, Workshop& workshop,
                   DraftFile& file) {
  Scene scene(prefabs, workshop.diagnostics);
  scene.add_level(sources);
  Draft draft = assemble(scene, prefabs, workshop, References::resolve);
  for (const std::unique_ptr<JsonValue>& document : sources.documents) {
    if (const JsonValue* names = document->find("names")) read_names(*names, workshop);
    if (const JsonValue* statics = document->find("statics")) read_statics(*statics, workshop);
    if (const JsonValue* columns = document->find("columns")) read_columns(*columns, scene, workshop, draft);
  }
  run_level_compilers(compilers, draft, workshop);
  put(std::move(draft), workshop.schema, file.clients.level, file.server.level);
}

std::size_t bytes_of(const DraftPart& part) {
  std::size_t bytes = 0;
  for (const auto& [id, each] : part.statics) bytes += each.data.size();
  for (const auto& [key, column] : part.level.columns) bytes += column.data.size();
  for (const auto& [name, prefab] : part.prefabs)
    for (const auto& [key, column] : prefab.columns) bytes += column.data.size();
  return bytes;
}

// Writes the file unless it is too large for FlatBuffers. The rest of a file is small compared with its columns.
core::Result<core::Bytes> write(const DraftFile& file) {
  const core::Error too_large{"too large", core::format("makes more than {} bytes", limits::file_bytes)};
  if (bytes_of(file.clients) + bytes_of(file.server) > limits::file_bytes) return too_large;
  core::Bytes bytes = write_resource(file);
  if (bytes.size() > limits::file_bytes) return too_large;
  // Registered compilers and columns in hex may contain invalid values.
  const auto loaded = Resource::from_bytes(bytes);
  if (!loaded) return core::Error{loaded.error().reason, "makes a file that is refused: " + loaded.error().message};
  return bytes;
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
  StaticTable statics(diagnostics);
  Workshop workshop{schema, diagnostics, names, statics, {}};
  DraftFile file{.schema = schema.bytes(), .clients = {}, .server = {}};
  compile_prefabs(prefabs, workshop, file);
  compile_level(sources, options.compilers, prefabs, workshop, file);
  result.errors = diagnostics.errors();
  if (!result.errors.empty()) return result;
  for (const auto& [part, audience] :
       {std::pair(&file.clients, Audience::everyone), std::pair(&file.server, Audience::server)}) {
    part->names = names.of(audience);
    part->statics = statics.of(audience);
  }
  core::Result<core::Bytes> bytes = write(file);
  if (!bytes) {
    result.errors.push_back({path, 0, 0, bytes.error().message});
    return result;
  }
  result.bytes = std::move(*bytes);
  result.num_entities = file.clients.level.num_entities();
  result.num_prefabs = static_cast<std::uint32_t>(file.clients.prefabs.size());
  return result;
}

}  // namespace mobula::resource
