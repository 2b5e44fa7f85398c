// Arbitrary bytes as a snapshot of a registry, and the same with corrected length and checksum. A refused snapshot
// changes nothing. A loaded registry is consistent, and its own snapshot loads as the same.
//
//   input: u8 recycling policy, the snapshot
#include <ecs/snapshot_seal.hpp>
#include <ecs/snapshot_world.hpp>
#include <fuzz/fuzz.hpp>

namespace fuzz_snapshot {

using namespace mobula;

namespace {

ecs::RegistryConfig config_of(unsigned which) {
  ecs::RegistryConfig config = ecs::test::config_of(static_cast<ecs::Recycling>(which % 3));
  config.entities.entities_max = 1u << 16;
  return config;
}

void load(core::ByteView bytes, const ecs::RegistryConfig& config) {
  ecs::test::OddWorld world(config);
  if (!ecs::load_snapshot(bytes, world)) {
    fuzz::require(world.pool_count() == 0 && world.prototypes().size() == 1 && world.journal().empty() &&
                      world.entities().index_end() == 0,
                  "a refused snapshot changes nothing");
    return;
  }
  world.check();
  const core::Bytes saved = ecs::test::saved(world);
  ecs::test::OddWorld second(config);
  fuzz::require(ecs::load_snapshot(saved, second).ok(), "a loaded registry can be saved and loaded");
  fuzz::require(ecs::test::saved(second) == saved, "and stays the same");
  ecs::test::churn(world, 1, 40);
  world.check();
}

int run_target(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(fuzz::view(data, size));
  const ecs::RegistryConfig config = config_of(input.byte());
  const core::ByteView view = input.bytes(size);
  core::Bytes bytes(view.begin(), view.end());
  load(bytes, config);
  ecs::test::reseal(bytes);
  load(bytes, config);
  return 0;
}

const mobula::fuzz::Target target("snapshot", run_target);

}  // namespace
}  // namespace fuzz_snapshot
