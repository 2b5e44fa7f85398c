// A world, a view of all its entities, and a mirror, for tests of what a client shows between ticks.
#pragma once

#include <gtest/gtest.h>

#include <client/apply_delta.hpp>
#include <cmath>
#include <map>
#include <mobula/client/mirror/interpolation.hpp>
#include <reflect/compile_schema.hpp>
#include <server/replica.hpp>

namespace mobula::client {

// The test decides when and in which order deltas arrive.
class InterpolationTest : public testing::Test {
 protected:
  InterpolationTest()
      : encoded(world.publisher.published()), view(world.publisher.published(), encoded, workspace, true) {}

  ecs::Entity create(float x) {
    const ecs::Entity entity = world.create();
    world.registry.add<engine::Transform>(entity).position.x = x;
    return entity;
  }
  [[nodiscard]] ecs::Tick now() const { return world.registry.tick(); }
  Mirror& mirror() { return *client.mirror; }

  // Ends a tick and returns its delta.
  core::Bytes end_tick() {
    world.publisher.publish();
    encoded.begin_tick(now());
    view.note_published();
    for (const std::uint32_t index : world.publisher.spawned()) view.add_visible(index, false);
    core::Bytes delta = write();
    if (!view.prototypes().wanted().empty()) {
      client.take(delta);
      announce();
      delta = write();
    }
    world.end_tick();
    return delta;
  }
  // Applies a delta. Returns false if it arrived too late.
  bool apply(const core::Bytes& delta) {
    const std::uint64_t refused = client.passed_over;
    client.take(delta);
    return client.passed_over == refused;
  }
  void acknowledge() { ASSERT_TRUE(view.acknowledge(client.input()).ok()); }
  void tick() {
    apply(end_tick());
    acknowledge();
  }

  test::RandomWorld world{3, test::load_game_schema_without_courses()};
  server::EncodedDeltaCache encoded;
  server::ViewWorkspace workspace;
  server::ClientView view;
  test::ModelClient client{world.schema};

 private:
  // Announces the prototypes that the view wants, and marks them as delivered.
  void announce() {
    const test::Announcement made = test::take_wanted(view, world.registry);
    ASSERT_TRUE(made.apply(mirror()));
    for (const std::uint32_t id : made.ids) view.prototypes().delivered(id);
  }
  core::Bytes write() {
    view.choose(now(), 1000, [](std::uint32_t) { return 1.0f; });
    core::Bytes delta(1000);
    delta.resize(view.write_delta(delta, now(), {}));
    return delta;
  }
};

inline engine::Transform quantised(const engine::Transform& transform) {
  const wire::RowCodec codec(*test::game_schema()->find("Transform"));
  std::vector<std::uint32_t> words(codec.words());
  codec.to_words(reinterpret_cast<const std::byte*>(&transform), words.data());
  engine::Transform result;
  EXPECT_TRUE(codec.to_component(words.data(), true, 1, reinterpret_cast<std::byte*>(&result)));
  return result;
}

inline engine::Quat turned(double angle) {
  return {0, static_cast<float>(std::sin(angle / 2)), 0, static_cast<float>(std::cos(angle / 2))};
}

inline double angle_between(const engine::Quat& a, const engine::Quat& b) {
  const double dot =
      static_cast<double>(a.x) * static_cast<double>(b.x) + static_cast<double>(a.y) * static_cast<double>(b.y) +
      static_cast<double>(a.z) * static_cast<double>(b.z) + static_cast<double>(a.w) * static_cast<double>(b.w);
  return 2 * std::acos(std::min(1.0, std::abs(dot)));
}

// The reference model: all received states by tick.
using States = std::map<ecs::Tick, engine::Transform>;

inline void expect_between(const States& states, double tick, const engine::Transform& shown) {
  auto later = states.upper_bound(static_cast<ecs::Tick>(std::floor(tick)));
  const bool first = later == states.begin();
  const auto earlier = first ? later : std::prev(later);
  if (first) ++later;
  const bool between = !first && later != states.end() && static_cast<double>(earlier->first) < tick;
  if (!between) {
    ASSERT_EQ(shown, earlier->second) << "at " << tick;
    return;
  }
  const auto end = static_cast<double>(later->first);
  const double begin = std::max(static_cast<double>(earlier->first), end - Interpolation::motion_ticks_max);
  const double part = tick < begin ? 0 : (tick - begin) / (end - begin);
  const auto lerp = [&](float a, float b) {
    return static_cast<double>(a) + (static_cast<double>(b) - static_cast<double>(a)) * part;
  };
  const engine::Vec3& a = earlier->second.position;
  const engine::Vec3& b = later->second.position;
  ASSERT_NEAR(static_cast<double>(shown.position.x), lerp(a.x, b.x), 1e-4) << "at " << tick;
  ASSERT_NEAR(static_cast<double>(shown.position.y), lerp(a.y, b.y), 1e-4) << "at " << tick;
  ASSERT_NEAR(static_cast<double>(shown.position.z), lerp(a.z, b.z), 1e-4) << "at " << tick;
  // A rotation takes the shortest way, at a nearly constant speed.
  const double whole = angle_between(earlier->second.rotation, later->second.rotation);
  const double done = angle_between(earlier->second.rotation, shown.rotation);
  ASSERT_NEAR(done + angle_between(shown.rotation, later->second.rotation), whole, 2e-3) << "at " << tick;
  ASSERT_NEAR(done, whole * part, 0.1 * whole + 2e-3) << "at " << tick;
}

}  // namespace mobula::client
