// Allocation failures in the middle of a spawn: all or nothing.
#include <gtest/gtest.h>

#include <ecs/allocations.hpp>
#include <mobula/resource/spawner.hpp>
#include <mobula/schema/components.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
namespace {

using ecs::test::FailingAllocation;

constexpr const char* text = R"({
  "prefabs": {"p": {"spawnable": true, "components": {"Transform": {}, "Target": {"entity": "c"}},
                    "children": {"c": {"components": {"Health": {}, "Team": {}}}}}},
  "entities": {"a": {"prefab": "p", "components": {"Health": {}}}, "b": {"prefab": "p"}}})";

struct World {
  ecs::Registry registry;
  std::optional<Spawner> spawner;
  std::size_t notified = 0;

  explicit World(bool watched) {
    EXPECT_TRUE(reflect::register_components(registry, test::demo_schema()));
    spawner.emplace(std::move(*Spawner::bind(registry, test::demo_schema(), test::load_text(text))));
    if (!watched) return;
    static_cast<void>(registry.group<>(ecs::with<demo::Health>, ecs::exclude<demo::Target>));
    static_cast<void>(registry.group<demo::Team>());
    registry.signals<demo::Health>().construct.connect(
        [this](std::span<const ecs::Entity> all) { notified += all.size(); });
  }
};

template <class Spawn>
void expect_all_or_nothing(bool watched, Spawn spawn, std::uint32_t count, std::size_t notifications) {
  bool failed = true;
  for (std::uint64_t nth_fails = 1; failed; ++nth_fails) {
    World world(watched);
    try {
      const FailingAllocation failing(nth_fails);
      spawn(*world.spawner);
      failed = false;
    } catch (const std::bad_alloc&) {
      ASSERT_EQ(world.registry.entities().size(), 0u) << "allocation " << nth_fails;
      ASSERT_EQ(world.notified, 0u);
      world.registry.check();
      spawn(*world.spawner);  // succeeds afterwards
    }
    ASSERT_EQ(world.registry.entities().size(), count) << "allocation " << nth_fails;
    ASSERT_EQ(world.notified, watched ? notifications : 0u);
    world.registry.check();
  }
}

TEST(SpawnerAllocation, ALevelIsSpawnedCompletelyOrNotAtAll) {
  for (const bool watched : {false, true})
    expect_all_or_nothing(watched, [](Spawner& spawner) { ASSERT_TRUE(spawner.spawn_level()); }, 4, 3);
}

TEST(SpawnerAllocation, ManyPrefabsAreSpawnedCompletelyOrNotAtAll) {
  std::vector<Placement> places(50);
  for (Placement& place : places) place.rotation.w = 1;
  for (const bool watched : {false, true}) {
    expect_all_or_nothing(
        watched, [&](Spawner& spawner) { ASSERT_TRUE(spawner.spawn_prefabs(core::StringId32("p"), places)); }, 100, 50);
  }
}

TEST(SpawnerAllocation, APartIsSpawnedCompletelyOrNotAtAll) {
  const std::vector<SpawnChoice> choices{SpawnChoice::spawn, SpawnChoice::spawn, SpawnChoice::leave,
                                         SpawnChoice::spawn};
  for (const bool watched : {false, true}) {
    expect_all_or_nothing(
        watched,
        [&](Spawner& spawner) {
          std::vector<ecs::Entity> entities(4);
          ASSERT_TRUE(spawner.spawn_part(entities, choices));
        },
        3, 3);
  }
}

}  // namespace
}  // namespace mobula::resource
