// Any bytes as the payload of a resource file; size and hash are made to fit, so that they are looked at. A file that
// is accepted spawns, level and prefabs.
#include <fuzz/fuzz.hpp>
#include <mobula/core/content_hash.hpp>
#include <mobula/resource/header.hpp>
#include <mobula/resource/spawner.hpp>

using namespace mobula;

namespace {

core::Bytes file_of(core::ByteView payload) {
  core::Bytes file(resource::header::size + payload.size());
  std::copy(payload.begin(), payload.end(), file.begin() + resource::header::size);
  std::copy(resource::header::magic.begin(), resource::header::magic.end(), reinterpret_cast<char*>(file.data()));
  core::store(file.data() + resource::header::version_offset, resource::format_version);
  core::store(file.data() + resource::header::payload_size_offset, std::uint64_t{payload.size()});
  core::store(file.data() + resource::header::hash_offset, core::content_hash(payload));
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto loaded = resource::Resource::from_bytes(file_of(fuzz::view(data, size)));
  if (!loaded) return 0;
  const resource::Resource& file = **loaded;
  ecs::Registry registry;
  if (!reflect::register_components(registry, file.schema())) return 0;
  core::Result<resource::Spawner> spawner = resource::Spawner::bind(registry, file.schema(), *loaded);
  if (!spawner) return 0;
  const auto level = spawner->spawn_level();
  fuzz::require(level.ok() && level->count == file.level().num_entities, "a bound level spawns");
  for (const core::StringId32 prefab : file.prefab_names())
    fuzz::require(spawner->spawn_prefab(prefab).ok(), "a bound prefab spawns");
  registry.check();
  registry.destroy_range(*level);
  registry.check();
  return 0;
}
