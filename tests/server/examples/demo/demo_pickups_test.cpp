// Pickups of the demo: taken, and spawned again later; saved and loaded with the world.
#include <gtest/gtest.h>

#include <cmath>
#include <server/examples/demo/played_demo.hpp>
#include <vector>

namespace demo {
namespace {

namespace core = mobula::core;
namespace ecs = mobula::ecs;
using mobula::engine::Transform;
using mobula::server::Player;
using mobula::server::World;

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

// The next start accepts each save, whatever the values were.
TEST_F(DemoGameTest, APickupWithoutAPlaceIsSavedAsOneWithAPlace) {
  ecs::Entity coin;
  world->registry().view<const Pickup, const Transform>().each(
      [&](ecs::Entity entity, const Pickup&, const Transform&) { coin = entity; });
  world->registry().get<Transform>(coin).position.y = std::nanf("");
  world->registry().get<Transform>(coin).rotation.x = std::nanf("");
  world->registry().get<Pickup>(coin).respawn_seconds = std::nanf("");
  const Player player = join();
  world->registry().get<Transform>(player.entity).position = get<Transform>(coin).position;
  world->registry().get<Transform>(player.entity).position.y = 0;
  played->tick();
  ASSERT_FALSE(world->registry().valid(coin));
  DemoGame next;
  EXPECT_TRUE(next.load(*world, game.save(*world)).ok());
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

// The world of a save: the newly spawned level without the coin at `place`, at a tick rate of its own.
struct Restored {
  Restored(const core::Bytes& saved, const mobula::engine::Vec3& place, std::uint32_t rate)
      : world(std::move(*World::make({.schema = mobula::test::game_schema(),
                                      .level = mobula::test::hamlet(),
                                      .ticks_per_second = rate,
                                      .seed = 7}))) {
    EXPECT_TRUE(world->spawn_level().ok());
    std::vector<ecs::Entity> coins;
    world->registry().view<const Pickup, const Transform>().each(
        [&](ecs::Entity entity, const Pickup&, const Transform& transform) {
          if (transform.position == place) coins.push_back(entity);
        });
    for (const ecs::Entity coin : coins) world->destroy_tree(coin);
    playing = std::make_unique<mobula::test::PlayedGame>(game, *world);
    EXPECT_TRUE(playing->load(saved).ok());
  }
  void ticks(int count) const {
    for (int i = 0; i < count; ++i) {
      playing->tick();
      world->end_tick();
    }
  }

  DemoGame game;
  std::unique_ptr<World> world;
  std::unique_ptr<mobula::test::PlayedGame> playing;
};

class DemoGameSaves : public DemoGameTest {
 protected:
  using DemoGameTest::DemoGameTest;
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
  const Restored restored(game.save(*world), place, 20);
  restored.ticks(back_after - back_after / 2 - 5);
  EXPECT_EQ(pickups_at(*restored.world, place), 0) << "not sooner than without a restart";
  restored.ticks(10);
  EXPECT_EQ(pickups_at(*restored.world, place), 1);
}

TEST_F(DemoGameSaves, ARestartWithAnotherTickRateKeepsTheTimes) {
  const mobula::engine::Vec3 place = take_a_coin();
  ticks(back_after / 2 - 1);
  for (const std::uint32_t rate : {60u, 10u, 240u}) {
    SCOPED_TRACE(rate);
    const Restored restored(game.save(*world), place, rate);
    const int ticks_left = back_after / 2 * static_cast<int>(rate) / 20;
    restored.ticks(ticks_left - 1);
    EXPECT_EQ(pickups_at(*restored.world, place), 0);
    restored.ticks(3);
    EXPECT_EQ(pickups_at(*restored.world, place), 1);
  }
}

class DemoGameFull : public DemoGameSaves {
 protected:
  DemoGameFull() : DemoGameSaves(mobula::test::hamlet(), mobula::test::hamlet()->level().num_entities + 5) {}
  // Takes all room, of prefabs and of single entities.
  void fill() {
    constexpr Transform far{.position = {400, 0, 400}, .rotation = {.w = 1}};
    for (auto filler = world->spawn("medkit", &far); filler; filler = world->spawn("medkit", &far))
      fillers.push_back(*filler);
    EXPECT_FALSE(world->create().ok());
  }
  void free_one() {
    world->destroy(fillers.back());
    fillers.pop_back();
  }
  std::size_t pickups() { return world->registry().pool<Pickup>().size(); }
  // Returns how often the log has the words since it is captured.
  static int count_in_log(const std::string& words) {
    const std::string log = testing::internal::GetCapturedStderr();
    int count = 0;
    for (std::size_t at = log.find(words); at != std::string::npos; at = log.find(words, at + 1)) ++count;
    return count;
  }

  std::vector<ecs::Entity> fillers;
};

TEST_F(DemoGameFull, APickupWaitsForRoomAndIsReportedOnce) {
  for (int times = 0; times < 2; ++times) {
    const mobula::engine::Vec3 place = take_a_coin();
    fill();
    testing::internal::CaptureStderr();
    ticks(3 * back_after);
    EXPECT_EQ(count_in_log("wait to respawn: the world is full"), 1);
    EXPECT_EQ(pickups_at(*world, place), 0);
    free_one();
    ticks(1);
    EXPECT_EQ(pickups_at(*world, place), 1);
    while (!fillers.empty()) free_one();
  }
}

TEST_F(DemoGameFull, PickupsReturnInTheOrderInWhichTheyWereTaken) {
  std::vector<mobula::engine::Vec3> places;
  for (int i = 0; i < 3; ++i) places.push_back(take_a_coin());
  fill();
  ticks(3 * back_after);
  for (std::size_t back = 0; back <= places.size(); ++back) {
    for (std::size_t i = 0; i < places.size(); ++i)
      EXPECT_EQ(pickups_at(*world, places[i]), i < back ? 1 : 0) << i << " of " << back;
    if (back == places.size()) break;
    free_one();
    ticks(1);
  }
  const std::size_t all = pickups();
  ticks(3 * back_after);
  EXPECT_EQ(pickups(), all) << "each returns once";
}

TEST_F(DemoGameFull, APickupThatWaitsIsSaved) {
  const mobula::engine::Vec3 place = take_a_coin();
  fill();
  ticks(3 * back_after);
  const Restored restored(game.save(*world), place, 20);  // a larger world
  restored.ticks(2);
  EXPECT_EQ(pickups_at(*restored.world, place), 1);
}

TEST_F(DemoGameFull, ANewPlayerIsRefusedWithTheReason) {
  fill();
  const auto joined = game.join(*world, {.id = 1, .name = "ada", .entity = {}});
  ASSERT_FALSE(joined.ok());
  EXPECT_TRUE(joined.error().message.starts_with("the world is full: no room for 1 more entity; it has room for "))
      << joined.error().message;
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

}  // namespace
}  // namespace demo
