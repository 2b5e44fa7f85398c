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

struct C {
  int value = 0;
};

TEST(View, LeavesOutWhatIsExcludedAndOffersWhatIsOptional) {
  constexpr std::uint64_t seed = 12;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  Registry registry;
  std::map<Entity, int> expected;
  for (int i = 0; i < 3000; ++i) {
    const Entity entity = registry.create();
    registry.add<A>(entity, {i});
    const bool excluded = i < 1500 && random.chance(1, 10);
    const bool optional = random.chance(1, 3);
    if (excluded) registry.add<B>(entity);
    if (optional) registry.add<C>(entity, {7});
    if (!excluded) expected[entity] = optional ? 7 : 0;
  }
  std::map<Entity, int> visited;
  registry.view<const A, Maybe<const C>>(exclude<B>).each([&](Entity entity, const A&, const C* c) {
    visited[entity] = c == nullptr ? 0 : c->value;
  });
  EXPECT_EQ(visited, expected);
}

// Blocks of equal order, shifted order and no order side by side, changing as it goes.
TEST(View, UnderChurnVisitsExactlyWhatALookUpOfEveryEntityFinds) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    Registry registry;
    std::vector<Entity> entities;
    for (int i = 0; i < 1500; ++i) {
      const Entity entity = entities.emplace_back(registry.create());
      registry.add<A>(entity, {i});
      registry.add<B>(entity, {i});
    }
    for (int round = 0; round < 60; ++round) {
      for (std::uint32_t change = random.below(4); change > 0; --change) {
        const Entity entity = entities[random.below(1500)];
        registry.has<B>(entity) ? registry.remove<B>(entity) : void(registry.add<B>(entity, {round}));
      }
      std::map<Entity, int> expected;
      for (const Entity entity : entities)
        if (registry.has<B>(entity))
          expected[entity] = registry.get<const A>(entity).value + registry.get<const B>(entity).value;
      std::map<Entity, int> visited;
      registry.set_tick(registry.tick() + 1);
      registry.view<const A, B>().each([&](Entity entity, const A& a, B& b) {
        EXPECT_TRUE(visited.emplace(entity, a.value + b.value).second) << "visited twice";
      });
      ASSERT_EQ(visited, expected);
      const Pool& written = registry.pool(registry.pool_of<B>());
      for (const Tick stamp : written.stamps()) ASSERT_EQ(stamp, registry.tick()) << "all of B was written";
    }
  }
}

TEST(View, DestroyingWhatIsVisitedVisitsEveryoneOnce) {
  for (const int size : {1, 63, 64, 65, 128, 700, 1025, 5000}) {
    SCOPED_TRACE(size);
    Registry registry;
    for (int i = 0; i < size; ++i) {
      const Entity entity = registry.create();
      registry.add<A>(entity, {i});
      registry.add<B>(entity, {i});
    }
    std::map<int, int> visits;
    registry.view<const A, B>().each([&](Entity entity, const A& a, B& b) {
      EXPECT_EQ(a.value, b.value);
      ++visits[a.value];
      if (a.value % 3 != 0) registry.destroy(entity);
    });
    EXPECT_EQ(visits.size(), static_cast<std::size_t>(size));
    for (const auto& [value, count] : visits) ASSERT_EQ(count, 1) << value;
    registry.check();
  }
}

TEST(View, AFunctionMayAskForTheComponentsAlone) {
  Registry registry;
  for (int i = 0; i < 200; ++i) registry.add<A>(registry.create(), {i});
  int sum = 0;
  registry.view<A>().each([&](A& a) { sum += a.value; });
  EXPECT_EQ(sum, 199 * 200 / 2);
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
