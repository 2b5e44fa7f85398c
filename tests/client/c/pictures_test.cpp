#include <gmock/gmock.h>

#include <client/c/c_world.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <mobula/schema/engine.hpp>
#include <numeric>

namespace mobula::c {
namespace {

using engine::Transform;

class CPictures : public test::CWorld {
 protected:
  mobula_clock clock() {
    auto clock = test::sized<mobula_clock>();
    EXPECT_EQ(mobula_client_clock(client(), village.now, &clock), MOBULA_OK);
    return clock;
  }
  // Plays, and shows a picture in each tick, so that the mirror keeps states for it.
  void show(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      village.tick();
      clock();
    }
  }
};

TEST_F(CPictures, TheClockIsUnknownBeforeTheFirstDelta) {
  join();
  EXPECT_EQ(clock().known, 0u);
  EXPECT_EQ(clock().view_tick, 0);
}

TEST_F(CPictures, TheViewIsBehindTheServerAndTheTargetBefore) {
  play();
  show(40);
  const mobula_clock now = clock();
  EXPECT_EQ(now.known, 1u);
  EXPECT_LT(now.view_tick, now.server_tick);
  EXPECT_GT(now.target_tick, now.server_tick);
  EXPECT_NEAR(now.server_tick, guest->status().tick, 3);
}

TEST_F(CPictures, AMomentBetweenTwoStatesIsBetweenTheirValues) {
  play();
  guest->set_command(test::move_command(1, 0));
  show(20);
  const std::uint32_t component = guest->component("Transform");
  const double tick = std::floor(clock().view_tick) - 2;
  int moving = 0;
  for (const mobula_entity entity : guest->entities()) {
    Transform before{};
    Transform between{};
    Transform after{};
    if (mobula_client_sample(client(), entity, component, tick, &before, sizeof before) != MOBULA_OK) continue;
    ASSERT_EQ(mobula_client_sample(client(), entity, component, tick + 0.5, &between, sizeof between), MOBULA_OK);
    ASSERT_EQ(mobula_client_sample(client(), entity, component, tick + 1, &after, sizeof after), MOBULA_OK);
    const float x = std::midpoint(before.position.x, after.position.x);
    EXPECT_NEAR(between.position.x, x, 0.01f);
    moving += before.position.x != after.position.x;
  }
  EXPECT_GT(moving, 0) << "the player walks";
}

TEST_F(CPictures, AColumnOfAMomentHasWhatSingleSamplesHave) {
  play();
  show(60);
  const std::uint32_t component = guest->component("Transform");
  const double tick = clock().view_tick;
  std::uint32_t count = 0;
  mobula_client_sample_column(client(), component, tick, nullptr, nullptr, 0, 0, &count);
  std::vector<mobula_entity> entities(count);
  std::vector<Transform> values(count);
  ASSERT_EQ(mobula_client_sample_column(client(), component, tick, entities.data(), values.data(), 0, count, &count),
            MOBULA_OK);
  ASSERT_GT(count, 50u);
  for (std::size_t i = 0; i < count; ++i) {
    Transform single{};
    ASSERT_EQ(mobula_client_sample(client(), entities[i], component, tick, &single, sizeof single), MOBULA_OK);
    EXPECT_EQ(std::memcmp(&single, &values[i], sizeof single), 0);
  }
}

TEST_F(CPictures, AColumnOmitsEntitiesThatWereNotThereThen) {
  play();
  show(60);
  const std::uint32_t component = guest->component("Avatar");
  const double before = clock().view_tick;
  test::Guest other(village);
  ASSERT_TRUE(other.play());
  std::uint32_t now = 0;
  std::uint32_t then = 0;
  ASSERT_TRUE(village.tick_until([&] {
    mobula_client_read_column(client(), component, nullptr, nullptr, 0, 0, &now);
    return now == 2;
  }));
  std::vector<mobula_entity> entities(now);
  ASSERT_EQ(mobula_client_sample_column(client(), component, before, entities.data(), nullptr, 0, now, &then),
            MOBULA_OK);
  EXPECT_EQ(then, 1u);
  EXPECT_EQ(entities[0], guest->status().player);
}

TEST_F(CPictures, MomentsThatAreNoneAreRefused) {
  play();
  const std::uint32_t component = guest->component("Transform");
  const mobula_entity entity = guest->entities().front();
  Transform value{};
  mobula_pose pose{};
  std::uint32_t count = 0;
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(mobula_client_sample(client(), entity, component, none, &value, sizeof value),
            MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_sample_column(client(), component, none, nullptr, nullptr, 0, 0, &count),
            MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_client_sample_pose(client(), entity, none, &pose), MOBULA_ERROR_INVALID_ARGUMENT);
  const double forever = std::numeric_limits<double>::infinity();
  EXPECT_EQ(mobula_client_sample(client(), entity, component, forever, &value, sizeof value), MOBULA_OK);
  const mobula_result past = mobula_client_sample(client(), entity, component, -forever, &value, sizeof value);
  EXPECT_EQ(past, MOBULA_ERROR_NO_COMPONENT) << "it was not there at the begin of time";
  EXPECT_EQ(mobula_client_sample(client(), 5, component, 1, &value, sizeof value), MOBULA_ERROR_NO_ENTITY);
  EXPECT_EQ(mobula_client_sample(client(), entity, component, 1, &value, 3), MOBULA_ERROR_BUFFER_TOO_SMALL);
}

TEST_F(CPictures, APoseIsThatOfARoot) {
  play();
  show(40);
  ASSERT_TRUE(village.tick_until([&] { return guest->status().player != 0; }));
  const double tick = clock().view_tick;
  Transform own{};
  mobula_pose pose{};
  const mobula_entity player = guest->status().player;
  ASSERT_EQ(mobula_client_sample(client(), player, guest->component("Transform"), tick, &own, sizeof own), MOBULA_OK);
  ASSERT_EQ(mobula_client_sample_pose(client(), player, tick, &pose), MOBULA_OK);
  EXPECT_EQ(pose.position[0], own.position.x);
  EXPECT_EQ(pose.position[2], own.position.z);
  EXPECT_EQ(pose.rotation[3], own.rotation.w);
  EXPECT_EQ(mobula_client_sample_pose(client(), 9, tick, &pose), MOBULA_ERROR_NO_ENTITY);
  EXPECT_EQ(mobula_client_sample_pose(client(), player, tick, nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace mobula::c
