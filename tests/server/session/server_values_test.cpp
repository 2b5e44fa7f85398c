// Values that a game should not write, such as a position that is no number: they harm no one else, are sent as the
// nearest value that can be sent, and leave no trace once the game writes others.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

using engine::Transform;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// A game whose players see 60 m far.
class NearGame : public test::TinyGame {
 public:
  [[nodiscard]] std::vector<Layer> layers() const override { return {{"near", 60}}; }
  core::Result<ecs::Entity> join(World& world, const Player& player) override {
    const core::Result<ecs::Entity> entity = TinyGame::join(world, player);
    world.registry().add<Transform>(*entity);
    return entity;
  }
};

class ServerValues : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 20; ++i) near.push_back(make(static_cast<float>(i - 10)));
    tree.push_back(make(5));
    for (int i = 0; i < 3; ++i) {
      tree.push_back(make(1));
      registry().add<engine::Parent>(tree.back(), {tree[tree.size() - 2]});
    }
    ASSERT_TRUE(village.tick_until([&] { return sees_all(ada) && sees_all(bo); }));
  }
  ecs::Registry& registry() { return village.server->world().registry(); }
  ecs::Entity make(float x) {
    const ecs::Entity entity = registry().create();
    registry().add<Transform>(entity).position.x = x;
    registry().add<demo::Velocity>(entity);
    return entity;
  }
  [[nodiscard]] bool sees(const test::Village::Client& client, ecs::Entity entity) const {
    return client.connection.mirror() != nullptr && client.connection.mirror()->tick_of(entity) != 0;
  }
  [[nodiscard]] bool sees_all(const test::Village::Client& client) const {
    const auto seen = [&](ecs::Entity entity) { return sees(client, entity); };
    return std::ranges::all_of(near, seen) && std::ranges::all_of(tree, seen) &&
           sees(client, client.connection.player_entity());
  }
  [[nodiscard]] Transform shown(const test::Village::Client& client, ecs::Entity entity) const {
    const ecs::Registry& mirrored = client.connection.mirror()->registry();
    const core::StringId32 transform(Transform::component_name);
    return core::load<Transform>(mirrored.try_read(entity, mirrored.find_pool(transform, transform)));
  }
  // Expects that both mirrors are right, and have been at all times.
  void expect_right(const char* when) {
    EXPECT_TRUE(village.mirrors(ada)) << when;
    EXPECT_TRUE(village.mirrors(bo)) << when;
    EXPECT_EQ(ada.connection.stats().mismatched_ticks, 0u) << when;
    EXPECT_EQ(bo.connection.stats().mismatched_ticks, 0u) << when;
    village.server->world().hierarchy().check();
  }

  NearGame game;
  test::Village village{game, ServerConfig{.verify_one_in = 1}};
  test::Village::Client& ada = village.join("ada");
  test::Village::Client& bo = village.join("bo");
  std::vector<ecs::Entity> near;
  std::vector<ecs::Entity> tree;  // each is the parent of the next
};

struct Place {
  float written;
  float sent;
};

constexpr Place places[] = {{nan, -512}, {infinity, 512}, {-infinity, -512}, {1e30f, 512},      {-1e30f, -512},
                            {-0.0f, 0},  {1e-42f, 0.0f},  {512.0049f, 512},  {-512.0049f, -512}};

TEST_F(ServerValues, AnAvatarWithoutAPlaceSeesItselfAndHeals) {
  const ecs::Entity avatar = ada.connection.player_entity();
  for (const Place& place : places) {
    SCOPED_TRACE(place.written);
    registry().get<Transform>(avatar).position.x = place.written;
    village.ticks(50);
    expect_right("without a place");
    ASSERT_TRUE(sees(ada, avatar));
    EXPECT_EQ(shown(ada, avatar).position.x, place.sent);
    EXPECT_FALSE(std::signbit(shown(ada, avatar).position.x) && place.sent == 0) << "-0 is sent as 0";
    EXPECT_EQ(sees(ada, near[10]), std::abs(place.written) < 1);
    for (const ecs::Entity other : near) EXPECT_TRUE(sees(bo, other));
    EXPECT_EQ(sees(bo, avatar), std::abs(place.written) < 1);
    registry().get<Transform>(avatar).position.x = 0;
    village.ticks(5);  // a query within four ticks, and the way to the client
    EXPECT_TRUE(sees_all(ada));
    village.ticks(5);
    expect_right("healed");
  }
}

TEST_F(ServerValues, ARotationThatIsNoneIsSentAsOne) {
  const float half = std::sqrt(0.5f);
  const ecs::Entity avatar = ada.connection.player_entity();
  const std::pair<engine::Quat, engine::Quat> rotations[] = {{{0, 0, 0, 0}, {0, 0, 0, 1}},
                                                             {{nan, 0, 0, 1}, {0, 0, 0, 1}},
                                                             {{0, 0, infinity, 1}, {0, 0, 0, 1}},
                                                             {{2, 0, 0, 2}, {half, 0, 0, half}}};
  for (const auto& [written, sent] : rotations) {
    for (const ecs::Entity entity : {avatar, tree[0]}) {
      registry().get<Transform>(entity).rotation = written;
      village.ticks(12);
      expect_right("without a rotation");
      const engine::Quat seen = shown(ada, entity).rotation;
      EXPECT_NEAR(std::abs(seen.x * sent.x + seen.y * sent.y + seen.z * sent.z + seen.w * sent.w), 1, 0.001);
      registry().get<Transform>(entity).rotation = {0, 0, 0, 1};
      village.ticks(8);
      EXPECT_TRUE(sees_all(ada));
    }
  }
}

TEST_F(ServerValues, ChildrenHealWithTheirParent) {
  for (const Place& place : places) {
    SCOPED_TRACE(place.written);
    registry().get<Transform>(tree[0]).position.x = place.written;
    village.ticks(12);
    expect_right("without a place");
    for (const ecs::Entity child : tree) EXPECT_EQ(sees(bo, child), std::abs(place.written) < 1) << to_string(child);
    registry().get<Transform>(tree[0]).position.x = 5;
    village.ticks(8);
    EXPECT_TRUE(sees_all(ada) && sees_all(bo));
    expect_right("healed");
  }
}

TEST_F(ServerValues, AnyOtherFieldIsSentAsTheNearestValue) {
  for (const float written : {nan, infinity, -infinity, 1e30f, -0.0f, 32.004f}) {
    registry().get<demo::Velocity>(near[3]).linear = {written, written, 1};
    village.ticks(8);
    expect_right("no velocity");
  }
}

// An entity is in view of a viewpoint without a place if it is so wherever the viewpoint is.
TEST_F(ServerValues, ManyAvatarsWithoutAPlaceDisturbNobody) {
  for (std::size_t i = 0; i < near.size(); ++i)
    registry().get<Transform>(near[i]).position = i % 2 == 0 ? engine::Vec3{nan, nan, nan} : engine::Vec3{0, 0, nan};
  village.ticks(20);
  expect_right("without places");
  EXPECT_TRUE(sees(bo, bo.connection.player_entity()));
  for (const ecs::Entity entity : near) EXPECT_FALSE(sees(bo, entity));
  for (const ecs::Entity entity : near) registry().get<Transform>(entity).position = {};
  village.ticks(8);
  EXPECT_TRUE(sees_all(ada) && sees_all(bo));
  expect_right("healed");
}

}  // namespace
}  // namespace mobula::server
