// Components and fixture shared by the tests of Schedule.
#pragma once

#include <gtest/gtest.h>

#include <mobula/ecs/schedule.hpp>

namespace mobula::ecs::schedule_test {

struct Position {
  int x = 0;
};
struct Velocity {
  int x = 0;
};
struct Frozen {
  int since = 0;
};
struct Energy {
  int left = 0;
};

struct ScheduleTest : testing::Test {
  Registry registry;
  std::int64_t now = 0;
  Schedule schedule{registry, [this] { return now; }};
  PhaseId phase = schedule.add_phase("simulate");

  ~ScheduleTest() override { registry.check(); }

  Entity mover(int velocity) {
    const Entity entity = registry.create();
    registry.add<Position>(entity);
    registry.add<Velocity>(entity, {velocity});
    return entity;
  }
  int x(Entity entity) { return registry.get<const Position>(entity).x; }
  template <class T>
  std::uint32_t count() {
    return registry.pool(registry.pool_of<T>()).size();
  }
};

}  // namespace mobula::ecs::schedule_test
