// Courses between publisher and mirror: Transforms fly, turn, stop and jump in a random world.
#include <gtest/gtest.h>

#include <cmath>
#include <mobula/client/mirror/interpolation.hpp>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>
#include <server/replica.hpp>
#include <utility>

namespace mobula::server::course_replication_test {
namespace {

using engine::Transform;

constexpr double tolerance = 0.005;
constexpr double half_step = 0.001;

// A random world in which most Transforms keep their course.
class Fleet {
 public:
  explicit Fleet(std::uint64_t seed, std::shared_ptr<const reflect::Schema> schema = test::game_schema())
      : world(seed, std::move(schema)) {}

  void tick(std::uint32_t changes) {
    world.changes(changes);
    for (const ecs::Entity entity : world.alive)
      if (world.registry.has<Transform>(entity)) fly(entity);
  }
  // Ends all motion.
  void stop() { flies_ = false; }

  test::RandomWorld world;

 private:
  // Every fourth one stands, every second one accelerates.
  void fly(ecs::Entity entity) {
    if (!flies_ || entity.index % 4 == 0) return;
    auto& transform = world.registry.get<Transform>(entity);
    const auto age = static_cast<float>(world.registry.tick() % 64);
    const float pull = entity.index % 2 == 0 ? 0.004f * age : 0;
    transform.position.z += 0.01f * static_cast<float>(entity.index % 16) - pull;
    if (std::abs(transform.position.z) > 400) transform.position.z = 0;
    const auto half = static_cast<float>(entity.index % 8) * 0.01f;
    const auto& [x, y, z, w] = transform.rotation;
    const float c = std::cos(half);
    const float s = std::sin(half);
    transform.rotation = {x * c + z * s, y * c + w * s, z * c - x * s, w * c - y * s};
  }

  bool flies_ = true;
};

void run(Fleet& fleet, test::Replica& replica, std::uint32_t changes, test::PublishedHistory& history) {
  fleet.tick(changes);
  history.note(fleet.world.publisher.published(), fleet.world.publish(), fleet.world.registry.tick());
  replica.view.note_published();
  replica.see_all();
  replica.tick();
  fleet.world.end_tick();
}

// Expects values within the tolerance of the true ones.
void expect_near(Fleet& fleet, const client::Mirror& mirror) {
  for (const ecs::Entity entity : fleet.world.alive) {
    if (!fleet.world.registry.has<Transform>(entity)) continue;
    const auto& truth = fleet.world.registry.get<const Transform>(entity);
    const auto* const shown = mirror.registry().try_get<const Transform>(entity);
    ASSERT_NE(shown, nullptr) << to_string(entity);
    const engine::Vec3 a = truth.position;
    const engine::Vec3 b = shown->position;
    for (const float difference : {a.x - b.x, a.y - b.y, a.z - b.z})
      ASSERT_LE(std::abs(static_cast<double>(difference)), tolerance + half_step + 1e-4) << to_string(entity);
    const engine::Quat p = truth.rotation;
    const engine::Quat q = shown->rotation;
    const float dot = p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    ASSERT_GT(std::abs(dot), 0.99998f) << to_string(entity);
  }
}

// Runs a fleet over a lossy path. At every tick every mirrored entity has the state that the server published at the
// entity's own tick, and shows its value at the mirror's tick. `owns(tick)` gives the owners' rule of a tick.
template <class Owns>
void expect_true_despite_loss(Fleet& fleet, std::uint64_t seed, Owns&& owns) {
  test::PublishedHistory history;
  fleet.world.changes(60);
  test::Replica replica(fleet.world, static_cast<std::uint32_t>(seed % 4) * 15, static_cast<std::uint32_t>(seed % 7));
  for (int tick = 0; tick < 200; ++tick) {
    replica.owns = owns(tick);
    run(fleet, replica, fleet.world.random.below(10), history);
    replica.expect_true(history);
    if (testing::Test::HasFatalFailure()) return;
  }
  replica.end_loss();
  fleet.stop();
  for (int tick = 0; tick < 100; ++tick) run(fleet, replica, 0, history);
  EXPECT_TRUE(replica.converged());
  replica.client.mirror->check();
}

TEST(CourseReplication, EveryStateIsTrueDespiteLossAndReordering) {
  test::for_each_seed(1, test::few_or_all(6, 24), 200, [&](std::uint64_t seed) {
    Fleet fleet(seed);
    expect_true_despite_loss(fleet, seed, [](int) { return [](std::uint32_t) { return false; }; });
  });
}

TEST(CourseReplication, WithoutLossAMirrorIsWithinTheTolerance) {
  test::for_each_seed(1, test::few_or_all(3, 12), 300, [&](std::uint64_t seed) {
    Fleet fleet(seed);
    test::PublishedHistory history;
    fleet.world.changes(60);
    test::Replica replica(fleet.world, 0, 0);
    for (int tick = 0; tick < 300; ++tick) {
      run(fleet, replica, tick < 200 ? 2 : 0, history);
      if (replica.view.has_pending()) continue;
      expect_near(fleet, *replica.client.mirror);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(CourseReplication, AKeptCourseCostsNothing) {
  Fleet fleet(1);
  test::PublishedHistory history;
  for (int i = 0; i < 50; ++i) fleet.world.registry.add<Transform>(fleet.world.create());
  test::Replica replica(fleet.world, 0, 0);
  for (int tick = 0; tick < 20; ++tick) run(fleet, replica, 0, history);
  const std::size_t before = replica.bytes_sent;
  for (int tick = 0; tick < 40; ++tick) run(fleet, replica, 0, history);
  const std::size_t per_entity = (replica.bytes_sent - before) / (40 * 50);
  EXPECT_EQ(per_entity, 0u) << "bytes per entity and tick";
}

// The values of server and mirror change in each tick, but not their words.
TEST(CourseReplication, AHashIsTheSameWhileACourseLasts) {
  Fleet fleet(9);
  fleet.stop();
  test::PublishedHistory history;
  const ecs::Entity flyer = fleet.world.create();
  fleet.world.registry.add<Transform>(flyer);
  test::Replica replica(fleet.world, 0, 0);
  const client::Mirror& mirror = *replica.client.mirror;
  const auto fly = [&] {
    fleet.world.registry.get<Transform>(flyer).position.x += 0.25f;
    run(fleet, replica, 0, history);
  };
  const auto shown = [&] { return mirror.registry().try_get<const Transform>(flyer)->position.x; };
  for (int tick = 0; tick < 20; ++tick) fly();
  const server::Published& published = fleet.world.publisher.published();
  const std::uint64_t hash = published.entity(flyer.index).hash;
  float before = shown();
  for (int tick = 0; tick < 20; ++tick) {
    fly();
    ASSERT_NEAR(shown() - std::exchange(before, shown()), 0.25f, half_step) << "tick " << tick;
    ASSERT_EQ(published.entity(flyer.index).hash, hash) << "tick " << tick;
    ASSERT_EQ(mirror.hash(), hash) << "tick " << tick;
  }
}

// The owner predicts what others follow as courses.
const std::shared_ptr<const reflect::Schema>& predicted_schema() {
  static const std::shared_ptr<const reflect::Schema> loaded = test::load_predicted_game_schema();
  return loaded;
}

// Owners change meanwhile.
TEST(CourseReplication, OwnersAndOthersHaveTheirStatesDespiteLoss) {
  test::for_each_seed(1, test::few_or_all(6, 24), 200, [&](std::uint64_t seed) {
    Fleet fleet(seed, predicted_schema());
    expect_true_despite_loss(fleet, seed, [](int tick) {
      return [turn = static_cast<std::uint32_t>(tick) / 16](std::uint32_t index) { return (index + turn) % 3 == 0; };
    });
  });
}

TEST(CourseReplication, AnOwnerHasTheServersVeryValues) {
  Fleet fleet(5, predicted_schema());
  test::PublishedHistory history;
  for (int i = 0; i < 30; ++i) fleet.world.registry.add<Transform>(fleet.world.create());
  test::Replica replica(fleet.world, 0, 0);
  replica.owns = [](std::uint32_t index) { return index % 2 == 0; };
  const client::Mirror& mirror = *replica.client.mirror;
  for (int tick = 0; tick < 200; ++tick) {
    run(fleet, replica, 0, history);
    if (replica.view.has_pending()) continue;
    expect_near(fleet, mirror);
    int differ = 0;
    for (const ecs::Entity entity : fleet.world.alive) {
      const auto& truth = fleet.world.registry.get<const Transform>(entity);
      const auto* const shown = mirror.registry().try_get<const Transform>(entity);
      ASSERT_NE(shown, nullptr);
      ASSERT_EQ(mirror.is_owner(entity), entity.index % 2 == 0);
      if (mirror.is_owner(entity)) {
        ASSERT_EQ(*shown, truth) << to_string(entity) << " in tick " << tick;
      }
      differ += *shown == truth ? 0 : 1;
    }
    if (tick == 100) EXPECT_GT(differ, 0) << "others follow courses";
  }
}

// A course whose exact words last costs its owner nothing.
TEST(CourseReplication, AnOwnerIsNotSentTheCoursesOfOthers) {
  Fleet fleet(6, predicted_schema());
  test::PublishedHistory history;
  const ecs::Entity flyer = fleet.world.create();
  fleet.world.registry.add<Transform>(flyer).position.x = 1;
  test::Replica replica(fleet.world, 0, 0);
  replica.owns = [](std::uint32_t) { return true; };
  fleet.stop();
  for (int tick = 0; tick < 20; ++tick) run(fleet, replica, 0, history);
  const ecs::Tick seen = replica.client.mirror->tick_of(flyer);
  const server::Published& published = fleet.world.publisher.published();
  fleet.world.registry.get<Transform>(flyer).position.x += 0.01f;
  run(fleet, replica, 0, history);
  const ecs::Tick moved = replica.client.mirror->tick_of(flyer);
  EXPECT_GT(moved, seen);
  const ecs::Tick others = published.changed(flyer.index, false);
  for (int tick = 0; tick < 20; ++tick) run(fleet, replica, 0, history);
  EXPECT_GT(published.changed(flyer.index, false), others) << "the course became exact";
  EXPECT_EQ(published.changed(flyer.index, true), moved);
  EXPECT_EQ(replica.client.mirror->tick_of(flyer), moved);
}

// As all fields without a course are.
TEST(CourseReplication, PicturesOfAnOwnerAreBlendedBetweenStates) {
  Fleet fleet(8, predicted_schema());
  test::PublishedHistory history;
  const ecs::Entity walker = fleet.world.create();
  fleet.world.registry.add<Transform>(walker).position.x = 1;
  test::Replica replica(fleet.world, 0, 0);
  replica.owns = [](std::uint32_t) { return true; };
  fleet.stop();
  client::Mirror& mirror = *replica.client.mirror;
  for (int tick = 0; tick < 40; ++tick) {
    mirror.set_view_tick(std::max(0.0, fleet.world.registry.tick() - 8.0));
    if (tick % 4 == 0) fleet.world.registry.get<Transform>(walker).position.x += 0.4f;
    run(fleet, replica, 0, history);
  }
  const float last = mirror.registry().try_get<const Transform>(walker)->position.x;
  const double moved = mirror.tick_of(walker);
  for (const double part : {0.25, 0.5, 0.75})
    EXPECT_NEAR(client::sample<Transform>(mirror, walker, moved - 4 * part)->position.x,
                last - 0.4f * static_cast<float>(part), 1e-3f);
}

TEST(CourseReplication, PicturesStayOnThePathWhileOwnersChange) {
  Fleet fleet(7, predicted_schema());
  test::PublishedHistory history;
  for (int i = 0; i < 24; ++i)
    fleet.world.registry.add<Transform>(fleet.world.create()).position = {.x = 100, .y = -50, .z = 30};
  test::Replica replica(fleet.world, 0, 0);
  const client::Mirror& mirror = *replica.client.mirror;
  std::map<ecs::Entity, std::map<ecs::Tick, float>> truth;
  for (std::uint32_t tick = 0; tick < 120; ++tick) {
    replica.owns = [turn = tick / 7](std::uint32_t index) { return (index + turn) % 2 == 0; };
    replica.client.mirror->set_view_tick(std::max(0.0, fleet.world.registry.tick() - 4.0));
    run(fleet, replica, 0, history);
    for (const ecs::Entity entity : fleet.world.alive)
      truth[entity][mirror.tick()] = fleet.world.registry.get<const Transform>(entity).position.z;
    if (tick < 10) continue;
    for (const auto& [entity, path] : truth) {
      const ecs::Tick before = mirror.tick() - 3;
      const auto [low, high] = std::minmax(path.at(before), path.at(before + 1));
      const std::optional<Transform> shown = client::sample<Transform>(mirror, entity, before + 0.4);
      ASSERT_TRUE(shown.has_value());
      ASSERT_NEAR(shown->position.x, 100, tolerance) << to_string(entity) << " in tick " << tick;
      ASSERT_GE(shown->position.z, low - 0.03f) << to_string(entity) << " in tick " << tick;
      ASSERT_LE(shown->position.z, high + 0.03f) << to_string(entity) << " in tick " << tick;
    }
  }
}

// Between two ticks a value is between those of both. At a tick it is exactly the registry's of that tick.
TEST(CourseReplication, PicturesFollowTheCourse) {
  Fleet fleet(2);
  test::PublishedHistory history;
  for (int i = 0; i < 20; ++i) fleet.world.registry.add<Transform>(fleet.world.create());
  test::Replica replica(fleet.world, 0, 0);
  client::Mirror& mirror = *replica.client.mirror;
  mirror.set_view_tick(0);
  std::map<ecs::Entity, std::map<ecs::Tick, Transform>> shown;
  for (int tick = 0; tick < 60; ++tick) {
    run(fleet, replica, 0, history);
    for (const ecs::Entity entity : fleet.world.alive)
      if (const auto* transform = mirror.registry().try_get<const Transform>(entity))
        shown[entity][mirror.tick()] = *transform;
  }
  for (const auto& [entity, states] : shown)
    for (ecs::Tick tick = mirror.tick() - 30; tick < mirror.tick(); ++tick) {
      const std::optional<Transform> at = client::sample<Transform>(mirror, entity, tick);
      ASSERT_TRUE(at.has_value());
      ASSERT_EQ(at->position, states.at(tick).position) << to_string(entity) << " at " << tick;
      const std::optional<Transform> between = client::sample<Transform>(mirror, entity, tick + 0.25);
      const float expected = states.at(tick).position.z * 0.75f + states.at(tick + 1).position.z * 0.25f;
      ASSERT_NEAR(between->position.z, expected, 1e-3f) << to_string(entity) << " after " << tick;
    }
}

}  // namespace
}  // namespace mobula::server::course_replication_test
