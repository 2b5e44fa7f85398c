// Entities that are created with components in one step.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "ecs/allocations.hpp"
#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

using namespace test;

struct RegistryCreateTest : testing::Test {
  World world;

  ~RegistryCreateTest() override { world.check(); }
};
using Calls = std::vector<std::string>;

TEST_F(RegistryCreateTest, EqualsCreateAndAddsInThisOrder) {
  world.set_tick(7);
  const Entity one_step = world.create(Mana{3}, make<Thought>(4), Health{5});
  EXPECT_EQ(world.get<const Mana>(one_step).value, 3);
  EXPECT_EQ(*world.get<const Thought>(one_step).content, 4);
  EXPECT_EQ(world.get<const Health>(one_step).value, 5);
  EXPECT_EQ(world.pool<Health>().change_ticks()[0], 7u);

  const Entity one_by_one = world.create();
  world.add<Mana>(one_by_one);
  world.add<Thought>(one_by_one);
  world.add<Health>(one_by_one);
  EXPECT_EQ(world.prototype(one_step), world.prototype(one_by_one));
  ASSERT_EQ(world.journal().size(), 1u);
  EXPECT_EQ(world.journal()[0].kind, JournalEntry::Kind::create);
  EXPECT_EQ(world.journal()[0].count, 2u);
}

TEST_F(RegistryCreateTest, ServerOnlyOnesLeaveThePrototypeEmpty) {
  const Entity entity = world.create(Label{"a name"}, Marker{});
  EXPECT_EQ(world.get<const Label>(entity).text, "a name");
  EXPECT_TRUE(world.has<Marker>(entity));
  EXPECT_EQ(world.prototype(entity), empty_prototype);
}

TEST_F(RegistryCreateTest, ReusesTheIndexOfADeadEntity) {
  const Entity first = world.create(Health{1}, Label{"first"});
  world.destroy(first);
  const Entity second = world.create(Health{2}, Label{"second"});
  EXPECT_EQ(second.index, first.index);
  EXPECT_FALSE(world.valid(first));
  EXPECT_EQ(world.get<const Health>(second).value, 2);
}

TEST_F(RegistryCreateTest, AFullIndexSpaceReturnsNullAndAddsNothing) {
  World small({.entities = {.entities_max = 2}, .pools = small_pages});
  EXPECT_TRUE(small.create(Health{1}));
  EXPECT_TRUE(small.create(Health{2}, Label{"b"}));
  EXPECT_EQ(small.create(Health{3}, Label{"c"}), null_entity);
  std::array<Entity, 1> out{};
  EXPECT_FALSE(small.create(std::span<Entity>(out), Health{4}));
  EXPECT_EQ(out[0], null_entity);
  EXPECT_EQ(small.pool<Health>().size(), 2u);
  EXPECT_EQ(small.pool<Label>().size(), 1u);
  small.check();
}

TEST_F(RegistryCreateTest, EveryFailedAllocationChangesNothing) {
  int failures = 0;
  for (std::uint64_t nth = 1;; ++nth) {
    World fresh;
    fresh.group<Health>(with<Label>);
    try {
      Label label{"a label too long to lie in the string itself"};
      const FailingAllocation failing(nth);
      fresh.create(Health{1}, std::move(label), Mana{2});
    } catch (const std::bad_alloc&) {
      ++failures;
      EXPECT_EQ(fresh.entities().size(), 0u);
      EXPECT_EQ(fresh.journal().size(), 0u);
      fresh.check();
      continue;
    }
    EXPECT_EQ(fresh.group<Health>(with<Label>).size(), 1u);
    break;
  }
  EXPECT_GT(failures, 8);
}

TEST_F(RegistryCreateTest, ListenersReceiveItCompleteInOrderOfTypes) {
  Calls calls;
  const auto note = [&](const std::string& what) {
    return [this, &calls, what](std::span<const Entity> entities) {
      ASSERT_EQ(entities.size(), 1u);
      calls.push_back(what + (world.has<Health>(entities[0]) && world.has<Mana>(entities[0]) ? " complete" : ""));
      EXPECT_EQ((world.group<Health, Mana>().size()), 1u) << "groups come before listeners";
    };
  };
  world.signals<Mana>().construct.connect(note("mana"));
  world.signals<Health>().construct.connect(note("health"));
  world.signals<Position>().construct.connect(note("position"));
  world.created().connect(note("created"));
  world.group<Health, Mana>();
  world.create(Health{}, Mana{});
  EXPECT_EQ(calls, (Calls{"created complete", "health complete", "mana complete"}));
}

TEST_F(RegistryCreateTest, ListenersOfADestroyedEntityAreNotCalled) {
  int constructed = 0;
  world.created().connect([&](std::span<const Entity> entities) { world.destroy(entities[0]); });
  world.signals<Health>().construct.connect(
      [&](std::span<const Entity> entities) { constructed += static_cast<int>(entities.size()); });
  EXPECT_FALSE(world.valid(world.create(Health{})));
  std::vector<Entity> many(5);
  ASSERT_TRUE(world.create(std::span(many), Health{}));
  EXPECT_EQ(constructed, 4) << "of five, the first is destroyed";
}

TEST_F(RegistryCreateTest, ABulkCreateOfOneIsTheSame) {
  Calls calls;
  world.created().connect([&](std::span<const Entity>) { calls.emplace_back("created"); });
  world.signals<Health>().construct.connect([&](std::span<const Entity>) { calls.emplace_back("construct"); });
  std::array<Entity, 1> out{};
  ASSERT_TRUE(world.create(std::span<Entity>(out), Mana{1}, Health{2}));
  EXPECT_EQ(calls, (Calls{"created", "construct"}));
  EXPECT_EQ(world.get<const Health>(out[0]).value, 2);
  EXPECT_EQ(world.prototype(out[0]), world.prototype(world.create(Mana{}, Health{})));
}

TEST_F(RegistryCreateTest, ItsPrototypeOutlivesItsEntities) {
  const Entity entity = world.create(Health{}, Mana{});
  const PrototypeId prototype = world.prototype(entity);
  world.destroy(entity);
  for (int round = 0; round < 10; ++round) world.prototypes().reclaim(100);
  EXPECT_TRUE(world.prototypes().exists(prototype));
  EXPECT_EQ(world.prototype(world.create(Health{}, Mana{})), prototype);
}

struct OtherHealth {
  static constexpr std::string_view component_name = "Health";
  std::int32_t value = 0;
};

using RegistryCreateDeathTest = RegistryCreateTest;

TEST_F(RegistryCreateDeathTest, TwoComponentsOfOneNameAreMisuse) {
  EXPECT_DEATH(world.create(Health{}, OtherHealth{}), "two components of instance name Health");
}

}  // namespace
}  // namespace mobula::ecs
