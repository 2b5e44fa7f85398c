// Entities out of view that continue their courses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <client/apply_delta.hpp>
#include <client/listed.hpp>
#include <client/mirror_tamper.hpp>
#include <client/raw_delta.hpp>
#include <cmath>
#include <mobula/client/mirror/interpolation.hpp>
#include <seeds.hpp>
#include <server/replica.hpp>

namespace mobula::client::mirror_stale_test {
namespace {

using engine::Transform;
using testing::Contains;
using testing::Not;

// Ships that fly straight and turn, and a client that sees them.
class MirrorStaleTest : public testing::Test {
 protected:
  MirrorStaleTest() {
    for (int i = 0; i < 3; ++i) {
      ships.push_back(world.create());
      world.registry.add<Transform>(ships.back()).position.x = static_cast<float>(10 * i);
    }
    ticks(20);
  }
  void tick() {
    ++age;
    for (const ecs::Entity ship : world.alive) {
      auto& transform = world.registry.get<Transform>(ship);
      transform.position.z += 0.05f;
      const float half = 0.01f * static_cast<float>(age);
      transform.rotation = {0, std::sin(half), 0, std::cos(half)};
    }
    world.publish();
    replica.view.note_published();
    replica.see_all();
    replica.tick();
    world.end_tick();
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  Mirror& mirror() { return *replica.client.mirror; }
  [[nodiscard]] const Transform& shown(ecs::Entity ship) { return *mirror().registry().try_get<const Transform>(ship); }
  // Returns the words of the newest state of a ship.
  std::vector<std::uint32_t> newest(ecs::Entity ship) {
    const MirroredEntity& known = *mirror().state().find(ship);
    const std::uint32_t* const words = known.versions.newest().words;
    return {words, words + mirror().state().codecs.entity(known.prototype).words};
  }
  // Expects the value that a state has at the mirror's tick.
  void expect_shown(ecs::Entity ship, const std::vector<std::uint32_t>& words) {
    const ecs::PoolId pool = mirror().registry().pool_of<Transform>();
    Transform expected{};
    ASSERT_TRUE(mirror().state().codecs.row(pool)->to_component(words.data(), false, mirror().tick(),
                                                                reinterpret_cast<std::byte*>(&expected)));
    ASSERT_EQ(shown(ship), expected) << "tick " << mirror().tick();
  }

  test::RandomWorld world{3};
  test::Replica replica{world, 0, 0};
  std::vector<ecs::Entity> ships;
  int age = 0;
};

TEST_F(MirrorStaleTest, ContinuesTheCourseOfItsLastState) {
  const std::uint32_t index = ships[0].index;
  const std::vector<std::uint32_t> last = newest(ships[0]);
  replica.view.remove_visible({&index, 1}, {&index, 1});
  for (int i = 0; i < 30; ++i) {
    mirror().hand_out_changes();
    tick();
    mirror().hand_out_changes();
    ASSERT_TRUE(mirror().is_stale(ships[0]));
    expect_shown(ships[0], last);
    EXPECT_EQ(std::ranges::count(test::listed(mirror(), ChangeKind::changed), ships[0]), 1) << "once for both courses";
    mirror().check();
  }
  EXPECT_NEAR(shown(ships[0]).position.z, world.registry.get<const Transform>(ships[0]).position.z, 0.05);
}

TEST_F(MirrorStaleTest, IsListedOnceInViewAndOut) {
  const std::uint32_t index = ships[0].index;
  mirror().hand_out_changes();
  tick();
  replica.view.remove_visible({&index, 1}, {&index, 1});
  ticks(2);
  mirror().hand_out_changes();
  ASSERT_TRUE(mirror().is_stale(ships[0]));
  EXPECT_EQ(std::ranges::count(test::listed(mirror(), ChangeKind::changed), ships[0]), 1);
  EXPECT_EQ(std::ranges::count(test::listed(mirror(), ChangeKind::lost), ships[0]), 1);
}

TEST_F(MirrorStaleTest, StandsStillWhenItHasContinuedForLong) {
  const std::uint32_t index = ships[0].index;
  const std::vector<std::uint32_t> last = newest(ships[0]);
  replica.view.remove_visible({&index, 1}, {&index, 1});
  tick();
  ticks(Mirror::stale_course_ticks_max);
  expect_shown(ships[0], last);
  const Transform end = shown(ships[0]);
  mirror().hand_out_changes();
  ticks(5);
  mirror().hand_out_changes();
  EXPECT_EQ(shown(ships[0]), end);
  EXPECT_THAT(test::listed(mirror(), ChangeKind::changed), Not(Contains(ships[0])));
  EXPECT_TRUE(mirror().is_stale(ships[0]));
  EXPECT_EQ(mirror().stale().kept_words(), 0u);
  mirror().check();
}

TEST_F(MirrorStaleTest, CoursesOfAComponentShareItsWords) {
  const std::uint32_t index = ships[0].index;
  replica.view.remove_visible({&index, 1}, {&index, 1});
  tick();
  const StaleCourses& courses = *mirror().stale().courses(ships[0]);
  const ecs::PoolId pool = mirror().registry().pool_of<Transform>();
  ASSERT_EQ(courses.all.size(), 2u);
  EXPECT_EQ(courses.words.size(), mirror().state().codecs.row(pool)->words());
}

TEST_F(MirrorStaleTest, ItsCoursesCountAsMemoryOfTheMirror) {
  const std::uint32_t leaving[] = {ships[0].index, ships[1].index};
  replica.view.remove_visible(leaving, leaving);
  tick();
  const std::size_t kept = mirror().stale().kept_words();
  ASSERT_GT(kept, EntityVersions::head);
  // A delta that gains an entity without components.
  const auto& acknowledged = mirror().state().acknowledged;
  const wire::DeltaHeader header{.sequence = mirror().state().newest + 1,
                                 .tick = mirror().tick() + 1,
                                 .ack = std::ranges::max(acknowledged, {}, &MirrorState::Acknowledged::ack).ack};
  const core::Bytes delta = test::raw_lists(header, [](core::BitWriter& bits) {
    test::write_count(bits, 1);
    test::write_gained(bits, 500, {600, 1}, 0);
    test::write_count(bits, 0);
  });
  MirrorTamper::leave_words(mirror(), kept + EntityVersions::head - 1);
  const core::Status refused = test::apply_delta(mirror(), delta);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(std::string_view(refused.error().reason), "too much to keep");
  MirrorTamper::leave_words(mirror(), kept + EntityVersions::head);
  EXPECT_TRUE(test::apply_delta(mirror(), delta).ok());
}

TEST_F(MirrorStaleTest, StandsStillUnlessItsEntryContinues) {
  const std::uint32_t index = ships[0].index;
  replica.view.remove_visible({&index, 1});
  tick();
  const Transform last = shown(ships[0]);
  mirror().hand_out_changes();
  ticks(10);
  mirror().hand_out_changes();
  EXPECT_EQ(shown(ships[0]), last);
  EXPECT_THAT(test::listed(mirror(), ChangeKind::changed), Not(Contains(ships[0])));
}

TEST_F(MirrorStaleTest, OneDeltaLosesAllKinds) {
  const std::uint32_t leaving[] = {ships[0].index, ships[1].index};
  replica.view.remove_visible(leaving, {&leaving[1], 1});
  world.destroy(2);
  tick();
  const Transform stood = shown(ships[0]);
  const Transform moved = shown(ships[1]);
  ticks(5);
  EXPECT_EQ(shown(ships[0]), stood);
  EXPECT_GT(shown(ships[1]).position.z, moved.position.z + 0.2f);
  EXPECT_FALSE(mirror().registry().valid(ships[2]));
}

TEST_F(MirrorStaleTest, HasItsTrueStateWhenItIsInViewAgain) {
  const std::uint32_t index = ships[0].index;
  replica.view.remove_visible({&index, 1}, {&index, 1});
  ticks(5);
  world.registry.get<Transform>(ships[0]).position = {.x = -300, .y = 2, .z = 7};
  replica.view.add_visible(index, false);
  ticks(3);
  EXPECT_FALSE(mirror().is_stale(ships[0]));
  EXPECT_NEAR(shown(ships[0]).position.x, -300, 0.03);
  replica.view.remove_visible({&index, 1});
  tick();
  const Transform last = shown(ships[0]);
  ticks(3);
  EXPECT_EQ(shown(ships[0]), last);
}

TEST_F(MirrorStaleTest, PicturesContinueBetweenTicks) {
  const std::uint32_t index = ships[0].index;
  mirror().set_view_tick(mirror().tick());
  replica.view.remove_visible({&index, 1}, {&index, 1});
  ticks(5);
  const float before = shown(ships[0]).position.z;
  ticks(1);
  const double moment = mirror().tick() - 0.75;
  const float between = before + (shown(ships[0]).position.z - before) * 0.25f;
  EXPECT_NEAR(sample<Transform>(mirror(), ships[0], moment)->position.z, between, 1e-4);
  EXPECT_EQ(*sample<Transform>(mirror(), ships[0], mirror().tick()), shown(ships[0]));
  EXPECT_EQ(*sample<Transform>(mirror(), ships[0], mirror().tick() + 9.5), shown(ships[0])) << "not beyond its tick";
}

// A client may remove components of its own registry.
TEST_F(MirrorStaleTest, ContinuesWithoutItsComponent) {
  const std::uint32_t index = ships[0].index;
  replica.view.remove_visible({&index, 1}, {&index, 1});
  tick();
  mirror().registry().remove<Transform>(ships[0]);
  ticks(3);
  EXPECT_TRUE(mirror().is_stale(ships[0]));
}

// Ships leave and enter while datagrams are lost.
TEST(MirrorStaleLoss, RandomLossesOfSightLeaveTheMirrorSound) {
  test::for_each_seed(1, test::few_or_all(4, 16), 200, [&](std::uint64_t seed) {
    test::RandomWorld world(seed);
    world.changes(60);
    test::Replica replica(world, 20, 4);
    test::PublishedHistory history;
    for (int tick = 0; tick < 200; ++tick) {
      world.changes(5);
      for (const ecs::Entity entity : world.alive)
        if (auto* transform = world.registry.try_get<Transform>(entity)) transform->position.y += 0.03f;
      history.note(world.publisher.published(), world.publish(), world.registry.tick());
      replica.view.note_published();
      replica.see_all();
      std::vector<std::uint32_t> leaving;
      std::vector<std::uint32_t> continuing;
      for (const std::uint32_t index : replica.view.visible()) {
        if (!world.random.chance(1, 20)) continue;
        leaving.push_back(index);
        if (world.random.chance(1, 2)) continuing.push_back(index);
      }
      replica.view.remove_visible(leaving, continuing);
      for (const ecs::Entity entity : world.alive)
        if (world.random.chance(1, 20) && world.publisher.published().entity(entity.index).entity &&
            std::ranges::count(replica.view.visible(), entity.index) == 0)
          replica.view.add_visible(entity.index, false);
      replica.tick();
      replica.expect_true(history);
      world.end_tick();
      if (testing::Test::HasFatalFailure()) return;
    }
    replica.client.mirror->check();
  });
}

}  // namespace
}  // namespace mobula::client::mirror_stale_test
