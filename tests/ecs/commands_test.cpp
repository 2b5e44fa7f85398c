#include <array>
#include <set>
#include <stdexcept>

#include "ecs/allocations.hpp"
#include "ecs/commands_fixture.hpp"

namespace mobula::ecs::commands_test {
namespace {

// Recording ------------------------------------------------------------------------------

TEST_F(CommandsTest, NothingButCreateHappensBeforeApply) {
  const Entity old = registry.create();
  registry.add<Health>(old, {7});
  const Entity made = commands.create();
  EXPECT_TRUE(registry.valid(made));
  commands.add<Health>(made, {1});
  commands.add<Thought>(old, Thought(2));
  commands.remove<Health>(old);
  commands.destroy(made);
  EXPECT_EQ(commands.size(), 4u);
  EXPECT_FALSE(registry.has<Health>(made));
  EXPECT_FALSE(registry.has<Thought>(old));
  EXPECT_EQ(health(old)->current, 7);
  registry.check();
  commands.apply();
  EXPECT_TRUE(commands.empty());
  EXPECT_FALSE(registry.valid(made));
  EXPECT_EQ(thought(old), 2);
  EXPECT_EQ(health(old), nullptr);
}

TEST_F(CommandsTest, AddsEveryKindOfComponent) {
  const Entity entity = commands.create();
  const PoolId inner = registry.pool_of<Health>("Inner");
  const PoolId outer = registry.pool_of<Health>("Outer");
  const PoolId afterthought = registry.pool_of<Thought>("After");
  const Health bytes{5};
  commands.add<Health>(entity);
  commands.add<Health>(entity, {4}, inner);
  commands.add_bytes(entity, outer, core::as_bytes(&bytes, 1));
  commands.add<Mark>(entity, {6});
  commands.emplace<Thought>(entity, 7);
  commands.add<Thought>(entity, Thought(8), afterthought);
  commands.apply();
  EXPECT_EQ(health(entity)->current, 100);
  EXPECT_EQ(registry.get<const Health>(entity, inner).current, 4);
  EXPECT_EQ(registry.get<const Health>(entity, outer).current, 5);
  EXPECT_EQ(registry.get<const Mark>(entity).value, 6u);
  EXPECT_EQ(thought(entity), 7);
  EXPECT_EQ(registry.get<const Thought>(entity, afterthought).content(), 8);
}

TEST_F(CommandsTest, CreatesAtOnceAndAddsComponentsAtApply) {
  const Entity entity = commands.create(Health{3}, Thought(4));
  EXPECT_TRUE(registry.valid(entity));
  EXPECT_FALSE(registry.has<Health>(entity));
  commands.apply();
  EXPECT_EQ(health(entity)->current, 3);
  EXPECT_EQ(thought(entity), 4);
}

TEST_F(CommandsTest, AddingNoBytesAddsTheDefaultValue) {
  const Entity entity = registry.create();
  const PoolId pool = registry.pool_of<Health>();
  commands.add_bytes(entity, pool);
  commands.apply();
  EXPECT_EQ(health(entity)->current, 100);
  registry.get<Health>(entity).current = 3;
  commands.add_bytes(entity, pool);
  commands.apply();
  EXPECT_EQ(health(entity)->current, 100) << "also if it overwrites";
}

TEST_F(CommandsTest, AValueCanBeChangedWhileItWaits) {
  const Entity entity = commands.create();
  Health& waiting = commands.add<Health>(entity, {1});
  for (int i = 0; i < 10'000; ++i) commands.add<Mark>(entity, {static_cast<std::uint32_t>(i)});
  waiting.current = 2;
  commands.apply();
  EXPECT_EQ(health(entity)->current, 2);
  EXPECT_EQ(registry.get<const Mark>(entity).value, 9'999u);
}

TEST_F(CommandsTest, ValuesOfEveryAlignmentAndSizeWait) {
  std::vector<Entity> entities;
  for (std::uint8_t i = 0; i < 100; ++i) {
    const Entity entity = entities.emplace_back(commands.create());
    commands.add<Mark>(entity, {i});
    Aligned& aligned = commands.emplace<Aligned>(entity, i);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&aligned) % 64, 0u);
    if (i % 50 == 0) commands.emplace<Huge>(entity).bytes.back() = i;
  }
  commands.apply();
  for (std::uint8_t i = 0; i < 100; ++i) {
    EXPECT_EQ(registry.get<const Mark>(entities[i]).value, i);
    EXPECT_EQ(registry.get<const Aligned>(entities[i]).byte, i);
    EXPECT_EQ(registry.has<Huge>(entities[i]), i % 50 == 0);
  }
  EXPECT_EQ(registry.get<const Huge>(entities[50]).bytes.back(), 50);
}

TEST(ValueArena, GivesTheSameMemoryOutAgain) {
  ValueArena arena;
  const std::size_t sizes[] = {8, 60'000, 1, ValueArena::chunk_bytes, 20'000, 8};
  std::vector<void*> first;
  for (const std::size_t size : sizes) first.push_back(arena.allocate(size, 8));
  arena.release_all();
  std::vector<void*> second;
  for (const std::size_t size : sizes) second.push_back(arena.allocate(size, 8));
  EXPECT_EQ(first, second);
  EXPECT_EQ(std::set<void*>(first.begin(), first.end()).size(), first.size());
}

TEST(ValueArena, LargePiecesAreFoundAgainInWhateverOrder) {
  ValueArena arena;
  void* const middle = arena.allocate(40'000, 8);
  void* const small = arena.allocate(20'000, 8);
  void* const large = arena.allocate(60'000, 8);
  arena.release_all();
  EXPECT_EQ(arena.allocate(20'000, 8), small);
  EXPECT_EQ(arena.allocate(40'000, 8), middle);
  EXPECT_EQ(arena.allocate(60'000, 8), large);
}

TEST_F(CommandsTest, AConstructorThatThrowsRecordsNothing) {
  const Entity entity = commands.create();
  commands.add<Health>(entity, {1});
  EXPECT_THROW(commands.emplace<Thrower>(entity, true), std::runtime_error);
  EXPECT_EQ(commands.size(), 1u);
  commands.emplace<Thrower>(entity, false);
  commands.apply();
  EXPECT_EQ(health(entity)->current, 1);
  EXPECT_TRUE(registry.has<Thrower>(entity));
}

TEST_F(CommandsTest, ValuesThatAreNeverAppliedAreDestroyed) {
  const Entity entity = commands.create();
  {
    Commands others(registry);
    others.add<Thought>(entity, Thought(1));
    commands.add<Thought>(entity, Thought(2));
    EXPECT_EQ(Thought::alive, 2);
  }
  EXPECT_EQ(Thought::alive, 1) << "the destructor";
  commands.clear();
  EXPECT_EQ(Thought::alive, 0) << "clear()";
  commands.add<Thought>(entity, Thought(3));
  registry.destroy(entity);
  commands.apply();
  EXPECT_EQ(Thought::alive, 0) << "a dead entity";
}

TEST_F(CommandsTest, ClearForgetsAllButTheEntitiesMade) {
  const Entity old = registry.create();
  const Entity made = commands.create();
  commands.add<Health>(made);
  commands.destroy(old);
  commands.clear();
  EXPECT_TRUE(commands.empty());
  commands.apply();
  EXPECT_TRUE(registry.valid(old));
  EXPECT_TRUE(registry.valid(made));
  EXPECT_FALSE(registry.has<Health>(made));
}

// Missing targets ------------------------------------------------------------------------

TEST_F(CommandsTest, CommandsForADeadEntityAreSkipped) {
  const Entity dies_before = registry.create();
  const Entity dies_between = registry.create();
  const Entity lives = registry.create();
  commands.add<Health>(dies_before);
  commands.remove<Health>(dies_before);
  commands.destroy(dies_before);
  commands.destroy(dies_between);
  commands.add<Health>(dies_between);
  commands.destroy(dies_between);
  commands.add<Health>(lives, {1});
  registry.destroy(dies_before);
  const Entity heir = registry.create();  // may reuse the index
  commands.apply();
  EXPECT_FALSE(registry.valid(dies_between));
  EXPECT_TRUE(registry.valid(heir));
  EXPECT_FALSE(registry.has<Health>(heir));
  EXPECT_EQ(health(lives)->current, 1);
}

TEST_F(CommandsTest, CommandsForNoEntityAreSkipped) {
  RegistryConfig config;
  config.entities.entities_max = 1;
  Registry small(config);
  Commands few(small);
  EXPECT_TRUE(few.create());
  const Entity none = few.create();
  EXPECT_EQ(none, null_entity);
  few.add<Mark>(none);
  few.destroy(none);
  few.apply();
  EXPECT_EQ(small.entities().size(), 1u);
  EXPECT_EQ(small.pool(small.pool_of<Mark>()).size(), 0u);
}

TEST_F(CommandsTest, RemovingWhatIsNotThereIsSkipped) {
  const Entity entity = registry.create();
  registry.add<Health>(entity);
  int emitted = 0;
  count(registry.signals<Health>().destroy, emitted);
  commands.remove<Thought>(entity);
  commands.remove<Health>(entity);
  commands.remove<Health>(entity);
  commands.apply();
  EXPECT_FALSE(registry.has<Health>(entity));
  EXPECT_EQ(emitted, 1);
}

TEST_F(CommandsTest, AddingWhatIsThereOverwritesAndCountsAsAWrite) {
  const Entity entity = registry.create();
  registry.add<Health>(entity, {1});
  registry.add<Thought>(entity, Thought(1));
  int constructed = 0;
  int updated = 0;
  int destroyed = 0;
  for (PoolSignals* signals : {&registry.signals<Health>(), &registry.signals<Thought>()}) {
    count(signals->construct, constructed);
    count(signals->update, updated);
    count(signals->destroy, destroyed);
  }
  registry.set_tick(9);
  commands.add<Health>(entity, {2});
  commands.add<Thought>(entity, Thought(3));
  commands.apply();
  EXPECT_EQ(health(entity)->current, 2);
  EXPECT_EQ(thought(entity), 3);
  EXPECT_EQ(registry.pool(registry.pool_of<Health>()).change_ticks()[0], 9u);
  EXPECT_EQ(registry.pool(registry.pool_of<Thought>()).change_ticks()[0], 9u);
  EXPECT_EQ(constructed, 0);
  EXPECT_EQ(updated, 2);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(Thought::alive, 1);
}

TEST_F(CommandsTest, AddRemoveAddInARowLeavesTheLastValue) {
  const Entity entity = commands.create();
  commands.add<Thought>(entity, Thought(1));
  commands.remove<Thought>(entity);
  commands.add<Thought>(entity, Thought(2));
  commands.add<Thought>(entity, Thought(3));
  commands.apply();
  EXPECT_EQ(thought(entity), 3);
  EXPECT_EQ(Thought::alive, 1);
}

// Groups and listeners -------------------------------------------------------------------

TEST_F(CommandsTest, GroupsFollowWhatIsApplied) {
  const auto owning = registry.group<Health, Thought>();
  const auto loose = registry.group<>(with<const Thought, const Mark>, exclude<Health>);
  const Entity first = commands.create();
  const Entity second = commands.create();
  commands.add<Health>(first);
  commands.add<Thought>(first, Thought(1));
  commands.add<Mark>(first);
  commands.add<Thought>(second, Thought(2));
  commands.add<Mark>(second);
  commands.apply();
  EXPECT_TRUE(owning.contains(first) && !owning.contains(second));
  EXPECT_TRUE(!loose.contains(first) && loose.contains(second));
  commands.remove<Health>(first);
  commands.destroy(second);
  commands.apply();
  EXPECT_TRUE(!owning.contains(first) && loose.contains(first));
  EXPECT_EQ(loose.size(), 1u);
}

TEST_F(CommandsTest, ListenersReceiveEachKindOfChange) {
  int constructed = 0;
  int destroyed = 0;
  for (PoolSignals* signals : {&registry.signals<Health>(), &registry.signals<Thought>()}) {
    count(signals->construct, constructed);
    count(signals->destroy, destroyed);
  }
  const Entity entity = commands.create();
  commands.add<Health>(entity);
  commands.add<Thought>(entity, Thought(1));
  commands.apply();
  EXPECT_EQ(constructed, 2);
  commands.remove<Health>(entity);
  commands.destroy(entity);
  commands.apply();
  EXPECT_EQ(destroyed, 2);
}

TEST_F(CommandsTest, ListenersCommandsRunLastInTheSameApply) {
  std::vector<int> order;
  registry.signals<Health>().construct.connect([&](std::span<const Entity> entities) {
    for (const Entity entity : entities) {
      order.push_back(health(entity)->current);
      commands.add<Thought>(entity, Thought(health(entity)->current));
      for (int i = 0; i < 100; ++i) commands.remove<Mark>(entity);  // moves the queue
    }
  });
  registry.signals<Thought>().construct.connect([&](std::span<const Entity> entities) {
    order.push_back(-thought(entities[0]));
    commands.destroy(entities[0]);
  });
  const Entity a = commands.create();
  const Entity b = commands.create();
  commands.add<Health>(a, {1});
  commands.add<Health>(b, {2});
  commands.apply();
  EXPECT_EQ(order, (std::vector<int>{1, 2, -1, -2}));
  EXPECT_FALSE(registry.valid(a) || registry.valid(b));
  EXPECT_TRUE(commands.empty());
}

using CommandsDeathTest = CommandsTest;

TEST_F(CommandsDeathTest, EndlessCommandsOfListenersAssert) {
  registry.signals<Health>().update.connect([&](std::span<const Entity> entities) {
    commands.add<Health>(entities[0]);  // records a command for itself
  });
  const Entity entity = registry.create();
  registry.add<Health>(entity);
  commands.add<Health>(entity);
  EXPECT_DEATH(commands.apply(), "without end");
  commands.clear();
}

TEST_F(CommandsDeathTest, AnApplyInsideOfAnApplyAsserts) {
  registry.signals<Health>().construct.connect([&](std::span<const Entity>) { commands.apply(); });
  commands.add<Health>(commands.create());
  EXPECT_DEATH(commands.apply(), "may only record");
  commands.clear();
}

TEST_F(CommandsDeathTest, AValueOfAnotherTypeThanThePoolsAsserts) {
  const PoolId pool = registry.pool_of<Health>("Inner");
  const Entity entity = commands.create();
  EXPECT_DEATH(commands.add<Mark>(entity, {1}, pool), "pool Inner holds components of another type");
}

// Iteration ------------------------------------------------------------------------------

TEST_F(CommandsTest, RecordAnythingWhileAnOwningGroupIsIterated) {
  const auto group = registry.group<Health, Mark>();
  std::vector<Entity> entities;
  for (int i = 0; i < 200; ++i) {
    const Entity entity = entities.emplace_back(registry.create());
    registry.add<Health>(entity, {i});
    if (i % 2 == 0) registry.add<Mark>(entity);
  }
  int visited = 0;
  group.each([&](Entity entity, Health& health, Mark&) {
    ++visited;
    commands.destroy(entity);
    commands.add<Mark>(entities[static_cast<std::size_t>(health.current) + 1]);
    const Entity made = commands.create();
    commands.add<Health>(made, {-1});
    commands.add<Mark>(made);
  });
  EXPECT_EQ(visited, 100);
  commands.apply();
  EXPECT_EQ(group.size(), 200u) << "100 that gained a mark, 100 made";
}

}  // namespace
}  // namespace mobula::ecs::commands_test
