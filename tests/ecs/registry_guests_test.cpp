#include <mobula/ecs/registry_guests.hpp>

#include <gtest/gtest.h>

#include <mobula/core/log.hpp>

#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

using namespace test;

struct RegistryGuestsTest : testing::Test {
  RegistryConfig config{.entities = {.entities_max = 300, .own = {.first = 100, .end = 200}}, .pools = small_pages};
  World world{config};
  Guests guests{world};

  ~RegistryGuestsTest() override { world.check(); }
};

TEST_F(RegistryGuestsTest, AGuestHasComponentsAsOthersHave) {
  const Entity guest{7, 12};
  std::vector<Entity> created;
  world.created().connect([&](std::span<const Entity> all) { created.assign(all.begin(), all.end()); });
  ASSERT_TRUE(guests.receive(guest, false));
  EXPECT_EQ(created, std::vector<Entity>{guest});
  world.add<Health>(guest, Health{4});
  EXPECT_EQ(world.get<const Health>(guest).value, 4);
  EXPECT_EQ(world.journal().back().first, guest);
  EXPECT_FALSE(guests.receive(guest, false)) << "it is here";
  world.destroy(guest);
  EXPECT_FALSE(world.valid(guest));
  EXPECT_TRUE(guests.receive(guest, true)) << "it is here again";
  EXPECT_FALSE(world.has<Health>(guest));
}

TEST_F(RegistryGuestsTest, AnEntityThatLeavesIsAGhostUntilItIsAbroad) {
  const Entity entity = world.create(Health{4});
  guests.set_ghost(entity, true);
  EXPECT_TRUE(world.entities().is_ghost(entity));
  EXPECT_EQ(world.get<const Health>(entity).value, 4);
  world.destroy(entity);
  EXPECT_TRUE(world.entities().is_abroad(entity));
  for (int i = 0; i < 200; ++i)
    if (const Entity other = world.create()) EXPECT_NE(other.index, entity.index);
  EXPECT_TRUE(guests.end_abroad(entity));
  EXPECT_EQ(world.create().index, entity.index);
}

// As after the restore of a save, in which another entity has the index.
TEST_F(RegistryGuestsTest, AnEntityAbroadReplacesTheFormerOne) {
  const Entity former = world.create(Health{4});
  const Entity later{former.index, former.generation + 1};
  guests.note_abroad(later);
  EXPECT_FALSE(world.valid(former));
  EXPECT_TRUE(world.entities().is_abroad(later));
  EXPECT_EQ(world.journal().back().first, later);
  const Entity lives = world.create(Health{4});
  const std::size_t noted = world.journal().size();
  guests.note_abroad(later);
  guests.note_abroad({7, 12});
  guests.note_abroad({lives.index, 0x7fffffff});
  EXPECT_TRUE(world.valid(lives)) << "the other one is of a future incarnation";
  EXPECT_EQ(world.journal().size(), noted) << "known, another world's, and of none";
  EXPECT_TRUE(guests.receive(later, false)) << "it returns";
}

TEST_F(RegistryGuestsTest, OnlyTheServerDestroysAGhost) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  ASSERT_TRUE(guests.receive({7, 12}, true));
  const auto destroy_in_a_system = [&] {
    const core::LogScope running({.running = "Reaper"});
    world.destroy(Entity{7, 12});
  };
  EXPECT_DEATH(destroy_in_a_system(), "entity 7.12 is a ghost: the world that has it destroys it");
  world.destroy(Entity{7, 12});
}

}  // namespace
}  // namespace mobula::ecs
