#include <set>

#include "ecs/allocations.hpp"
#include "ecs/schedule_fixture.hpp"

namespace mobula::ecs::schedule_test {
namespace {

// Forms ----------------------------------------------------------------------------------

TEST_F(ScheduleTest, ASystemIsCalledForEachMatchingEntity) {
  schedule.add_each<Position, const Velocity>("move", phase, [](Position& p, const Velocity& v) { p.x += v.x; });
  const Entity fast = mover(3);
  const Entity slow = mover(1);
  const Entity still = registry.create();
  registry.add<Position>(still, {7});
  schedule.run();
  schedule.run();
  EXPECT_EQ(x(fast), 6);
  EXPECT_EQ(x(slow), 2);
  EXPECT_EQ(x(still), 7);
}

TEST_F(ScheduleTest, TheFunctionMayAskForTheEntityAndTheContext) {
  const Entity only = mover(1);
  registry.set_tick(5);
  std::vector<Entity> met;
  schedule.add_each<Position>("with entity", phase, [&](Entity entity, Position&) { met.push_back(entity); });
  schedule.add_each<Position>("with context", phase,
                              [](const SystemContext& context, Position& p) { p.x = static_cast<int>(context.tick); });
  schedule.add_each<Position>("with both", phase, [](const SystemContext& context, Entity entity, Position&) {
    context.commands.add<Frozen>(entity, {static_cast<int>(context.tick)});
  });
  schedule.run();
  EXPECT_EQ(met, std::vector<Entity>{only});
  EXPECT_EQ(x(only), 5);
  EXPECT_EQ(registry.get<const Frozen>(only).since, 5);
}

TEST_F(ScheduleTest, SystemsExcludeAndTakeOptionalComponents) {
  const Entity free = mover(1);
  const Entity frozen = mover(1);
  const Entity strong = mover(1);
  registry.add<Frozen>(frozen);
  registry.add<Energy>(strong, {10});
  schedule.add_each<Position, Maybe<Energy>>("jump", phase, exclude<Frozen>, [](Position& p, Energy* energy) {
    p.x += energy == nullptr ? 1 : energy->left--;
  });
  schedule.run();
  EXPECT_EQ(x(free), 1);
  EXPECT_EQ(x(frozen), 0);
  EXPECT_EQ(x(strong), 10);
  EXPECT_EQ(registry.get<const Energy>(strong).left, 9);
}

TEST_F(ScheduleTest, ListsLeaveOutAPool) {
  const Entity free = mover(1);
  const Entity frozen = mover(1);
  registry.add<Frozen>(frozen);
  const auto step = [](Position& p) { ++p.x; };
  schedule.add_each<Position>("before", phase, step);
  schedule.leave_out(registry.pool_of<Frozen>());
  schedule.add_each<Position>("after", phase, step);
  schedule.add<Position>("view", phase, [&](const SystemContext&, const View<Position>& all) { all.each(step); });
  schedule.run();
  EXPECT_EQ(x(free), 3);
  EXPECT_EQ(x(frozen), 1);
}

TEST_F(ScheduleTest, ASystemMayTakeAViewAGroupOrNothing) {
  mover(2);
  registry.add<Frozen>(mover(4));
  int viewed = 0;
  int grouped = 0;
  int bare = 0;
  schedule.add<const Velocity>("view", phase, [&](const SystemContext&, View<const Velocity> view) {
    view.each([&](const Velocity& v) { viewed += v.x; });
  });
  schedule.add<const Velocity>("view excluding", phase, exclude<Frozen>,
                               [&](const SystemContext&, const View<const Velocity>& view) {
                                 for (auto [entity, v] : view) viewed += 100 * v.x;
                               });
  schedule.add_grouped<Position, const Velocity>(
      "group", phase, exclude<Frozen>,
      [&](const SystemContext&, Group<Position, const Velocity> group) { grouped += static_cast<int>(group.size()); });
  schedule.add_grouped<const Velocity>("group of all", phase,
                                       [&](const SystemContext&, const Group<const Velocity>& group) {
                                         grouped += 10 * static_cast<int>(group.size());
                                       });
  schedule.add("bare", phase, [&](const SystemContext& context) { bare += context.registry.valid({}) ? 0 : 1; });
  schedule.run();
  EXPECT_EQ(viewed, 206);
  EXPECT_EQ(grouped, 21);
  EXPECT_EQ(bare, 1);
}

TEST_F(ScheduleTest, TheListOfAGroupedSystemIsAlwaysCurrent) {
  std::vector<std::uint32_t> sizes;
  const GroupSet* set = nullptr;
  schedule.add_grouped<Position, const Velocity>("list", phase, exclude<Frozen>,
                                                 [&](const SystemContext&, Group<Position, const Velocity> group) {
                                                   EXPECT_TRUE(set == nullptr || set == &group.set());
                                                   set = &group.set();
                                                   sizes.push_back(group.size());
                                                 });
  schedule.run();
  const Entity a = mover(1);
  const Entity b = mover(1);
  schedule.run();
  registry.add<Frozen>(a);
  schedule.run();
  registry.destroy(b);
  schedule.run();
  registry.remove<Frozen>(a);
  schedule.run();
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{0, 2, 1, 0, 1}));
}

TEST_F(ScheduleTest, ASystemMayHoldStateOfItsOwn) {
  std::vector<int> seen;
  schedule.add("count", phase, [&seen, runs = 0](const SystemContext&) mutable { seen.push_back(++runs); });
  schedule.run();
  schedule.run();
  EXPECT_EQ(seen, (std::vector<int>{1, 2}));
}

// Order ----------------------------------------------------------------------------------

TEST_F(ScheduleTest, PhasesRunInDeclaredOrderAndSystemsInTheirs) {
  std::string order;
  const auto note = [&order](char name) { return [&order, name](const SystemContext&) { order += name; }; };
  const PhaseId after = schedule.add_phase("after");
  const PhaseId last = schedule.add_phase("last");
  schedule.add("e", last, note('e'));
  schedule.add("c", after, note('c'));
  schedule.add("a", phase, note('a'));
  schedule.add("d", after, note('d'));
  schedule.add("b", phase, note('b'));
  schedule.run();
  EXPECT_EQ(order, "abcde");
  order.clear();
  schedule.run_phase(after);
  EXPECT_EQ(order, "cd");
}

TEST_F(ScheduleTest, ASystemSeesCommandsOfEarlierOnesApplied) {
  std::vector<std::uint32_t> seen;
  schedule.add("make", phase, [](const SystemContext& context) {
    context.commands.add<Energy>(context.commands.create(), {1});
    EXPECT_EQ(context.registry.pool(context.registry.pool_of<Energy>()).size(), 0u) << "not yet";
  });
  schedule.add("see", phase, [&](const SystemContext&) { seen.push_back(count<Energy>()); });
  schedule.add<const Energy>("end", phase, [](const SystemContext& context, View<const Energy> all) {
    all.each([&](Entity entity, const Energy&) { context.commands.destroy(entity); });
  });
  schedule.add("see again", schedule.add_phase("next"), [&](const SystemContext&) { seen.push_back(count<Energy>()); });
  schedule.run();
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{1, 0}));
}

TEST_F(ScheduleTest, EarlierCommandsAreAppliedAtTheNextRun) {
  const Entity entity = registry.create();
  std::uint32_t seen = 0;
  schedule.add("see", phase, [&](const SystemContext&) { seen = count<Energy>(); });
  schedule.commands().add<Energy>(entity);
  EXPECT_EQ(count<Energy>(), 0u);
  schedule.run();
  EXPECT_EQ(seen, 1u);
}

// Structural changes during iteration ----------------------------------------------------

// Changes that a system makes to entity i of each five; the others stay unchanged.
void change(const SystemContext& context, Entity entity, int i) {
  switch (i % 5) {
    case 0: context.registry.destroy(entity); break;
    case 1: context.registry.remove<Velocity>(entity); break;
    case 2: context.registry.remove<Position>(entity); break;
    case 3: context.registry.add<Energy>(entity, {i}); break;
    default: break;
  }
}

// Iterates over 1,000 changing entities, twice.
template <class AddSystem>
void iterate_and_change(Registry& registry, Schedule& schedule, AddSystem add_system) {
  std::multiset<int> met;
  add_system([&met](const SystemContext& context, Entity entity, Position& position, const Velocity& velocity) {
    met.insert(velocity.x);
    position.x += 1000;
    if (position.x < 2000) change(context, entity, velocity.x);
  });
  std::multiset<int> all;
  std::multiset<int> left;
  for (int i = 0; i < 1000; ++i) {
    const Entity entity = registry.create();
    registry.add<Position>(entity, {0});
    registry.add<Velocity>(entity, {i});
    all.insert(i);
    if (i % 5 >= 3) left.insert(i);
  }
  schedule.run();
  EXPECT_EQ(met, all) << "each just once";
  registry.check();
  met.clear();
  schedule.run();
  EXPECT_EQ(met, left);
  EXPECT_EQ(registry.pool(registry.pool_of<Energy>()).size(), 200u);
  EXPECT_EQ(registry.entities().size(), 800u);
}

TEST_F(ScheduleTest, EntitiesMayDestroyThemselvesInAView) {
  iterate_and_change(registry, schedule,
                     [&](auto function) { schedule.add_each<Position, const Velocity>("change", phase, function); });
}

TEST_F(ScheduleTest, EntitiesMayDestroyThemselvesInAGroup) {
  iterate_and_change(registry, schedule, [&](auto function) {
    schedule.add_grouped<Position, const Velocity>(
        "change", phase, [function](const SystemContext& context, Group<Position, const Velocity> group) mutable {
          group.each([&](Entity entity, Position& p, const Velocity& v) { function(context, entity, p, v); });
        });
  });
}

TEST_F(ScheduleTest, EntitiesMayDestroyThemselvesInAnOwningGroup) {
  iterate_and_change(registry, schedule, [&](auto function) {
    const auto owning = registry.group<Position, Velocity>();
    schedule.add("change", phase, [function, owning](const SystemContext& context) mutable {
      owning.each([&](Entity entity, Position& p, Velocity& v) { function(context, entity, p, v); });
    });
  });
}

TEST_F(ScheduleTest, AnEntityThatExcludesItselfIsNotRevisited) {
  int met = 0;
  schedule.add_each<const Position>("freeze", phase, exclude<Frozen>,
                                    [&](const SystemContext& context, Entity entity, const Position&) {
                                      ++met;
                                      context.registry.add<Frozen>(entity);
                                    });
  for (int i = 0; i < 300; ++i) mover(i);
  schedule.run();
  EXPECT_EQ(met, 300);
  schedule.run();
  EXPECT_EQ(met, 300);
}

TEST_F(ScheduleTest, OthersAreVisitedUntilCommandsDestroyThem) {
  std::vector<Entity> entities;
  for (int i = 0; i < 100; ++i) entities.push_back(mover(i));
  int met = 0;
  schedule.add_each<const Velocity>("duel", phase, [&](const SystemContext& context, const Velocity& v) {
    ++met;
    if (v.x % 2 == 0) context.commands.destroy(entities[static_cast<std::size_t>(v.x) + 1]);
  });
  schedule.run();
  EXPECT_EQ(met, 100);
  EXPECT_EQ(registry.entities().size(), 50u);
  schedule.run();  // also destroys entities that are dead already
  EXPECT_EQ(met, 150);
  EXPECT_EQ(registry.entities().size(), 50u);
}

TEST_F(ScheduleTest, CommandedSpawnsAreVisitedInTheNextRun) {
  mover(1);
  std::vector<int> met;
  const auto divide = [&met](const SystemContext& context, Position&, const Velocity& v) {
    ++met.back();
    const Entity made = context.commands.create();
    context.commands.add<Position>(made);
    context.commands.add<Velocity>(made, v);
  };
  schedule.add_each<Position, const Velocity>("divide", phase, divide);
  const auto group = registry.group<>(with<Position, const Velocity>);
  for (int run = 0; run < 6; ++run) {
    met.push_back(0);
    schedule.run();
  }
  EXPECT_EQ(met, (std::vector<int>{1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(group.size(), 64u);
}

// Access ---------------------------------------------------------------------------------

TEST_F(ScheduleTest, DeclaredAccessIsListedOncePerPool) {
  const PoolId position = registry.pool_of<Position>();
  const PoolId velocity = registry.pool_of<Velocity>();
  const PoolId frozen = registry.pool_of<Frozen>();
  const PoolId energy = registry.pool_of<Energy>();
  const SystemId first = schedule.add_each<const Velocity, Position, Maybe<const Energy>>(
      "first", phase, exclude<Frozen>, [](const Velocity&, Position&, const Energy*) {});
  const SystemId second =
      schedule.add_grouped<const Velocity>("second", phase, [](const SystemContext&, Group<const Velocity>) {});
  const SystemId third = schedule.add("third", phase, [](const SystemContext&) {});
  EXPECT_EQ(schedule.systems()[first].access,
            (std::vector<Access>{{position, true}, {velocity, false}, {frozen, false}, {energy, false}}));
  EXPECT_EQ(schedule.systems()[second].access, (std::vector<Access>{{velocity, false}}));
  EXPECT_TRUE(schedule.systems()[third].access.empty());

  schedule.declare<const Position, Velocity>(second);
  const PoolId spare = registry.pool_of<Energy>("Spare");
  schedule.declare(second, {spare, true});
  EXPECT_EQ(schedule.systems()[second].access,
            (std::vector<Access>{{position, false}, {velocity, true}, {spare, true}}));
  schedule.declare<const Velocity>(second);
  EXPECT_TRUE(schedule.systems()[second].access[1].writes) << "a write access stays one";
}

TEST_F(ScheduleTest, SystemsAndPhasesAreListed) {
  const PhaseId late = schedule.add_phase("late");
  const SystemId a = schedule.add("a", late, [](const SystemContext&) {});
  const SystemId b = schedule.add("b", phase, [](const SystemContext&) {});
  const SystemId c = schedule.add("c", late, [](const SystemContext&) {});
  ASSERT_EQ(schedule.systems().size(), 3u);
  EXPECT_EQ(schedule.systems()[b].name, "b");
  EXPECT_EQ(schedule.systems()[c].phase, late);
  ASSERT_EQ(schedule.phases().size(), 2u);
  EXPECT_EQ(schedule.phases()[late].name, "late");
  EXPECT_EQ(schedule.phases()[phase].systems, std::vector<SystemId>{b});
  EXPECT_EQ(schedule.phases()[late].systems, (std::vector<SystemId>{a, c}));
}

TEST_F(ScheduleTest, ConstComponentsOfASystemAreNotMarked) {
  mover(1);
  schedule.add_each<Position, const Velocity>("move", phase, [](Position& p, const Velocity& v) { p.x += v.x; });
  registry.set_tick(7);
  schedule.run();
  EXPECT_EQ(registry.pool(registry.pool_of<Position>()).change_ticks()[0], 7u);
  EXPECT_EQ(registry.pool(registry.pool_of<Velocity>()).change_ticks()[0], 1u);
}

// Time -----------------------------------------------------------------------------------

TEST_F(ScheduleTest, TimesAreKeptPerSystemAndSummedPerPhase) {
  const std::vector<std::int64_t> takes{5, 20, 10};
  const PhaseId other = schedule.add_phase("other");
  std::size_t run = 0;
  const SystemId varying = schedule.add("varying", phase, [&](const SystemContext&) { now += takes[run]; });
  const SystemId steady = schedule.add("steady", phase, [&](const SystemContext&) { now += 3; });
  const SystemId elsewhere = schedule.add("elsewhere", other, [&](const SystemContext&) { now += 1000; });
  for (; run < 3; ++run) {
    schedule.run();
    now += 1'000'000;  // between runs: not counted
  }
  const auto expect = [](const RunTimes& times, std::int64_t last, std::int64_t total, std::int64_t max) {
    EXPECT_EQ(times.runs, 3u);
    EXPECT_EQ(times.last_ns, last);
    EXPECT_EQ(times.total_ns, total);
    EXPECT_EQ(times.max_ns, max);
  };
  expect(schedule.systems()[varying].times, 10, 35, 20);
  expect(schedule.systems()[steady].times, 3, 9, 3);
  expect(schedule.systems()[elsewhere].times, 1000, 3000, 1000);
  expect(schedule.phases()[phase].times, 13, 44, 23);
  expect(schedule.phases()[other].times, 1000, 3000, 1000);
}

TEST_F(ScheduleTest, TimeOfASystemIncludesApplyingItsCommands) {
  const Entity entity = registry.create();
  registry.signals<Energy>().construct.connect([&](std::span<const Entity>) { now += 50; });
  const SystemId system = schedule.add("charge", phase, [&](const SystemContext& context) {
    now += 1;
    context.commands.add<Energy>(entity);
  });
  schedule.run();
  EXPECT_EQ(schedule.systems()[system].times.last_ns, 51);
}

TEST(Schedule, MeasuresWithAMonotonicClockByDefault) {
  Registry registry;
  Schedule schedule(registry);
  const PhaseId phase = schedule.add_phase("only");
  const SystemId system = schedule.add("system", phase, [](const SystemContext&) {});
  schedule.run();
  EXPECT_EQ(schedule.systems()[system].times.runs, 1u);
  EXPECT_GE(schedule.systems()[system].times.last_ns, 0);
}

TEST_F(ScheduleTest, ASteadyRunAllocatesNothing) {
  schedule.add_each<Position, const Velocity>("move", phase, [](Position& p, const Velocity& v) { p.x += v.x; });
  schedule.add_each<const Position>("freeze", phase, exclude<Frozen>,
                                    [](const SystemContext& context, Entity entity, const Position& p) {
                                      if (p.x > 50) context.registry.add<Frozen>(entity);
                                    });
  schedule.add_grouped<const Position, const Frozen>(
      "replace", schedule.add_phase("after"),
      [](const SystemContext& context, Group<const Position, const Frozen> group) {
        group.each([&](Entity entity, const Position& p, const Frozen&) {
          if (p.x < 100) return;
          context.commands.destroy(entity);
          const Entity made = context.commands.create();
          context.commands.add<Position>(made);
          context.commands.add<Velocity>(made, {1 + p.x % 7});
        });
      });
  for (int i = 0; i < 500; ++i) mover(1 + i % 7);
  const auto run = [&](int times) {
    for (int i = 0; i < times; ++i) {
      schedule.run();
      registry.clear_journal();
    }
  };
  run(500);
  const std::uint64_t before = test::allocations();
  run(100);
  EXPECT_EQ(test::allocations(), before);
  EXPECT_EQ(count<Position>(), 500u);
}

}  // namespace
}  // namespace mobula::ecs::schedule_test
