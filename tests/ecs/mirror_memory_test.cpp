// Memory of a registry configured for a mirror: few entities at scattered indices.
#include <gtest/gtest.h>

#include <array>
#include <mobula/core/random.hpp>
#include <mobula/ecs/registry.hpp>

#include "ecs/allocations.hpp"

namespace mobula::ecs {
namespace {

constexpr std::uint32_t entities_max = 100'000;
constexpr std::uint32_t visible = 100;
constexpr std::int64_t bytes_max = 100 * 1024;

struct MirrorRegistry {
  MirrorRegistry() {
    constexpr std::array<std::uint32_t, 3> sizes{28, 12, 4};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::string name = "Component" + std::to_string(i);
      const ComponentType type{.id = core::StringId32(name),
                               .name = name,
                               .size = sizes[i],
                               .alignment = 4,
                               .schema = true,
                               .default_value = core::Bytes(sizes[i])};
      EXPECT_TRUE(registry.register_type(type).ok());
      pools[i] = registry.open_pool(type.id, name).value();
    }
  }
  void spawn(std::uint32_t index, std::uint32_t generation) {
    ASSERT_TRUE(registry.create_given({index, generation}));
    for (const PoolId pool : pools) registry.add_bytes({index, generation}, pool);
    registry.clear_journal();
  }
  void despawn(Entity entity) {
    registry.destroy(entity);
    registry.clear_journal();
  }

  Registry registry{{.entities = {.recycling = Recycling::given, .entities_max = entities_max},
                     .pools = {.sparse_page_shift = SparseSet::no_pages}}};
  std::array<PoolId, 3> pools{};
};

std::int64_t bytes_of(bool evenly) {
  const test::CountedBytes bytes;
  MirrorRegistry mirror;
  core::Random random(5);
  for (std::uint32_t i = 0; i < visible; ++i) {
    std::uint32_t index = evenly ? i * (entities_max / visible) + 999 : random.below(entities_max);
    while (mirror.registry.entities().at(index)) ++index;
    mirror.spawn(index, 1);
  }
  mirror.registry.check();
  EXPECT_EQ(mirror.registry.entities().size(), visible);
  return bytes.held();
}

TEST(MirrorMemory, FollowsVisibleEntitiesNotTheHighestIndex) {
  for (const bool evenly : {true, false}) {
    const std::int64_t bytes = bytes_of(evenly);
    RecordProperty(evenly ? "bytes_evenly" : "bytes_randomly", std::to_string(bytes));
    EXPECT_LE(bytes, bytes_max);
  }
}

TEST(MirrorMemory, StaysBoundedUnderChurn) {
  const test::CountedBytes bytes;
  MirrorRegistry mirror;
  core::Random random(6);
  std::vector<Entity> living;
  living.reserve(visible);
  std::int64_t settled = 0;
  for (std::uint32_t step = 0; step < 100'000; ++step) {
    if (living.size() == visible) {
      Entity& victim = living[random.below(visible)];
      mirror.despawn(victim);
      victim = living.back();
      living.pop_back();
    }
    const std::uint32_t index = random.below(entities_max);
    if (mirror.registry.entities().at(index)) continue;
    mirror.spawn(index, step + 1);
    living.push_back({index, step + 1});
    if (step == 10'000) settled = bytes.held();
  }
  mirror.registry.check();
  EXPECT_LE(bytes.held(), settled + 512) << "bits for the highest index, and room that containers keep";
  EXPECT_LE(bytes.held(), bytes_max);
  while (!living.empty()) {
    mirror.despawn(living.back());
    living.pop_back();
  }
  EXPECT_LE(bytes.held(), settled + 512);
}

}  // namespace
}  // namespace mobula::ecs
