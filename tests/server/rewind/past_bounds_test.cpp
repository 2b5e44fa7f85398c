#include <gtest/gtest.h>

#include <cmath>
#include <mobula/server/rewind/past_bounds.hpp>
#include <reflect/compile_schema.hpp>
#include <server/random_world.hpp>

namespace mobula::server {
namespace {

constexpr ecs::Tick kept_ticks = 9;

// Entities that speed up, slow down, jump and die, with courses or without.
class PastBoundsTest : public testing::TestWithParam<bool> {
 protected:
  PastBoundsTest() : world(4, GetParam() ? test::game_schema() : test::load_game_schema_without_courses()) {
    const core::StringId32 kept[] = {core::StringId32("Transform"), core::StringId32("Parent")};
    published.keep_past(kept, kept_ticks);
  }
  ecs::Entity create() {
    const ecs::Entity entity = world.create();
    world.registry.add<engine::Transform>(entity).position.x = world.random.uniform(-400, 400);
    return entity;
  }
  void tick() {
    const std::span<const std::uint32_t> changed = world.publish();
    bounds.update(changed, world.registry.tick());
    world.end_tick();
  }
  // Returns where clients draw the published state of an entity at a tick.
  [[nodiscard]] engine::Vec3 drawn(ecs::Entity entity, ecs::Tick tick) const {
    const PublishedRow row = published.row(entity, *pool());
    engine::Transform transform;
    EXPECT_TRUE(row.codec->to_component(row.words, false, tick, reinterpret_cast<std::byte*>(&transform)));
    return transform.position;
  }
  [[nodiscard]] std::optional<ecs::PoolId> pool() const {
    return world.registry.find_pool(core::StringId32("Transform"), core::StringId32("Transform"));
  }

  test::RandomWorld world;
  Published& published = world.publisher.published();
  PastBounds bounds{published, kept_ticks};
};

TEST_P(PastBoundsTest, ContainWhatWasDrawnInTheKeptTicks) {
  struct Drawn {
    ecs::Tick state;  // tick in which it was published
    ecs::Tick tick;
    ecs::Entity entity;
    engine::Vec3 place;
  };
  std::vector<Drawn> history;
  std::vector<ecs::Entity> entities;
  for (int i = 0; i < 40; ++i) entities.push_back(create());
  std::vector<float> speeds(entities.size(), 0);
  std::uint64_t checked = 0;
  double sides = 0;
  for (int i = 0; i < 200; ++i) {
    for (std::size_t at = 0; at < entities.size(); ++at) {
      engine::Transform& transform = world.registry.get<engine::Transform>(entities[at]);
      speeds[at] += world.random.uniform(-0.02f, 0.02f);
      if (at % 4 != 0) transform.position.x += speeds[at];
      if (world.random.chance(1, 300)) transform.position.z = world.random.uniform(-500, 500);
    }
    tick();
    const ecs::Tick now = world.registry.tick() - 1;
    // A state is drawn until another one is received, for as long as the bounds reach back.
    for (const ecs::Entity entity : entities)
      for (ecs::Tick tick = now; tick < now + kept_ticks; ++tick)
        history.push_back({now, tick, entity, drawn(entity, tick)});
    std::erase_if(history, [&](const Drawn& each) { return each.state < bounds.since(); });
    for (const Drawn& each : history) {
      if (each.tick > now) continue;
      const std::uint32_t slot = bounds.slot(each.entity.index);
      ASSERT_NE(slot, PastBounds::none);
      ASSERT_TRUE(bounds.contains(slot, each.place)) << to_string(each.entity) << " in tick " << each.tick;
      ++checked;
    }
    ASSERT_LE(bounds.since() + kept_ticks, std::max(now, kept_ticks)) << "they reach back far enough";
    std::vector<std::uint8_t> found;
    bounds.find(engine::Vec3{.x = 0, .y = 0, .z = 0}, 30, found);
    sides += static_cast<double>(std::ranges::count(found, 1));
  }
  EXPECT_GT(checked, 50'000u);
  EXPECT_LT(sides / 200, 20) << "they do not contain everything";
}

// Compares rays and spheres with a loop over all boxes, by points along the ray.
TEST_P(PastBoundsTest, QueriesFindEachPlaceThatTheyTouch) {
  std::vector<ecs::Entity> entities;
  for (int i = 0; i < 100; ++i) entities.push_back(create());
  tick();
  std::vector<std::uint8_t> found;
  int touched = 0;
  for (int i = 0; i < 300; ++i) {
    const float angle = world.random.uniform(0, 6.28f);
    const Ray ray{.origin = {.x = world.random.uniform(-400, 400), .y = 0, .z = world.random.uniform(-5, 5)},
                  .direction = {.x = std::cos(angle), .y = 0, .z = i % 3 == 0 ? 0 : std::sin(angle)},
                  .length = 300};
    bounds.find(ray, 2, found);
    for (const ecs::Entity entity : entities) {
      const engine::Vec3 at = drawn(entity, world.registry.tick() - 1);
      bool near = false;
      for (float along = 0; along <= ray.length && !near; along += 0.5f)
        near = std::abs(ray.origin.x + along * ray.direction.x - at.x) < 1.9f &&
               std::abs(ray.origin.z + along * ray.direction.z - at.z) < 1.9f;
      if (near) EXPECT_EQ(found[bounds.slot(entity.index)], 1) << to_string(entity);
      touched += near ? 1 : 0;
    }
  }
  EXPECT_GT(touched, 100);
}

TEST_P(PastBoundsTest, AnEndedEntityStaysForAWhile) {
  const ecs::Entity entity = create();
  tick();
  const std::uint32_t slot = bounds.slot(entity.index);
  world.destroy(0);
  tick();
  EXPECT_EQ(bounds.slot(entity.index), PastBounds::none);
  ASSERT_EQ(bounds.size(), 1u);
  EXPECT_EQ(bounds.entity(slot), entity);
  for (ecs::Tick i = 0; i < kept_ticks; ++i) tick();
  EXPECT_EQ(bounds.size(), 1u);
  for (ecs::Tick i = 0; i < 10 * kept_ticks; ++i) tick();
  EXPECT_EQ(bounds.size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Courses, PastBoundsTest, testing::Bool());

}  // namespace
}  // namespace mobula::server
