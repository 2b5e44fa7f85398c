// Commands whose listeners throw or whose allocations fail.
#include <optional>

#include "ecs/allocations.hpp"
#include "ecs/commands_fixture.hpp"

namespace mobula::ecs::commands_test {
namespace {

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

TEST_F(CommandsTest, AFailedCreateRecordsAndCreatesNothing) {
  registry.pool_of<Health>();
  registry.pool_of<Thought>();
  registry.pool_of<Huge>();
  int failures = 0;
  for (std::uint64_t nth = 1;; ++nth) {
    Commands fresh(registry);
    const std::uint32_t alive = registry.entities().size();
    try {
      Thought thought(6);
      const test::FailingAllocation failing(nth);
      fresh.create(Health{5}, std::move(thought), Huge{});
    } catch (const std::bad_alloc&) {
      ++failures;
      EXPECT_TRUE(fresh.empty());
      EXPECT_EQ(registry.entities().size(), alive);
      EXPECT_EQ(Thought::alive, 0);
      continue;
    }
    EXPECT_EQ(fresh.size(), 3u);
    break;
  }
  EXPECT_GT(failures, 2);
  EXPECT_EQ(Thought::alive, 0);
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

}  // namespace
}  // namespace mobula::ecs::commands_test
