// Arbitrary text as a level's source, followed by included files a.json, b.json …, each after a zero byte.
// A level that compiles can be loaded, and its decompiled JSON compiles to the same bytes. Otherwise there are errors.
#include <algorithm>
#include <fuzz/fuzz.hpp>
#include <mobula/resource/compiler/compiler.hpp>
#include <mobula/resource/compiler/decompile.hpp>
#include <mobula/resource/resource.hpp>
#include <mobula/schema/components.hpp>
#include <string_view>

namespace fuzz_level_json {

using namespace mobula;

namespace {

core::Result<std::string> part(std::string_view text, std::size_t number) {
  for (; number > 0; --number) {
    const std::size_t end = text.find('\0');
    if (end == std::string_view::npos) return core::Error{"missing", "no such file"};
    text.remove_prefix(end + 1);
  }
  return std::string(text.substr(0, text.find('\0')));
}

core::Result<std::string> read(std::string_view text, std::string_view path) {
  if (path == "level.json") return part(text, 0);
  if (path.size() == 6 && path.ends_with(".json") && path[0] >= 'a')
    return part(text, static_cast<std::size_t>(path[0] - 'a') + 1);
  return core::Error{"missing", "no such file"};
}

// Entities up to which a level is recompiled, which is slow for large grids.
constexpr std::uint32_t recompiled_max = 2000;

void require_same_recompiled(const resource::Resource& file, const reflect::Schema& schema) {
  const core::Result<std::string> json = resource::decompile(file, {});
  fuzz::require(json.ok(), "a compiled level can be decompiled");
  resource::CompileOptions options;
  options.read = [&](const std::string& /*path*/) { return json; };
  const resource::Compiled again = resource::compile("level.json", schema, options);
  fuzz::require(again.errors.empty(), "its JSON compiles");
  fuzz::require(std::ranges::equal(again.bytes, file.bytes()), "to the same bytes");
}

int run_target(const std::uint8_t* data, std::size_t size) {
  static const std::shared_ptr<const reflect::Schema> schema = *reflect::Schema::load(demo::schema_bytes());
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  resource::CompileOptions options;
  options.read = [&](const std::string& path) { return read(text, path); };
  const resource::Compiled compiled = resource::compile("level.json", *schema, options);
  fuzz::require(compiled.errors.empty() == !compiled.bytes.empty(), "bytes or errors");
  for (const resource::CompileError& error : compiled.errors)
    fuzz::require(!error.file.empty() && !error.message.empty(), "an error has a file and a message");
  if (compiled.bytes.empty()) return 0;
  const auto loaded = resource::Resource::from_bytes(compiled.bytes);
  fuzz::require(loaded.ok(), "a compiled level can be loaded");
  fuzz::require((*loaded)->level().num_entities == compiled.num_entities, "with the same number of entities");
  if (compiled.num_entities <= recompiled_max) require_same_recompiled(**loaded, *schema);
  return 0;
}

const mobula::fuzz::Target target("level_json", run_target);

}  // namespace
}  // namespace fuzz_level_json
