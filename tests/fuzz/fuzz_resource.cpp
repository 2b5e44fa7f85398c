// Arbitrary bytes as the payloads of a resource file. The first four bytes are the offset of the server's part. Sizes
// and hashes are corrected, so that the payloads are parsed. An accepted file can be inspected and spawned.
#include <algorithm>
#include <fuzz/fuzz.hpp>
#include <mobula/resource/compiler/decompile.hpp>
#include <mobula/resource/compiler/inspect.hpp>
#include <mobula/resource/spawner.hpp>
#include <resource/sealed_file.hpp>

namespace fuzz_resource {

using namespace mobula;

namespace {

core::Bytes file_of(core::ByteView input) {
  if (input.size() < 4) return {};
  const core::ByteView rest = input.subspan(4);
  const core::ByteView clients =
      rest.first(std::min<std::size_t>(core::load<std::uint32_t>(input.data()), rest.size()));
  const core::ByteView server = rest.subspan(clients.size());
  return test::sealed(test::Payloads{{clients.begin(), clients.end()}, {server.begin(), server.end()}});
}

int run_target(const std::uint8_t* data, std::size_t size) {
  const auto loaded = resource::Resource::from_bytes(file_of(fuzz::view(data, size)));
  if (!loaded) return 0;
  const resource::Resource& file = **loaded;
  fuzz::require(!resource::inspect_table(file, "f").empty() && !resource::inspect_json(file, "f").empty(),
                "an accepted file can be inspected");
  const core::Result<std::string> json = resource::decompile(file, {});
  fuzz::require(json.ok() || !json.error().message.empty(), "JSON or a message");
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

const mobula::fuzz::Target target("resource", run_target);

}  // namespace
}  // namespace fuzz_resource
