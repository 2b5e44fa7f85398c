// Tests the demo game through the interface that the server uses.
#include <mobula/schema/demo_commands_generated.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <examples/demo/demo_game.hpp>
#include <examples/demo/sight.hpp>
#include <limits>
#include <mobula/core/format.hpp>
#include <mobula/schema/components.hpp>
#include <resource/test_level.hpp>
#include <server/hamlet.hpp>
#include <server/played_game.hpp>

namespace demo {
namespace {

namespace core = mobula::core;
namespace ecs = mobula::ecs;
using mobula::engine::Transform;
using mobula::server::Player;
using mobula::server::Publisher;
using mobula::server::World;
using mobula::test::move_command;
using mobula::test::walk_to_command;

class DemoGameTest : public testing::Test {
 protected:
  explicit DemoGameTest(std::uint64_t seed = 7)
      : world(std::move(
            *World::make({.schema = mobula::test::game_schema(), .level = mobula::test::hamlet(), .seed = seed}))) {
    EXPECT_TRUE(world->spawn_level().ok());
    played.emplace(game, *world);
    EXPECT_TRUE(played->start().ok());
  }
  Player join(const std::string& name = "ada") {
    Player player{.id = ++players, .name = name, .entity = {}};
    player.entity = game.join(*world, player).value();
    return player;
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) {
      played->tick();
      world->end_tick();
    }
  }
  template <class T>
  const T& get(ecs::Entity entity) {
    return world->registry().get<const T>(entity);
  }
  std::string refusal(const Player& player, core::ByteView command) {
    const core::Status done = played->command(player, command);
    return done ? "" : done.error().reason;
  }

  DemoGame game;
  std::unique_ptr<World> world;
  std::optional<mobula::test::PlayedGame> played;
  std::uint32_t players = 0;
};

// Returns a level with all prefabs that the demo spawns. One prefab lacks a component, or has it under another name.
core::Status check_without(std::string_view prefab = "", std::string_view component = "",
                           const std::string& instead = "") {
  std::string prefabs;
  for (const std::string name : {"avatar", "coin", "medkit", "key"}) {
    std::string components;
    for (const std::string each : {"Transform", name == "avatar" ? "Avatar" : "Pickup", "Name"})
      if (name != prefab || each != component)
        components += (components.empty() ? "" : ",") + core::format(R"("{}":{{}})", each);
    if (name == prefab) components += instead;
    prefabs += (prefabs.empty() ? "" : ",") +
               core::format(R"("{}":{{"spawnable":true,"components":{{{}}}}})", name, components);
  }
  DemoGame game;
  return game.check_level(mobula::test::load_text(R"({"prefabs":{)" + prefabs + "}}").get());
}

TEST(DemoLevel, IsRefusedIfWhatItSpawnsLacksWhatTheGameNeeds) {
  EXPECT_TRUE(check_without());
  EXPECT_TRUE(check_without("coin", "Name")) << "nobody needs it";
  constexpr std::pair<const char*, const char*> needed[] = {
      {"avatar", "Transform"}, {"avatar", "Avatar"}, {"avatar", "Name"},   {"coin", "Transform"}, {"coin", "Pickup"},
      {"medkit", "Transform"}, {"medkit", "Pickup"}, {"key", "Transform"}, {"key", "Pickup"}};
  for (const auto& [prefab, component] : needed) {
    const core::Status playable = check_without(prefab, component);
    ASSERT_FALSE(playable.ok()) << prefab << ' ' << component;
    EXPECT_STREQ(playable.error().reason, "incomplete prefab");
    EXPECT_EQ(
        playable.error().message,
        core::format("the demo needs a level whose prefab \"{}\" has a component {} of that name", prefab, component));
  }
  EXPECT_FALSE(check_without("avatar", "Name", R"(,"Title":{"$type":"Name"})")) << "it is not called Name";
}

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
  game.leave(*world, player);  // ignored: the entity no longer exists
}

TEST_F(DemoGameTest, ALongNameIsCut) {
  const std::string name(40, 'x');
  const Player player = join(name);
  const auto& text = get<Name>(player.entity).text;
  EXPECT_EQ(std::string(text.data(), text.size()), std::string(text.size(), 'x'));
}

TEST_F(DemoGameTest, AMoveMovesUntilTheNext) {
  const Player player = join();
  const float start = get<Transform>(player.entity).position.x;
  ASSERT_EQ(refusal(player, move_command(1, 0)), "");
  ticks(20);
  EXPECT_NEAR(get<Transform>(player.entity).position.x, start + 4, 0.01f);
  ASSERT_EQ(refusal(player, move_command(0, 0)), "");
  ticks(20);
  EXPECT_NEAR(get<Transform>(player.entity).position.x, start + 4, 0.01f);
}

TEST_F(DemoGameTest, AWalkToAPlaceEndsThere) {
  const Player player = join();
  const auto start = get<Transform>(player.entity).position;
  ASSERT_EQ(refusal(player, walk_to_command(start.x + 3, start.z - 4)), "");
  ticks(15);
  EXPECT_GT(std::hypot(get<Velocity>(player.entity).linear.x, get<Velocity>(player.entity).linear.z), 3.9f);
  ticks(40);
  EXPECT_NEAR(get<Transform>(player.entity).position.x, start.x + 3, 0.25f);
  EXPECT_NEAR(get<Transform>(player.entity).position.z, start.z - 4, 0.25f);
  EXPECT_EQ(get<Velocity>(player.entity), Velocity{});
}

TEST_F(DemoGameTest, AMoveEndsAWalkAndAWalkToThePresentPlaceEnds) {
  const Player player = join();
  const auto start = get<Transform>(player.entity).position;
  ASSERT_EQ(refusal(player, walk_to_command(start.x + 4, start.z)), "");
  ASSERT_EQ(refusal(player, move_command(1, 0)), "");
  ticks(40);
  EXPECT_NEAR(get<Transform>(player.entity).position.x, start.x + 8, 0.1f);
  const auto here = get<Transform>(player.entity).position;
  ASSERT_EQ(refusal(player, walk_to_command(here.x, here.z)), "");
  ticks(5);
  EXPECT_EQ(get<Velocity>(player.entity), Velocity{});
  EXPECT_FLOAT_EQ(get<Transform>(player.entity).position.x, here.x);
}

TEST_F(DemoGameTest, PlacesOutOfTheWorldAreRefused) {
  const Player player = join();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& [x, z] : std::vector<std::pair<float, float>>{{501, 0}, {0, -501}, {nan, 0}, {0, nan}, {1e30f, 0}})
    EXPECT_EQ(refusal(player, walk_to_command(x, z)), "place out of range") << x << " " << z;
  EXPECT_EQ(get<Velocity>(player.entity), Velocity{});
}

TEST_F(DemoGameTest, MovesOutOfRangeAreRefusedAndChangeNothing) {
  const Player player = join();
  ASSERT_EQ(refusal(player, move_command(0.5f, 0.25f)), "");
  const Velocity before = get<Velocity>(player.entity);
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const auto& [x, z] : std::vector<std::pair<float, float>>{
           {1, 1}, {2, 0}, {0, -1.1f}, {nan, 0}, {0, nan}, {infinity, 0}, {-infinity, infinity}, {1e30f, 1e30f}}) {
    EXPECT_EQ(refusal(player, move_command(x, z)), "move out of range") << x << " " << z;
    EXPECT_EQ(get<Velocity>(player.entity), before);
  }
}

TEST_F(DemoGameTest, MalformedCommandsAreRefused) {
  const Player player = join();
  const core::Bytes good = move_command(0.5f, 0.5f);
  const Velocity before = get<Velocity>(player.entity);
  EXPECT_EQ(refusal(player, {}), "malformed command");
  EXPECT_EQ(refusal(player, core::Bytes(100, std::byte{0})), "malformed command");
  EXPECT_EQ(refusal(player, core::Bytes(100, std::byte{0xff})), "malformed command");
  for (std::size_t size = 0; size < good.size(); ++size) {
    static_cast<void>(refusal(player, core::ByteView(good).first(size)));
    const Velocity& now = get<Velocity>(player.entity);
    EXPECT_TRUE(std::isfinite(now.linear.x)) << size;
  }
  flatbuffers::FlatBufferBuilder builder;
  const auto move = commands::CreateMove(builder, 1, 0);
  builder.Finish(commands::CreateCommand(builder, static_cast<commands::Body>(99), move.Union()));
  EXPECT_EQ(refusal(player, core::as_bytes(builder.GetBufferPointer(), builder.GetSize())), "unknown command");
  EXPECT_EQ(before, Velocity{});
}

TEST_F(DemoGameTest, FlippedBitsInACommandNeverDoMoreThanAMove) {
  const Player player = join();
  core::Random random(5);
  for (int i = 0; i < 5000; ++i) {
    core::Bytes command = move_command(0.6f, -0.6f);
    for (std::uint32_t flips = 1 + random.below(4); flips-- > 0;)
      command[random.below(static_cast<std::uint32_t>(command.size()))] ^=
          static_cast<std::byte>(1u << random.below(8));
    static_cast<void>(refusal(player, command));
    if (i % 50 == 0) ticks(1);
    const Velocity& velocity = get<Velocity>(player.entity);
    ASSERT_LE(std::hypot(velocity.linear.x, velocity.linear.z), 4.01f);
    const Transform& transform = get<Transform>(player.entity);
    ASSERT_TRUE(std::isfinite(transform.position.x) && std::isfinite(transform.position.z));
  }
}

TEST_F(DemoGameTest, ARotationStaysARotationHoweverSmallTheMove) {
  const Player player = join();
  for (const float tiny : {1e-3f, 1e-6f, 1e-20f, 1e-23f, 1e-38f, std::numeric_limits<float>::denorm_min()}) {
    for (const auto& [x, z] : std::vector<std::pair<float, float>>{{tiny, 0}, {0, tiny}, {-tiny, -tiny}, {0, -tiny}}) {
      ASSERT_EQ(refusal(player, move_command(x, z)), "");
      ticks(1);
      const auto& turn = get<Transform>(player.entity).rotation;
      EXPECT_NEAR(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z + turn.w * turn.w, 1, 1e-3) << x << " " << z;
    }
  }
}

TEST_F(DemoGameTest, ACommandOfAPlayerWhoseAvatarIsGoneIsRefused) {
  const Player player = join();
  world->destroy_tree(player.entity);
  EXPECT_EQ(refusal(player, move_command(1, 0)), "no avatar");
  ticks(5);
}

TEST_F(DemoGameTest, NobodyLeavesTheWorld) {
  const Player player = join();
  world->registry().get<Transform>(player.entity).position.x = 499;
  ASSERT_EQ(refusal(player, move_command(1, 0)), "");
  ticks(40);
  EXPECT_LE(get<Transform>(player.entity).position.x, 500.0f);
}

TEST_F(DemoGameTest, APickupIsTakenAndComesBackWithANewHandle) {
  ecs::Entity coin;
  Transform place;
  world->registry().view<const Pickup, const Transform>().each(
      [&](ecs::Entity entity, const Pickup& pickup, const Transform& transform) {
        if (pickup.kind == PickupKind::coin) {
          coin = entity;
          place = transform;
        }
      });
  ASSERT_TRUE(world->registry().valid(coin));
  const Pickup before = get<Pickup>(coin);
  const Player player = join();
  world->registry().get<Transform>(player.entity).position = place.position;
  ticks(1);
  EXPECT_FALSE(world->registry().valid(coin));
  EXPECT_GE(get<Avatar>(player.entity).score, before.amount);
  EXPECT_GE(get<Inventory>(player.entity).item_count, 1);
  game.leave(*world, player);

  const auto wait = static_cast<int>(before.respawn_seconds * 20);
  ticks(wait + 1);
  EXPECT_FALSE(world->registry().valid(coin)) << "a handle never means another entity";
  int there = 0;
  world->registry().view<const Pickup, const Transform>().each(
      [&](ecs::Entity entity, const Pickup& pickup, const Transform& transform) {
        if (transform.position == place.position) {
          ++there;
          EXPECT_NE(entity, coin);
          EXPECT_EQ(pickup, before);
        }
      });
  EXPECT_EQ(there, 1);
}

// Simulates a restored world.
TEST_F(DemoGameTest, APickupOfNoKindStaysWhereItIs) {
  ecs::Entity pickup;
  world->registry().view<const Pickup, const Transform>().each(
      [&](ecs::Entity entity, const Pickup&, const Transform&) { pickup = entity; });
  ASSERT_TRUE(world->registry().valid(pickup));
  world->registry().get<Pickup>(pickup).kind = static_cast<PickupKind>(200);
  const Player player = join();
  world->registry().get<Transform>(player.entity).position = get<Transform>(pickup).position;
  ticks(1);
  EXPECT_TRUE(world->registry().valid(pickup));
}

class DemoGameSaves : public DemoGameTest {
 protected:
  // Position of a coin that is then taken.
  mobula::engine::Vec3 take_a_coin() {
    Transform place;
    world->registry().view<const Pickup, const Transform>().each(
        [&](ecs::Entity, const Pickup& pickup, const Transform& transform) {
          if (pickup.kind != PickupKind::coin) return;
          place = transform;
          back_after = static_cast<int>(pickup.respawn_seconds * 20);
        });
    const Player player = join();
    world->registry().get<Transform>(player.entity).position = place.position;
    ticks(1);
    game.leave(*world, player);
    return place.position;
  }
  // Entities at the position of the coin.
  static int pickups_at(World& of, const mobula::engine::Vec3& place) {
    int count = 0;
    of.registry().view<const Pickup, const Transform>().each(
        [&](ecs::Entity, const Pickup&, const Transform& transform) { count += transform.position == place ? 1 : 0; });
    return count;
  }

  int back_after = 0;  // ticks
};

TEST_F(DemoGameSaves, TakenPickupsComeBackAfterARestart) {
  const mobula::engine::Vec3 place = take_a_coin();
  ASSERT_EQ(pickups_at(*world, place), 0);
  ticks(back_after / 2);
  const core::Bytes saved = game.save(*world);
  // The newly spawned level equals the restored one except for the coin.
  const std::unique_ptr<World> restored =
      std::move(*World::make({.schema = mobula::test::game_schema(), .level = mobula::test::hamlet(), .seed = 7}));
  ASSERT_TRUE(restored->spawn_level().ok());
  std::vector<ecs::Entity> coins;
  restored->registry().view<const Pickup, const Transform>().each(
      [&](ecs::Entity entity, const Pickup&, const Transform& transform) {
        if (transform.position == place) coins.push_back(entity);
      });
  for (const ecs::Entity coin : coins) restored->destroy_tree(coin);
  DemoGame another;
  mobula::test::PlayedGame playing(another, *restored);
  ASSERT_TRUE(playing.load(saved).ok());
  for (int i = 0; i < back_after - back_after / 2 - 5; ++i) {
    playing.tick();
    restored->end_tick();
  }
  EXPECT_EQ(pickups_at(*restored, place), 0) << "not sooner than without a restart";
  for (int i = 0; i < 10; ++i) {
    playing.tick();
    restored->end_tick();
  }
  EXPECT_EQ(pickups_at(*restored, place), 1);
}

TEST_F(DemoGameSaves, ADamagedSaveIsRefusedOrHarmless) {
  take_a_coin();
  const core::Bytes saved = game.save(*world);
  ASSERT_TRUE(DemoGame().load(*world, saved).ok());
  const auto reason = [&](core::ByteView bytes) {
    const core::Status loaded = DemoGame().load(*world, bytes);
    return loaded ? "" : std::string(loaded.error().reason);
  };
  EXPECT_EQ(reason({}), "bad save");
  for (std::size_t size = 0; size + 4 < saved.size(); size += 4)
    EXPECT_EQ(reason(core::ByteView(saved).first(size)), "bad save") << size;
  core::Random random(3);
  for (int i = 0; i < 5000; ++i) {
    core::Bytes damaged = saved;
    for (std::uint32_t flips = 1 + random.below(4); flips-- > 0;)
      damaged[random.below(static_cast<std::uint32_t>(damaged.size()))] ^=
          static_cast<std::byte>(1u << random.below(8));
    const std::string why = reason(damaged);
    EXPECT_TRUE(why.empty() || why == "bad save") << why;
  }
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

TEST_F(DemoGameTest, ASpectatorLooksFromWherePlayersBegin) {
  const std::uint32_t entities = world->registry().entities().size();
  const Player player{.id = 5, .name = "eve", .entity = {}, .spectator = true};
  world->add_viewer(player.id);
  ASSERT_TRUE(game.spectate(*world, player).ok());
  ASSERT_FALSE(world->viewer(player.id)->viewpoints().empty());
  for (const ecs::Entity place : world->viewer(player.id)->viewpoints())
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

TEST_F(DemoGameTest, AnInventoryThatIsFullTakesNoMore) {
  const Player player = join();
  Inventory& inventory = world->registry().get<Inventory>(player.entity);
  inventory.item_count = static_cast<std::uint8_t>(inventory.items.size());
  std::vector<mobula::engine::Vec3> places;
  world->registry().view<const Pickup, const Transform>().each(
      [&](ecs::Entity, const Pickup&, const Transform& transform) { places.push_back(transform.position); });
  for (const auto& place : places) {
    world->registry().get<Transform>(player.entity).position = place;
    ticks(1);
  }
  EXPECT_EQ(get<Inventory>(player.entity).item_count, inventory.items.size());
  EXPECT_GE(get<Avatar>(player.entity).score, 25u);
}

TEST_F(DemoGameTest, MobsStayNearHomeWhenNobodyIsThere) {
  ticks(20 * 120);
  int strays = 0;
  int mobs = 0;
  int away = 0;
  world->registry().view<const Wander, const Transform>().each(
      [&](ecs::Entity, const Wander& wander, const Transform& transform) {
        const float distance = std::hypot(transform.position.x - wander.home.x, transform.position.z - wander.home.z);
        ++mobs;
        away += distance > 0.5f ? 1 : 0;
        // The walk home begins some seconds after crossing the edge.
        strays += distance > wander.radius + 15 * wander.speed ? 1 : 0;
      });
  EXPECT_GE(mobs, 20);
  EXPECT_EQ(strays, 0);
  EXPECT_GT(away, mobs / 2) << "they do wander";
}

TEST_F(DemoGameTest, AWolfHuntsWhoeverComesNear) {
  ecs::Entity wolf;
  world->registry().view<const Wander, const Target>().each(
      [&](ecs::Entity entity, const Wander&, const Target&) { wolf = entity; });
  ASSERT_TRUE(world->registry().valid(wolf));
  const Player player = join();
  auto place = get<Transform>(wolf).position;
  place.x += 10;
  world->registry().get<Transform>(player.entity).position = place;
  ticks(25);
  EXPECT_EQ(get<Target>(wolf).entity, player.entity);
  ticks(100);
  const auto& at = get<Transform>(wolf).position;
  EXPECT_LT(std::hypot(at.x - place.x, at.z - place.z), 2.0f);
  game.leave(*world, player);
  ticks(25);
  EXPECT_NE(get<Target>(wolf).entity, player.entity);
}

std::uint64_t history(std::uint64_t seed) {
  const auto made = World::make({.schema = mobula::test::game_schema(), .level = mobula::test::hamlet(), .seed = seed});
  World& world = **made;
  EXPECT_TRUE(world.spawn_level().ok());
  Publisher publisher(world.registry(), *mobula::test::game_schema());
  DemoGame game;
  mobula::test::PlayedGame played(game, world);
  EXPECT_TRUE(played.start().ok());
  core::Random inputs(99);
  std::vector<Player> players;
  std::uint64_t hash = 0;
  for (std::uint32_t tick = 0; tick < 300; ++tick) {
    if (tick % 50 == 0) {
      players.push_back({.id = tick + 1, .name = "bot", .entity = {}});
      players.back().entity = game.join(world, players.back()).value();
    }
    if (tick == 170) {
      game.leave(world, players.front());
      players.erase(players.begin());
    }
    for (const Player& player : players)
      if (inputs.chance(1, 10)) {
        const float x = inputs.uniform(-0.7f, 0.7f);
        const float z = inputs.uniform(-0.7f, 0.7f);
        EXPECT_TRUE(played.command(player, move_command(x, z)).ok());
      }
    played.tick();
    publisher.publish();
    hash = hash * 31 + publisher.published().hash();
    world.end_tick();
  }
  world.registry().check();
  publisher.published().check();
  return hash;
}

TEST(DemoGame, SameSeedAndInputsGiveTheSameHistory) {
  EXPECT_EQ(history(1), history(1));
  EXPECT_NE(history(1), history(2));
  EXPECT_EQ(history(1), 0x62cbce34b9f2761au) << "whichever compiler and preset";
}

}  // namespace
}  // namespace demo
