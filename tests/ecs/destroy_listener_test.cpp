// Listeners that destroy the partner of what is destroyed: its listener destroys the first again.
#include <gtest/gtest.h>

#include <ecs/components.hpp>
#include <map>
#include <mobula/ecs/commands.hpp>

namespace mobula::ecs::destroy_listener_test {
namespace {

using test::World;

struct Rope {
  Entity other;
};

struct DestroyListener : testing::Test {
  World world;
  std::map<Entity, int> notified;

  explicit DestroyListener(bool unties = true) {
    world.signals<Rope>().destroy.connect([this, unties](std::span<const Entity> leaving) {
      for (const Entity entity : leaving) {
        ++notified[entity];
        Rope& rope = world.get<Rope>(entity);
        const Entity other = unties ? std::exchange(rope.other, null_entity) : rope.other;
        if (world.valid(other)) world.destroy(other);
      }
    });
  }
  std::pair<Entity, Entity> pair() {
    const Entity a = world.create();
    const Entity b = world.create();
    tie(a, b);
    return {a, b};
  }
  void tie(Entity a, Entity b) {
    world.add<Rope>(a, {b});
    world.add<Rope>(b, {a});
  }
  void expect_gone(std::initializer_list<Entity> entities) {
    for (const Entity entity : entities) {
      EXPECT_FALSE(world.valid(entity)) << to_string(entity);
      EXPECT_EQ(notified[entity], 1) << to_string(entity);
    }
    EXPECT_EQ(world.entities().size(), 0u);
    world.check();
    std::vector<Entity> more(1000);
    ASSERT_TRUE(world.create(more));
    std::sort(more.begin(), more.end(), [](Entity x, Entity y) { return x.index < y.index; });
    EXPECT_EQ(std::adjacent_find(more.begin(), more.end(), [](Entity x, Entity y) { return x.index == y.index; }),
              more.end());
  }
};

struct KnottedDestroyListener : DestroyListener {
  KnottedDestroyListener() : DestroyListener(false) {}
};

TEST_F(DestroyListener, MayUseTheIndicesOfARangeThatItDestroys) {
  const EntityRange range = world.create_range(2);
  EntityRange next;
  bool first = true;
  world.destroying().connect([&](std::span<const Entity>) {
    if (!std::exchange(first, false)) return;
    world.destroy_range(range);
    next = world.create_range(2);
    world.destroy(next.at(0));
  });
  world.destroy(range.at(0));
  EXPECT_EQ(next.first, range.first);
  EXPECT_FALSE(world.valid(next.at(0)));
  EXPECT_TRUE(world.valid(next.at(1)));
  EXPECT_EQ(world.entities().size(), 1u);
  world.check();
}

TEST_F(DestroyListener, APairIsDestroyedOnce) {
  const auto [a, b] = pair();
  world.destroy(a);
  expect_gone({a, b});
}

TEST_F(DestroyListener, APairInOneListIsDestroyedOnce) {
  const auto [a, b] = pair();
  world.destroy(std::array{a, b});
  expect_gone({a, b});
}

TEST_F(DestroyListener, APairIsDestroyedOnceByCommands) {
  const auto [a, b] = pair();
  Commands commands(world);
  commands.destroy(a);
  commands.destroy(b);
  commands.apply();
  expect_gone({a, b});
}

TEST_F(DestroyListener, ARemovalThatComesBackDestroysBoth) {
  const auto [a, b] = pair();
  world.remove<Rope>(a);
  expect_gone({a, b});
}

TEST_F(DestroyListener, PairsInARangeAreDestroyedOnce) {
  const EntityRange range = world.create_range(4);
  tie(range.at(0), range.at(3));
  tie(range.at(1), range.at(2));
  world.destroy_range(range);
  expect_gone({range.at(0), range.at(1), range.at(2), range.at(3)});
}

TEST_F(DestroyListener, AChainIsDestroyedToItsEnd) {
  std::vector<Entity> chain(100);
  ASSERT_TRUE(world.create(chain));
  for (std::size_t i = 0; i < chain.size(); ++i) world.add<Rope>(chain[i], {chain[(i + 1) % chain.size()]});
  world.destroy(chain[7]);
  EXPECT_EQ(world.entities().size(), 0u);
  world.check();
}

TEST_F(KnottedDestroyListener, AListenerWithoutAGuardEndsToo) {
  const auto [a, b] = pair();
  world.destroy(a);
  expect_gone({a, b});
}

TEST(DestroyListenerDeath, AComponentRemovedByItsListenerIsNamed) {
  World world;
  world.signals<Rope>().construct.connect([&](std::span<const Entity> made) { world.remove<Rope>(made.front()); });
  const Entity entity = world.create();
  EXPECT_DEATH(world.add<Rope>(entity),
               "a construct listener of component .*Rope removed it from entity 0.1 while it was added");
}

TEST(DestroyListenerDeath, AnEntityDestroyedWhileAddedIsNamed) {
  World world;
  const auto destroy = [&](std::span<const Entity> made) { world.destroy(made.front()); };
  world.signals<Rope>().construct.connect(destroy);
  world.signals<test::Health>().construct.connect(destroy);
  const Entity entity = world.create();
  const std::string message = "a construct listener of component .* destroyed entity 0.1 while it was added";
  EXPECT_DEATH(world.add<Rope>(entity), message);
  EXPECT_DEATH(world.emplace<Rope>(entity, null_entity), message);
  EXPECT_DEATH(world.add<test::Health>(entity), message);
  EXPECT_EQ(world.add_bytes(entity, world.pool_of<test::Health>()), nullptr);
  EXPECT_FALSE(world.valid(entity));
  const Entity another = world.create();
  world.add<Rope>(std::span(&another, 1));
  EXPECT_FALSE(world.valid(another)) << "a bulk add returns nothing, so its listeners may destroy";
  world.check();
}

TEST(DestroyListenerDeath, AnEntityListedTwiceIsNamed) {
  World world;
  const Entity entity = world.create();
  EXPECT_DEATH(world.destroy(std::array{entity, entity}), "destroying entity 0.1, which is not alive");
  world.destroying().connect([](std::span<const Entity>) {});
  EXPECT_DEATH(world.destroy(std::array{entity, entity}), "entity 0.1 is listed twice");
}

}  // namespace
}  // namespace mobula::ecs::destroy_listener_test
