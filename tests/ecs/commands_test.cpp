#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <mobula/ecs/commands.hpp>
#include <optional>
#include <set>
#include <stdexcept>

#include "ecs/allocations.hpp"
#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

struct Health {
  static constexpr std::string_view component_name = "Health";
  std::int32_t current = 100;
};
struct Mark {  // server-only, plain bytes
  std::uint32_t value = 0;
};
// Server-only and move-only; counts its instances.
struct Thought {
  static inline int alive = 0;

  explicit Thought(int content = 0) : content_(std::make_unique<int>(content)) { ++alive; }
  Thought(Thought&& other) noexcept : content_(std::move(other.content_)) { ++alive; }
  Thought& operator=(Thought&&) = delete;
  ~Thought() { --alive; }
  [[nodiscard]] int content() const { return *content_; }

 private:
  std::unique_ptr<int> content_;
};
struct Thrower {
  explicit Thrower(bool throws) {
    if (throws) throw std::runtime_error("no");
  }
};

struct CommandsTest : testing::Test {
  Registry registry;
  Commands commands{registry};

  CommandsTest() { EXPECT_TRUE(registry.register_type(test::schema_type<Health>())); }
  ~CommandsTest() override { registry.check(); }

  const Health* health(Entity entity) { return registry.try_get<const Health>(entity); }
  int thought(Entity entity) { return registry.get<const Thought>(entity).content(); }
  // Counts the emissions of a signal.
  static void count(Signal& signal, int& times) {
    signal.connect([&times](std::span<const Entity>) { ++times; });
  }
};

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

struct alignas(64) Aligned {
  std::uint8_t byte = 1;
};
struct Huge {
  std::array<std::uint8_t, 3 * ValueArena::chunk_bytes> bytes{};
};

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

TEST_F(CommandsTest, ListenersAreToldOfEachKindOfChange) {
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

// Exceptions -----------------------------------------------------------------------------

TEST_F(CommandsTest, ASecondApplyContinuesAfterAThrow) {
  int emitted = 0;
  const auto throw_once = [&](std::span<const Entity>) {
    if (emitted++ == 0) throw std::runtime_error("a listener");
  };
  // `construct` listeners run after the add: it is not repeated. `destroy` listeners run before the removal: it is
  // repeated.
  const std::pair<Signal*, int> cases[] = {
      {&registry.signals<Health>().construct, 1},  {&registry.signals<Health>().update, 1},
      {&registry.signals<Thought>().construct, 1}, {&registry.signals<Thought>().update, 1},
      {&registry.signals<Thought>().destroy, 2},   {&registry.destroying(), 2}};
  for (const auto& [signal, expected] : cases) {
    emitted = 0;
    const Signal::Connection connection = signal->connect(throw_once);
    const Entity before = commands.create();
    const Entity entity = commands.create();
    const Entity after = commands.create();
    commands.add<Mark>(before, {1});
    commands.add<Health>(entity, {2});
    commands.add<Health>(entity, {3});
    commands.add<Thought>(entity, Thought(4));
    commands.add<Thought>(entity, Thought(5));
    commands.remove<Thought>(entity);
    commands.destroy(entity);
    commands.add<Mark>(after, {6});
    EXPECT_THROW(commands.apply(), std::runtime_error);
    EXPECT_FALSE(commands.empty());
    EXPECT_TRUE(registry.has<Mark>(before));
    EXPECT_FALSE(registry.has<Mark>(after));
    registry.check();
    for (int i = 0; i < 100; ++i) commands.add<Mark>(before, {7});  // queued values must not be overwritten
    commands.apply();
    EXPECT_TRUE(commands.empty());
    EXPECT_EQ(registry.get<const Mark>(after).value, 6u);
    EXPECT_FALSE(registry.valid(entity));
    EXPECT_EQ(Thought::alive, 0);
    EXPECT_EQ(emitted, expected);
    signal->disconnect(connection);
    registry.check();
  }
}

TEST_F(CommandsTest, QueuedCommandsCanBeClearedAfterAThrow) {
  registry.signals<Health>().construct.connect([](std::span<const Entity>) { throw std::runtime_error("always"); });
  const Entity entity = commands.create();
  commands.add<Health>(entity);
  commands.add<Thought>(entity, Thought(1));
  EXPECT_THROW(commands.apply(), std::runtime_error);
  EXPECT_EQ(commands.size(), 1u);
  commands.clear();
  EXPECT_EQ(Thought::alive, 0);
}

// Repeats a command that could not be recorded, and an apply() that threw.
TEST_F(CommandsTest, AFailedAllocationLosesAndRepeatsNothing) {
  std::uint64_t failures = 0;
  for (std::uint64_t nth = 1; failures + 1 == nth; ++nth) {
    SCOPED_TRACE(nth);
    test::World world({.entities = {}, .pools = test::small_pages});
    Commands recorded(world);
    int emitted = 0;
    count(world.signals<Thought>().construct, emitted);
    static_cast<void>(world.group<test::Health, Thought>());
    static_cast<void>(world.group<>(with<const Mark>, exclude<test::Mana>));
    world.pool_of<Huge>();
    std::vector<Entity> entities;
    for (int i = 0; i < 20; ++i) entities.push_back(world.create());

    std::optional<test::FailingAllocation> failing(nth);
    const auto until_done = [&](auto step) {
      try {
        step();
      } catch (const std::bad_alloc&) {
        ++failures;
        world.check();
        step();
      }
    };
    for (const Entity entity : entities) {
      until_done([&] { recorded.add<test::Health>(entity, {3}); });
      until_done([&] { recorded.emplace<Thought>(entity, 4); });
      until_done([&] { recorded.add<Mark>(entity, {5}); });
      until_done([&] { recorded.add_bytes(entity, world.pool_of<test::Mana>()); });
      until_done([&] { recorded.remove<test::Mana>(entity); });
    }
    until_done([&] { recorded.emplace<Huge>(entities[7]); });
    until_done([&] { recorded.destroy(entities[0]); });
    until_done([&] { recorded.apply(); });
    failing.reset();
    world.check();
    EXPECT_TRUE(recorded.empty());
    EXPECT_EQ(emitted, 20);
    EXPECT_FALSE(world.valid(entities[0]));
    for (std::size_t i = 1; i < entities.size(); ++i) {
      EXPECT_EQ(world.get<const test::Health>(entities[i]).value, 3);
      EXPECT_EQ(world.get<const Thought>(entities[i]).content(), 4);
      EXPECT_EQ(world.get<const Mark>(entities[i]).value, 5u);
      EXPECT_FALSE(world.has<test::Mana>(entities[i]));
    }
  }
  EXPECT_GT(failures, 20u) << "the last round had none";
  EXPECT_EQ(Thought::alive, 0);
}

TEST_F(CommandsTest, ASteadyLoadAllocatesNothing) {
  const auto load = [&] {
    for (int i = 0; i < 300; ++i) {
      const Entity entity = commands.create();
      commands.add<Health>(entity, {i});
      commands.emplace<Aligned>(entity, std::uint8_t{1});
      commands.add<Mark>(entity, {1});
      if (i == 100) commands.emplace<Huge>(entity);
      commands.remove<Health>(entity);
      commands.destroy(entity);
    }
    commands.apply();
    registry.clear_journal();
  };
  load();
  load();
  const std::uint64_t before = test::allocations();
  for (int i = 0; i < 5; ++i) load();
  EXPECT_EQ(test::allocations(), before);
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
}  // namespace mobula::ecs
