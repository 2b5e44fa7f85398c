#include <gtest/gtest.h>

#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {
namespace {

struct A {
  int value = 0;
};
struct B {
  int value = 0;
};

TEST(View, VisitsExactlyTheEntitiesThatHaveAllComponents) {
  constexpr std::uint64_t seed = 11;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  Registry registry;
  std::map<Entity, int> expected;
  for (int i = 0; i < 1000; ++i) {
    const Entity entity = registry.create();
    const bool a = random.chance(1, 2);
    const bool b = random.chance(1, 3);
    if (a) registry.add<A>(entity, {i});
    if (b) registry.add<B>(entity, {1});
    if (a && b) expected[entity] = i;
  }
  std::map<Entity, int> visited;
  registry.view<const A, const B>().each([&](Entity entity, const A& a, const B&) { visited[entity] = a.value; });
  EXPECT_EQ(visited, expected);
  visited.clear();
  registry.view<B, A>().each([&](Entity entity, B&, A& a) { visited[entity] = a.value; });
  EXPECT_EQ(visited, expected);
}

TEST(View, OnlyWhatIsTakenMutablyIsStamped) {
  Registry registry;
  const Entity both = registry.create();
  registry.add<A>(both);
  registry.add<B>(both);
  registry.set_tick(4);
  registry.view<A, const B>().each([](Entity, A&, const B&) {});
  EXPECT_EQ(registry.pool(registry.pool_of<A>()).stamps()[0], 4u);
  EXPECT_EQ(registry.pool(registry.pool_of<B>()).stamps()[0], 1u);
}

TEST(View, TheFunctionMayDestroyWhatItVisitsAndMakeMore) {
  Registry registry;
  for (int i = 0; i < 100; ++i) registry.add<A>(registry.create(), {i});
  int visits = 0;
  registry.view<const A>().each([&](Entity entity, const A& a) {
    ++visits;
    if (a.value % 2 == 0) {
      registry.destroy(entity);
    } else {
      registry.add<A>(registry.create(), {-1});
    }
  });
  EXPECT_EQ(visits, 100);
  EXPECT_EQ(registry.entities().size(), 100u);
  registry.check();
}

}  // namespace
}  // namespace mobula::ecs
