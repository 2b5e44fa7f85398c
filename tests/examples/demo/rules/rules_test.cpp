// The same words on every compiler and processor: a hash of long random play.
#include <gtest/gtest.h>

#include <examples/demo/rules/ruled_world.hpp>
#include <mobula/core/hash.hpp>

namespace demo::rules_test {
namespace {

using test::RuledWorld;

constexpr std::size_t players = 5;
constexpr int ticks = 100'000;
constexpr std::uint64_t golden = 0x976abe37e1bec71f;
constexpr std::uint64_t golden_of_client = 0x3296489093a008c3;

void give_commands(RuledWorld& world, core::Random& random) {
  for (std::size_t i = 0; i < players; ++i) {
    if (!random.chance(1, 12)) continue;
    const float x = random.uniform(-0.7f, 0.7f);
    const float z = random.uniform(-0.7f, 0.7f);
    switch (random.below(4)) {
      case 0: world.move(i, x, z); break;
      case 1: world.walk_to(i, 40 * x, 40 * z); break;
      default: world.throw_stone(i, x, random.uniform(-0.1f, 0.7f), z); break;
    }
  }
}

template <class T>
std::uint64_t hash_of(const T& component, std::uint64_t before) {
  return core::hash64(core::as_bytes(&component, 1), before);
}

// Hashes floats alone, and integers by value: components have padding.
std::uint64_t hash_of(RuledWorld& world, std::uint64_t hash) {
  const auto add = [&](ecs::Entity entity) {
    hash = hash_of(world.get<Pose>(entity), hash);
    hash = hash_of(world.get<Velocity>(entity), hash);
  };
  for (const ecs::Entity avatar : world.avatars) add(avatar);
  for (const ecs::Entity stone : world.stones()) add(stone);
  for (std::size_t i = 0; i < world.effects.size(); ++i)
    hash = core::hash64(world.effects.at(i).payload, hash ^ world.effects.at(i).key);
  return hash;
}

std::uint64_t hash_of_random_play(test::Side side) {
  core::Random random(1);
  const std::vector<ObstacleShape> shapes = test::random_shapes(random, 120, 30);
  RuledWorld world(shapes, 20, side);
  for (std::size_t i = 0; i < players; ++i) {
    const float x = random.uniform(-30, 30);
    const float z = random.uniform(-30, 30);
    world.add_avatar(x, z);
  }
  std::uint64_t hash = 0;
  std::size_t impacts = 0;
  for (int tick = 0; tick < ticks; ++tick) {
    give_commands(world, random);
    world.tick();
    hash = hash_of(world, hash);
    for (std::size_t i = 0; i < world.effects.size(); ++i) impacts += world.effects.at(i).name == impact_effect ? 1 : 0;
  }
  EXPECT_GT(impacts, 1000u);
  return hash;
}

TEST(DemoRules, RandomPlayGivesTheSameWordsEverywhere) {
  const std::uint64_t hash = hash_of_random_play(test::Side::server);
  EXPECT_EQ(hash, golden) << std::hex << hash;
}

// The module of the rules gives these words in client/web/test/rules_module.
TEST(DemoRules, RandomPlayOfAClientGivesTheSameWords) {
  const std::uint64_t hash = hash_of_random_play(test::Side::client);
  EXPECT_EQ(hash, golden_of_client) << std::hex << hash;
}

TEST(DemoRules, DirectionsAndPlacesHaveLimits) {
  EXPECT_TRUE(is_direction_to_move(0, 0));
  EXPECT_TRUE(is_direction_to_move(0.6f, -0.8f));
  EXPECT_FALSE(is_direction_to_move(1, 0.1f));
  EXPECT_TRUE(is_direction_to_aim({0, -1, 0}));
  EXPECT_FALSE(is_direction_to_aim({0, 0, 0}));
  EXPECT_FALSE(is_direction_to_aim({1, 1, 1}));
  EXPECT_TRUE(is_in_world(500, -500));
  EXPECT_FALSE(is_in_world(500.1f, 0));
  EXPECT_NE(effect_key({7, 1}, 9), effect_key({9, 1}, 7));
}

}  // namespace
}  // namespace demo::rules_test
