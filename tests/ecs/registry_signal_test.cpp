// Signals of a registry, and what listeners may do meanwhile.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

using namespace test;

struct RegistrySignalTest : testing::Test {
  World world;
  std::vector<std::string> calls;

  auto note(const std::string& what) {
    return [this, what](std::span<const Entity> entities) {
      calls.push_back(what + " " + std::to_string(entities.size()));
    };
  }
  void listen() {
    world.created().connect(note("created"));
    world.destroying().connect(note("destroying"));
    world.signals<Health>().construct.connect(note("construct"));
    world.signals<Health>().update.connect(note("update"));
    world.signals<Health>().destroy.connect(note("destroy"));
  }
  std::vector<std::string> heard() { return std::exchange(calls, {}); }
};
using Calls = std::vector<std::string>;

TEST_F(RegistrySignalTest, BulkChangesAreOneCallPerListener) {
  listen();
  std::vector<Entity> entities(1000);
  ASSERT_TRUE(world.create(std::span(entities), Health{}));
  EXPECT_EQ(heard(), (Calls{"created 1000", "construct 1000"}));
  world.remove<Health>(entities);
  EXPECT_EQ(heard(), Calls{"destroy 1000"});
  world.add<Health>(std::span(entities).first(600));
  EXPECT_EQ(heard(), Calls{"construct 600"});
  world.destroy(entities);
  EXPECT_EQ(heard(), (Calls{"destroying 1000", "destroy 600"}));
  const EntityRange range = world.create_range(50);
  EXPECT_EQ(heard(), Calls{"created 50"});
  world.destroy(range.at(7));
  EXPECT_EQ(heard(), Calls{"destroying 1"});
  world.destroy_range(range);
  EXPECT_EQ(heard(), Calls{"destroying 49"});
}

TEST_F(RegistrySignalTest, OnlyPatchEmitsUpdatesOneCallEach) {
  listen();
  const Entity entity = world.create();
  world.add<Mana>(entity);
  EXPECT_EQ(heard(), Calls{"created 1"});
  world.add<Health>(entity).value = 3;
  world.get<Health>(entity).value = 4;
  EXPECT_EQ(heard(), Calls{"construct 1"});
  world.patch<Health>(entity, [](Health& health) { health.value = 5; });
  EXPECT_EQ(heard(), Calls{"update 1"});
  world.remove<Health>(entity);
  EXPECT_EQ(heard(), Calls{"destroy 1"});
  world.add_bytes(entity, world.pool_of<Health>());
  EXPECT_EQ(heard(), Calls{"construct 1"});
  world.destroy(entity);
  EXPECT_EQ(heard(), (Calls{"destroying 1", "destroy 1"}));
}

TEST_F(RegistrySignalTest, APatchThatEndsItsComponentEmitsNoUpdate) {
  const std::array entities{world.create(), world.create()};
  for (const Entity entity : entities) world.add<Health>(entity);
  listen();
  world.patch<Health>(entities[0], [&](Health&) { world.remove<Health>(entities[0]); });
  EXPECT_EQ(heard(), Calls{"destroy 1"});
  world.patch<Health>(entities[1], [&](Health&) { world.destroy(entities[1]); });
  EXPECT_EQ(heard(), (Calls{"destroying 1", "destroy 1"}));
}

TEST_F(RegistrySignalTest, ListenersFindAddedAndRemovedComponents) {
  std::int32_t sum = 0;
  const auto add_up = [&](std::span<const Entity> entities) {
    for (const Entity entity : entities) sum += world.get<const Health>(entity).value;
  };
  world.signals<Health>().construct.connect(add_up);
  world.signals<Health>().destroy.connect(add_up);
  world.destroying().connect(add_up);
  const Entity entity = world.create();
  world.add<Health>(entity, {1});
  EXPECT_EQ(sum, 1);
  world.remove<Health>(entity);
  EXPECT_EQ(sum, 2);
  world.add<Health>(entity, {10});
  world.destroy(entity);
  EXPECT_EQ(sum, 32);
}

TEST_F(RegistrySignalTest, AListenerMayAddCreateAndDestroy) {
  std::vector<Entity> others;
  for (int i = 0; i < 600; ++i) others.push_back(world.create());
  world.signals<Health>().construct.connect([&](std::span<const Entity> entities) {
    for (const Entity entity : entities) {
      world.add<Mana>(entity);
      world.destroy(others.back());
      others.pop_back();
      world.add<Position>(world.create());
    }
  });
  world.signals<Mana>().construct.connect(note("mana"));
  world.destroying().connect(note("destroying"));
  const Entity entity = world.create();
  EXPECT_EQ(world.add<Health>(entity, {5}).value, 5);
  EXPECT_TRUE(world.has<Mana>(entity));
  EXPECT_EQ(heard(), (Calls{"mana 1", "destroying 1"}));
  std::vector<Entity> bulk(500);
  ASSERT_TRUE(world.create(std::span(bulk), Health{6}));
  for (const Entity made : bulk) ASSERT_TRUE(world.has<Mana>(made));
  EXPECT_EQ(world.pool<Position>().size(), 501u);
  world.check();
}

TEST_F(RegistrySignalTest, DestroyListenersMayDestroyAndCreateOthers) {
  Entity friend_of_it = world.create();
  world.add<Health>(friend_of_it);
  world.signals<Health>().destroy.connect([&](std::span<const Entity>) {
    if (!friend_of_it) return;
    world.destroy(std::exchange(friend_of_it, null_entity));
    world.add<Health>(world.create());
  });
  const Entity entity = world.create();
  world.add<Health>(entity);
  world.destroy(entity);
  EXPECT_EQ(world.entities().size(), 1u);
  world.check();
}

TEST_F(RegistrySignalTest, ASpawnEmitsEachComponentOnce) {
  const PoolId health = world.pool_of<Health>();
  const PoolId mana = world.pool_of<Mana>();
  std::vector<Entity> heard;
  world.signals(health).construct.connect([&](std::span<const Entity> all) {
    for (const Entity entity : all) world.add<Mana>(entity);
  });
  world.signals(mana).construct.connect(
      [&](std::span<const Entity> all) { heard.insert(heard.end(), all.begin(), all.end()); });
  const PoolId only[] = {health};
  const EntityRange range = world.begin_spawn(std::vector<PrototypeId>(3, world.prototypes().intern(only)));
  const std::vector<std::uint32_t> offsets{0, 1, 2};
  const std::vector<Health> rows(3);
  world.add_column(range, health, offsets, reinterpret_cast<const std::byte*>(rows.data()));
  world.end_spawn(range);
  EXPECT_EQ(heard, (std::vector{range.at(0), range.at(1), range.at(2)}));
  world.check();
}

// A spawn of three entities with Health, as a range or as single entities.
struct SpawnListeners : RegistrySignalTest {
  std::vector<Entity> spawn(bool as_range) {
    const PoolId only[] = {world.pool_of<Health>()};
    const std::vector<PrototypeId> prototypes(3, world.prototypes().intern(only));
    std::vector<Entity> made(3);
    const std::vector<std::uint32_t> offsets{0, 1, 2};
    const std::vector<Health> rows{{10}, {11}, {12}};
    const auto fill = [&](const EntityBatch& batch) {
      world.add_column(batch, only[0], offsets, reinterpret_cast<const std::byte*>(rows.data()));
      world.end_spawn(batch);
      for (std::uint32_t i = 0; i < 3; ++i) made[i] = batch.at(i);
    };
    if (as_range) {
      fill(world.begin_spawn(prototypes));
    } else {
      EXPECT_TRUE(world.begin_spawn(made, prototypes));
      fill(std::span<const Entity>(made));
    }
    return made;
  }
};

TEST_F(SpawnListeners, CreatedReceivesCompleteEntitiesFirst) {
  std::vector<std::string> received;
  std::int32_t sum = 0;
  world.created().connect([&](std::span<const Entity> all) {
    received.push_back("created " + std::to_string(all.size()));
    for (const Entity entity : all) sum += world.get<const Health>(entity).value;
  });
  world.signals<Health>().construct.connect(
      [&](std::span<const Entity> all) { received.push_back("construct " + std::to_string(all.size())); });
  for (const bool as_range : {true, false}) spawn(as_range);
  EXPECT_EQ(received, (std::vector<std::string>{"created 3", "construct 3", "created 3", "construct 3"}));
  EXPECT_EQ(sum, 66);
  world.check();
}

TEST_F(SpawnListeners, CreatedMayDestroyWhatItReceives) {
  std::vector<Entity> constructed;
  world.signals<Health>().construct.connect(
      [&](std::span<const Entity> all) { constructed.assign(all.begin(), all.end()); });
  world.group<Health>();
  world.created().connect([&](std::span<const Entity> all) {
    world.destroy(all[0]);
    world.destroy(all[2]);
  });
  for (const bool as_range : {true, false}) {
    const std::vector<Entity> made = spawn(as_range);
    EXPECT_FALSE(world.valid(made[0]));
    EXPECT_FALSE(world.valid(made[2]));
    EXPECT_EQ(constructed, std::vector{made[1]});
    EXPECT_EQ(world.get<const Health>(made[1]).value, 11);
    EXPECT_EQ(world.pool<Health>().size(), 1u);
    world.check();
    world.destroy(made[1]);
  }
}

TEST_F(SpawnListeners, CreatedMayDestroyAllWithoutOtherListeners) {
  world.created().connect([&](std::span<const Entity> all) { world.destroy(all); });
  for (const bool as_range : {true, false}) {
    spawn(as_range);
    EXPECT_EQ(world.entities().size(), 0u);
    EXPECT_EQ(world.pool<Health>().size(), 0u);
    world.view<const Health>().each([](const Health&) { ADD_FAILURE() << "a dead entity is visited"; });
    world.check();
  }
}

TEST_F(SpawnListeners, CreatedMayAddComponents) {
  world.created().connect([&](std::span<const Entity> all) {
    for (const Entity entity : all) world.add<Mana>(entity, {7});
  });
  for (const bool as_range : {true, false}) {
    for (const Entity entity : spawn(as_range)) {
      EXPECT_EQ(world.get<const Mana>(entity).value, 7);
      EXPECT_EQ(world.prototypes().pools(world.prototype(entity)).size(), 2u);
    }
    world.check();
  }
}

TEST_F(RegistrySignalTest, ListenersMayNestToALimit) {
  std::uint32_t made = 0;
  world.created().connect([&](std::span<const Entity>) {
    if (++made < Signal::nested_max) world.create();
  });
  world.create();
  EXPECT_EQ(world.entities().size(), Signal::nested_max);
}

TEST_F(RegistrySignalTest, EndlessListenersAreNamed) {
  world.signals<Health>().construct.connect([&](std::span<const Entity>) { world.create(Health{}); });
  EXPECT_DEATH(world.create(Health{}),
               "listeners of `construct` of component Health call each other 256 deep, now for entity 256.1");
  world.created().connect([&](std::span<const Entity>) { world.create(); });
  EXPECT_DEATH(world.create(), "listeners of `created` call each other 256 deep");
}

TEST_F(RegistrySignalTest, BulkDestroyListenersMayDestroyOthers) {
  const Entity a = world.create();
  const Entity b = world.create();
  const Entity c = world.create();
  const Entity other = world.create();
  world.add<Mana>(a);
  world.add<Health>(b);
  world.add<Health>(other);
  static_cast<void>(world.group<Health>());
  Entity reborn;
  world.signals<Mana>().destroy.connect([&](std::span<const Entity>) {
    world.destroy(b);
    EXPECT_TRUE(world.valid(b)) << "it is being destroyed";
    world.destroy(other);
    while (reborn.index != other.index) reborn = world.create();
    world.add<Health>(reborn);
  });
  world.clear_journal();
  world.destroy(std::vector{a, b, c});
  EXPECT_FALSE(world.valid(a) || world.valid(b) || world.valid(c));
  EXPECT_TRUE(world.valid(reborn));
  EXPECT_EQ((world.group<Health>().size()), 1u);
  world.check();
}

TEST_F(RegistrySignalTest, AListenersExceptionLeavesAllIntact) {
  const Signal::Connection created =
      world.created().connect([](std::span<const Entity>) { throw std::runtime_error("created"); });
  EXPECT_THROW(world.create(), std::runtime_error);
  EXPECT_EQ(world.entities().size(), 1u) << "it has been made";
  world.check();
  world.created().disconnect(created);
  const Entity entity = world.create();
  PoolSignals& signals = world.signals<Health>();
  const Signal::Connection constructed =
      signals.construct.connect([](std::span<const Entity>) { throw std::runtime_error("constructed"); });
  EXPECT_THROW(world.add<Health>(entity), std::runtime_error);
  EXPECT_TRUE(world.has<Health>(entity)) << "it has been made";
  world.check();
  signals.construct.disconnect(constructed);
  signals.destroy.connect([](std::span<const Entity>) { throw std::runtime_error("about to go"); });
  EXPECT_THROW(world.remove<Health>(entity), std::runtime_error);
  EXPECT_THROW(world.destroy(entity), std::runtime_error);
  EXPECT_TRUE(world.has<Health>(entity)) << "it has not been removed";
  world.check();
}

}  // namespace
}  // namespace mobula::ecs
