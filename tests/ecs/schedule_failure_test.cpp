// Systems and listeners that throw, and misuse of a schedule.
#include <gmock/gmock.h>

#include <cstdio>
#include <mobula/core/log.hpp>
#include <stdexcept>

#include "ecs/allocations.hpp"
#include "ecs/components.hpp"
#include "ecs/schedule_fixture.hpp"

namespace mobula::ecs::schedule_test {
namespace {

TEST_F(ScheduleTest, AThrowingSystemDropsItsCommandsAndEndsTheRun) {
  bool throws = true;
  int after = 0;
  const Entity entity = registry.create();
  const SystemId thrower = schedule.add("thrower", phase, [&](const SystemContext& context) {
    context.commands.destroy(entity);
    if (throws) throw std::runtime_error("no");
  });
  schedule.add("after", phase, [&](const SystemContext&) { ++after; });
  EXPECT_THROW(schedule.run(), std::runtime_error);
  EXPECT_TRUE(schedule.commands().empty());
  EXPECT_TRUE(registry.valid(entity));
  EXPECT_EQ(after, 0);
  EXPECT_EQ(schedule.systems()[thrower].times.runs, 0u);
  throws = false;
  schedule.run();
  EXPECT_FALSE(registry.valid(entity));
  EXPECT_EQ(after, 1);
}

TEST_F(ScheduleTest, AThrowingListenerKeepsLaterCommandsQueued) {
  const Entity first = registry.create();
  const Entity second = registry.create();
  bool throws = true;
  registry.destroying().connect([&](std::span<const Entity>) {
    if (std::exchange(throws, false)) throw std::runtime_error("no");
  });
  schedule.commands().destroy(first);
  schedule.commands().destroy(second);
  EXPECT_THROW(schedule.run(), std::runtime_error);
  EXPECT_TRUE(registry.valid(second));
  schedule.run();
  EXPECT_FALSE(registry.valid(first));
  EXPECT_FALSE(registry.valid(second));
}

TEST_F(ScheduleTest, CommandsFailUnderTheNameOfTheirSystem) {
  const Entity entity = registry.create(Position{});
  schedule.add("giver", phase, [&](const SystemContext& context) { context.commands.add<Position>(entity); });
  std::string running;
  registry.signals<Position>().construct.connect(
      [&](std::span<const Entity>) { running = core::log_fields().running; });
  schedule.add("later", phase, [](const SystemContext&) {});
  registry.remove<Position>(entity);
  schedule.run();
  EXPECT_EQ(running, "giver");
}

TEST(ScheduleOfSpawns, AnIncompleteSpawnIsFoundAfterItsSystem) {
  test::World world;
  Schedule schedule(world);
  const PrototypeId prototype[] = {world.prototype(world.create(test::Health{}))};
  const PhaseId phase = schedule.add_phase("simulate");
  schedule.add("spawner", phase, [&](const SystemContext& context) { context.registry.begin_spawn(prototype); });
  schedule.add("later", phase, [](const SystemContext&) { std::fprintf(stderr, "later"); });
  EXPECT_DEATH(schedule.run(), testing::Not(testing::HasSubstr("later")));
  EXPECT_DEATH(schedule.run(), "a spawn lacks 1 components");
}

TEST_F(ScheduleTest, ASystemIsAddedWhollyOrNotAtAll) {
  registry.pool_of<Position>();
  bool added = false;
  for (std::uint64_t nth = 1; !added; ++nth) {
    SCOPED_TRACE(nth);
    Schedule fresh(registry);
    fresh.add_phase("only");
    try {
      const test::FailingAllocation failing(nth);
      fresh.add_each<Position>("a system whose name is too long to lie in the string itself", 0, [](Position&) {});
      added = true;
      EXPECT_GT(nth, 4u);
    } catch (const std::bad_alloc&) {
      EXPECT_TRUE(fresh.systems().empty());
      EXPECT_TRUE(fresh.phases()[0].systems.empty());
      fresh.run();
    }
  }
}

using ScheduleDeathTest = ScheduleTest;

TEST_F(ScheduleDeathTest, DuplicateNamesAssert) {
  schedule.add("move", phase, [](const SystemContext&) {});
  const PhaseId other = schedule.add_phase("other");
  EXPECT_DEATH(schedule.add("move", other, [](const SystemContext&) {}), "there is a system move already");
  EXPECT_DEATH(schedule.add_phase("other"), "there is a phase other already");
}

TEST_F(ScheduleDeathTest, AddingOrRunningInsideOfARunAsserts) {
  int what = 0;
  schedule.add("adder", phase, [&](const SystemContext&) {
    if (what == 0) schedule.add("late", phase, [](const SystemContext&) {});
    if (what == 1) schedule.add_phase("late");
    if (what == 2) schedule.run();
  });
  EXPECT_DEATH(schedule.run(), "system late is added while systems run");
  what = 1;
  EXPECT_DEATH(schedule.run(), "phase late is added while systems run");
  what = 2;
  EXPECT_DEATH(schedule.run(), "a system runs a phase");
}

TEST_F(ScheduleDeathTest, ASystemOfNoPhaseAsserts) {
  EXPECT_DEATH(schedule.add("lost", phase + 1, [](const SystemContext&) {}),
               "system lost names a phase that does not exist");
  EXPECT_DEATH(schedule.run_phase(phase + 1), "there is no such phase");
}

TEST_F(ScheduleDeathTest, DeclaringUnknownSystemsOrPoolsAsserts) {
  const SystemId system = schedule.add("move", phase, [](const SystemContext&) {});
  EXPECT_DEATH(schedule.declare<Position>(system + 1), "there is no such system");
  EXPECT_DEATH(schedule.declare(system, {registry.pool_count(), false}), "access is to a pool of the registry");
}

}  // namespace
}  // namespace mobula::ecs::schedule_test
