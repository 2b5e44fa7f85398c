// Visibility in the demo: layers of entities, and viewpoints of spectators.
#include <gtest/gtest.h>

#include <examples/demo/sight.hpp>
#include <server/examples/demo/played_demo.hpp>

namespace demo {
namespace {

namespace ecs = mobula::ecs;
using mobula::server::Player;

TEST_F(DemoGameTest, ASpectatorLooksFromWherePlayersBegin) {
  const std::uint32_t entities = world->registry().entities().size();
  const Player player{.id = 5, .name = "eve", .entity = {}, .spectator = true};
  world->add_viewer(player.id);
  ASSERT_TRUE(game.spectate(*world, player).ok());
  ASSERT_FALSE(world->viewer(player.id).viewpoints().empty());
  for (const ecs::Entity place : world->viewer(player.id).viewpoints())
    EXPECT_NE(world->registry().try_get<const SpawnPoint>(place), nullptr);
  game.leave(*world, player);
  EXPECT_EQ(world->registry().entities().size(), entities);
}

TEST_F(DemoGameTest, ViewRadiusGrowsFromThingsToCreaturesToScenery) {
  const Player player = join();
  ticks(1);
  const auto& relevance = get<mobula::server::Relevance>(player.entity);
  EXPECT_EQ(relevance.layer, creatures);
  EXPECT_EQ(relevance.owner, player.id);
  const auto layers = game.layers();
  EXPECT_GT(layers[scenery].radius, layers[creatures].radius);
  EXPECT_GT(layers[creatures].radius, layers[small_things].radius);
  int pickups = 0;
  world->registry().view<const Pickup>().each([&](ecs::Entity entity, const Pickup&) {
    EXPECT_EQ(get<mobula::server::Relevance>(entity).layer, small_things);
    ++pickups;
  });
  EXPECT_GT(pickups, 20);
  world->registry().view<const Wander>().each(
      [&](ecs::Entity entity, const Wander&) { EXPECT_EQ(get<mobula::server::Relevance>(entity).layer, creatures); });
  EXPECT_GT(world->registry().pool<mobula::server::Relevance>().size(), static_cast<std::uint32_t>(pickups));
  EXPECT_LT(world->registry().pool<mobula::server::Relevance>().size(), world->registry().entities().size() / 2);
}

}  // namespace
}  // namespace demo
