// Avatars of the demo: spawned for new players, kept for accounts that return.
#include <gtest/gtest.h>

#include <cmath>
#include <server/examples/demo/played_demo.hpp>

namespace demo {
namespace {

namespace ecs = mobula::ecs;
using mobula::engine::Transform;
using mobula::server::Player;

TEST_F(DemoGameTest, AnAvatarSpawnsAndLeavesWithItsPlayer) {
  const std::uint32_t before = world->registry().entities().size();
  const Player player = join("ada");
  EXPECT_EQ(get<Avatar>(player.entity).player, player.id);
  EXPECT_EQ(std::string(get<Name>(player.entity).text.data()), "ada");
  bool near_one = false;
  world->registry().view<const SpawnPoint, const Transform>().each(
      [&](ecs::Entity, const SpawnPoint&, const Transform& place) {
        const auto& at = get<Transform>(player.entity).position;
        near_one = near_one || (std::abs(at.x - place.position.x) <= 2 && std::abs(at.z - place.position.z) <= 2);
      });
  EXPECT_TRUE(near_one);
  game.leave(*world, player);
  EXPECT_FALSE(world->registry().valid(player.entity));
  EXPECT_EQ(world->registry().entities().size(), before);
  game.leave(*world, {.id = player.id, .name = "ada", .entity = {}});  // ignored: the entity no longer exists
}

TEST_F(DemoGameTest, ALongNameIsCut) {
  const std::string name(40, 'x');
  const Player player = join(name);
  const auto& text = get<Name>(player.entity).text;
  EXPECT_EQ(std::string(text.data(), text.size()), std::string(text.size(), 'x'));
}

TEST_F(DemoGameTest, AnAccountGetsItsFormerAvatarBack) {
  const Player before = join("ada");
  world->registry().get<Avatar>(before.entity).score = 12;
  world->registry().get<Transform>(before.entity).position.x = 42;
  Player again{.id = 9, .name = "ada", .entity = before.entity};
  EXPECT_EQ(game.join(*world, again).value(), before.entity);
  EXPECT_EQ(get<Avatar>(before.entity).player, 9u);
  EXPECT_EQ(get<Avatar>(before.entity).score, 12u);
  EXPECT_EQ(get<Transform>(before.entity).position.x, 42);
  EXPECT_EQ(get<mobula::server::Relevance>(before.entity).owner, 9u);
}

TEST_F(DemoGameTest, AnAvatarThatCameBackWithoutItsNameGetsOne) {
  const Player before = join("ada");
  world->registry().remove<Name>(before.entity);
  Player again{.id = 9, .name = "ada", .entity = before.entity};
  EXPECT_EQ(game.join(*world, again).value(), before.entity);
  EXPECT_EQ(get<Name>(before.entity).text[0], 'a');
}

}  // namespace
}  // namespace demo
