#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <mobula/server/rewind/past_bounds.hpp>
#include <mobula/server/rewind/rewind_workspace.hpp>
#include <mobula/server/rewind/rewound.hpp>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>
#include <server/rewind/rewound_world.hpp>

namespace mobula::server {
namespace {

using test::DrawnPicture;
using test::RewoundWorld;

constexpr float reach = 3;

// Some entities cannot be hit, some are spheres, some boxes.
std::optional<HitShape> shape_of(ecs::Entity entity) {
  const float size = 0.5f + 0.25f * static_cast<float>(entity.index % 5);
  if (entity.index % 11 == 0) return std::nullopt;
  if (entity.index % 2 == 0) return HitShape{.radius = size};
  return HitShape{.centre = {.x = 0, .y = size / 2, .z = 0}, .half = {.x = size / 2, .y = size, .z = size / 3}};
}

Ray random_ray(core::Random& random, const engine::Vec3& towards) {
  Ray ray{.origin = {.x = random.uniform(-500, 500), .y = random.uniform(-20, 20), .z = random.uniform(-50, 50)},
          .direction = {},
          .length = 1000};
  const engine::Vec3 to{.x = towards.x - ray.origin.x, .y = towards.y - ray.origin.y, .z = towards.z - ray.origin.z};
  const float size = std::sqrt(to.x * to.x + to.y * to.y + to.z * to.z);
  if (size > 0) ray.direction = {.x = to.x / size, .y = to.y / size, .z = to.z / size};
  return ray;
}

class RewoundModel {
 public:
  RewoundModel(RewoundWorld& world, PastBounds& past_bounds) : tested_(world), bounds_(past_bounds) {}

  // Compares rays and radii with a search through all entities that were shown.
  void compare(const DrawnPicture& picture) {
    Rewound past({.registry = tested_.world.registry,
                  .published = tested_.published(),
                  .shadow = tested_.shadow(),
                  .bounds = bounds_,
                  .work = work_,
                  .moment = picture.view,
                  .tick = tested_.world.registry.tick(),
                  .shooter = {}});
    std::map<ecs::Entity, hierarchy::WorldTransform> shown;
    for (const ecs::Entity entity : tested_.ever)
      if (past.seen(entity) == Seen::alive)
        if (const std::optional<hierarchy::WorldTransform> pose = past.world(entity)) shown.emplace(entity, *pose);
    if (shown.empty()) return;
    for (int i = 0; i < 4; ++i) {
      auto aim = shown.begin();
      std::advance(aim, tested_.world.random.below(static_cast<std::uint32_t>(shown.size())));
      compare_ray(past, random_ray(tested_.world.random, aim->second.position), shown);
      compare_radius(past, aim->second.position, shown);
    }
  }

  std::uint64_t hits = 0;
  std::uint64_t within = 0;

 private:
  void compare_ray(Rewound& past, const Ray& ray, const std::map<ecs::Entity, hierarchy::WorldTransform>& shown) {
    std::optional<Rewound::Hit> expected;
    for (const auto& [entity, pose] : shown) {
      const std::optional<HitShape> shape = shape_of(entity);
      const std::optional<float> distance = shape ? hit(ray, *shape, pose) : std::nullopt;
      if (distance && (!expected || *distance < expected->distance)) expected = Rewound::Hit{entity, *distance, pose};
    }
    const std::optional<Rewound::Hit> found = past.ray(ray, reach, shape_of);
    ASSERT_EQ(found.has_value(), expected.has_value());
    if (!found) return;
    ASSERT_EQ(found->entity, expected->entity) << found->distance << " and " << expected->distance;
    ASSERT_EQ(found->pose, expected->pose);
    ++hits;
  }
  void compare_radius(Rewound& past, const engine::Vec3& centre,
                      const std::map<ecs::Entity, hierarchy::WorldTransform>& shown) {
    std::map<ecs::Entity, float> expected;
    for (const auto& [entity, pose] : shown)
      if (const std::optional<HitShape> shape = shape_of(entity); shape && distance(centre, *shape, pose) <= 10)
        expected.emplace(entity, distance(centre, *shape, pose));
    std::map<ecs::Entity, float> found;
    const auto shape_after_a_ray = [&](ecs::Entity entity) {
      static_cast<void>(
          past.ray({.origin = centre, .direction = {.x = 0, .y = 1, .z = 0}, .length = 5}, reach, shape_of));
      return shape_of(entity);
    };
    past.within(centre, 10, reach, shape_after_a_ray,
                [&](ecs::Entity entity, const hierarchy::WorldTransform& /*pose*/, float away) {
                  ASSERT_TRUE(found.emplace(entity, away).second) << "twice";
                });
    ASSERT_EQ(found, expected);
    within += found.size();
  }

  RewoundWorld& tested_;
  PastBounds& bounds_;
  RewindWorkspace work_;
};

TEST(Rewound, QueriesFindWhatASearchThroughAllFinds) {
  std::uint64_t hits = 0;
  std::uint64_t within = 0;
  const std::uint64_t seeds = test::few_or_all(8, 16);
  test::for_each_seed(1, seeds, 200, [&](std::uint64_t seed) {
    RewoundWorld tested(seed, seed % 2 == 0 ? test::game_schema() : test::load_game_schema_without_courses(),
                        static_cast<std::uint32_t>(seed % 4) * 10, static_cast<std::uint32_t>(seed % 5));
    PastBounds bounds(tested.published(), 12);
    RewoundModel model(tested, bounds);
    for (int tick = 0; tick < 200; ++tick) {
      tested.tick(tested.world.random.below(6));
      bounds.update(tested.changed, tested.world.registry.tick() - 1);
      tested.give_command();
      while (!tested.commands.empty() && (tested.commands.size() > 4 || tested.world.random.chance(1, 4))) {
        const DrawnPicture& picture = tested.commands.front();
        tested.replica->acknowledge(picture.input);
        const bool advanced = tested.shadow().advance(picture.seen, tested.replica->view.settled()).ok();
        if (advanced && picture.view >= bounds.since()) model.compare(picture);
        tested.commands.pop_front();
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    hits += model.hits;
    within += model.within;
  });
  std::printf("%llu hits, %llu within a radius\n", static_cast<unsigned long long>(hits),
              static_cast<unsigned long long>(within));
  if (test::soaks()) return;
  EXPECT_GT(hits, 100 * seeds);
  EXPECT_GT(within, 50 * seeds);
}

// The bounds do not reach back to what the client shows of an entity whose later states it lacks.
TEST(Rewound, FindsAnEntityOfWhichTheClientHasAnOldState) {
  RewoundWorld tested(3, test::load_game_schema_without_courses(), 0, 0);
  PastBounds bounds(tested.published(), 12);
  tested.leaves = false;
  ecs::Registry& registry = tested.world.registry;
  const ecs::Entity entity = registry.create();
  registry.add<engine::Transform>(entity).position.y = 200;
  const auto ticks = [&](int count) {
    for (int i = 0; i < count; ++i) {
      registry.get<engine::Transform>(entity).position.x += 5;
      tested.tick(0);
      bounds.update(tested.changed, registry.tick() - 1);
    }
  };
  ticks(12);
  const double moment = static_cast<double>(registry.tick()) - 2;
  const wire::SeenDeltas seen = tested.replica->client.seen();
  tested.replica->acknowledge(tested.replica->client.input());
  ASSERT_TRUE(tested.shadow().advance(seen, tested.replica->view.settled()).ok());
  ticks(20);
  ASSERT_GT(static_cast<double>(bounds.since()), moment);
  RewindWorkspace work;
  Rewound past({.registry = registry,
                .published = tested.published(),
                .shadow = tested.shadow(),
                .bounds = bounds,
                .work = work,
                .moment = moment,
                .tick = registry.tick(),
                .shooter = {}});
  const engine::Vec3 place = past.world(entity).value().position;
  EXPECT_FALSE(bounds.contains(bounds.slot(entity.index), place));
  const Ray ray{
      .origin = {.x = place.x, .y = place.y - 50, .z = place.z}, .direction = {.x = 0, .y = 1, .z = 0}, .length = 100};
  const std::optional<Rewound::Hit> hit =
      past.ray(ray, 1, [](ecs::Entity /*entity*/) { return HitShape{.radius = 0.5f}; });
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->entity, entity);
}

// The player's own entity and excluded ones have the values of the present.
TEST(Rewound, ThePresentOnesAreNotRewound) {
  RewoundWorld tested(3, test::load_game_schema_without_courses(), 0, 0);
  PastBounds bounds(tested.published(), 12);
  ecs::Registry& registry = tested.world.registry;
  const ecs::Entity shooter = registry.create();
  const ecs::Entity other = registry.create();
  registry.add<engine::Transform>(shooter).position.x = 0;
  registry.add<engine::Transform>(other).position.x = 0;
  tested.leaves = false;
  const auto tick = [&] {
    tested.tick(0);
    bounds.update(tested.changed, registry.tick() - 1);
  };
  for (int i = 0; i < 12; ++i) {
    registry.get<engine::Transform>(shooter).position.x += 1;
    registry.get<engine::Transform>(other).position.x += 1;
    tick();
  }
  const wire::SeenDeltas seen = tested.replica->client.seen();
  tested.replica->acknowledge(tested.replica->client.input());
  ASSERT_TRUE(tested.shadow().advance(seen, tested.replica->view.settled()).ok());
  RewindWorkspace work;
  Rewound past({.registry = registry,
                .published = tested.published(),
                .shadow = tested.shadow(),
                .bounds = bounds,
                .work = work,
                .moment = static_cast<double>(registry.tick()) - 3.5,
                .tick = registry.tick(),
                .shooter = shooter});
  EXPECT_DOUBLE_EQ(past.age(), 3.5);
  EXPECT_EQ(past.seen(shooter), Seen::present);
  EXPECT_EQ(past.get<engine::Transform>(shooter).value().position.x, 12);
  EXPECT_EQ(past.world(shooter).value().position.x, 12);
  ASSERT_EQ(past.seen(other), Seen::alive);
  EXPECT_NEAR(past.get<engine::Transform>(other).value().position.x, 9.5, 0.01);
  EXPECT_NEAR(past.world(other).value().position.x, 9.5, 0.01);
  int visited = 0;
  past.each<engine::Transform>([&](ecs::Entity entity, const engine::Transform& transform) {
    if (entity == other) EXPECT_NEAR(transform.position.x, 9.5, 0.01);
    visited += entity == shooter || entity == other ? 1 : 0;
  });
  EXPECT_EQ(visited, 2);
  past.exclude(other);
  EXPECT_EQ(past.get<engine::Transform>(other).value().position.x, 12);
  EXPECT_FALSE(past.get<demo::Health>(other)) << "it has none";
}

}  // namespace
}  // namespace mobula::server
