// Typed access: how a type finds its pool, and a handle its component.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "ecs/components.hpp"

namespace mobula::ecs::registry_typed_test {
namespace {

using test::Health;
using test::no_pages;
using test::World;

template <std::size_t>
struct Numbered {
  std::size_t value = 0;
};

// More types than a registry holds in itself.
TEST(RegistryTyped, PoolsOfManyTypesAreFoundAgain) {
  World world;
  World other;
  const Entity entity = world.create();
  const auto add_all = [&]<std::size_t... Is>(std::index_sequence<Is...> /*all*/) {
    (world.add(entity, Numbered<Is>{Is}), ...);
    const std::vector<const Pool*> pools{&world.pool<Numbered<Is>>()...};
    EXPECT_EQ(pools, (std::vector<const Pool*>{&world.pool<Numbered<Is>>()...}));
    for (std::size_t i = 1; i < pools.size(); ++i) EXPECT_EQ(pools[i]->id(), pools[i - 1]->id() + 1);
    EXPECT_TRUE(((std::as_const(world).get<const Numbered<Is>>(entity).value == Is) && ...));
    EXPECT_FALSE((std::as_const(other).has<Numbered<Is>>(entity) || ...));
  };
  add_all(std::make_index_sequence<160>());
  EXPECT_EQ(other.pool_count(), 0u);
  world.check();
}

// Asks for its own entity's components while it is destroyed.
struct Asking {
  World* world = nullptr;
  Entity self;
  int* found = nullptr;

  Asking(World& in, Entity entity, int& count) : world(&in), self(entity), found(&count) {}
  Asking(Asking&& other) noexcept : world(std::exchange(other.world, nullptr)), self(other.self), found(other.found) {}
  ~Asking() {
    if (world != nullptr && (world->has<Asking>(self) || world->try_get<const Asking>(self) != nullptr)) ++*found;
  }
};

TEST(RegistryTyped, TheHandleOfADyingEntityFindsNothing) {
  for (const EntityPoolConfig& entities : {EntityPoolConfig{.reuse_bits = 1}, {.recycling = Recycling::lifo}}) {
    World world({.entities = entities, .pools = {}});
    int found = 0;
    const EntityRange range = world.create_range(3);
    for (const Entity entity : {range.at(0), range.at(1), world.create()}) {
      world.emplace<Asking>(entity, world, entity, found);
      world.destroy(entity);
      EXPECT_EQ(world.try_get<const Asking>(entity), nullptr);
    }
    EXPECT_EQ(found, 0);
    world.check();
  }
}

// Adds one of its own type to another entity, or removes that one.
struct Meddling {
  Meddling() = default;
  Meddling(World& world, Entity other) {
    if (world.has<Meddling>(other)) {
      world.remove<Meddling>(other);
    } else {
      world.emplace<Meddling>(other);
    }
  }
};

TEST(RegistryTypedDeathTest, AConstructorThatChangesItsPoolIsFound) {
  World world;
  const Entity first = world.create();
  const Entity second = world.create();
  const char* const message =
      "the constructor of component .*Meddling of entity 0.1 adds or removes another .*Meddling";
  EXPECT_DEATH(world.emplace<Meddling>(first, world, second), message);
  world.emplace<Meddling>(second);
  EXPECT_DEATH(world.emplace<Meddling>(first, world, second), message);
}

// Adds one of its own type to another entity and removes it again: the size is the same then.
struct Fleeting {
  Fleeting() = default;
  Fleeting(World& world, Entity other) {
    world.emplace<Fleeting>(other);
    world.remove<Fleeting>(other);
  }
};

// Opens a group of its own type, which would not have the entity.
struct Grouping {
  explicit Grouping(World& world) { static_cast<void>(world.group<const Grouping>()); }
};

TEST(RegistryTypedDeathTest, AConstructorThatLeavesNoTraceIsFound) {
  World world;
  const Entity first = world.create();
  const Entity second = world.create();
  EXPECT_DEATH(world.emplace<Fleeting>(first, world, second), "adds or removes another .*Fleeting");
  EXPECT_DEATH(world.emplace<Grouping>(first, world), "the constructor of component .*Grouping");
}

// Destroys an entity when it is made, or copied.
struct Fatal {
  Fatal(World& in, Entity self) : world(&in), entity(self) { in.destroy(self); }
  Fatal(const Fatal& other) : world(other.world), entity(other.entity) { world->destroy(entity); }
  Fatal(Fatal&&) noexcept = default;

  World* world;
  Entity entity;
};

struct HealthOfTheDead {
  operator std::int32_t() const {
    world.destroy(entity);
    return 5;
  }
  World& world;
  Entity entity;
};

TEST(RegistryTypedDeathTest, ADestroyingConstructorIsFound) {
  World world;
  const Entity entity = world.create();
  EXPECT_DEATH(world.emplace<Fatal>(entity, world, entity), "the constructor of component .*Fatal of entity 0.1 adds");
  EXPECT_DEATH(world.emplace<Health>(entity, HealthOfTheDead{world, entity}), "of component Health of entity 0.1 adds");
  const std::array entities{entity};
  Fatal fatal(world, world.create());
  fatal.entity = entity;
  EXPECT_DEATH(world.add<Fatal>(entities, std::move(fatal)), "the constructor of component .*Fatal of entity 0.1 adds");
}

TEST(RegistryTyped, WithoutTheNamedInstanceNothingIsFound) {
  World world;
  const Entity entity = world.create(Health{});
  const PoolId none = world.find(entity, core::StringId32("Shield"));
  EXPECT_EQ(none, no_pool);
  EXPECT_EQ(world.try_get<Health>(entity, none), nullptr);
  EXPECT_EQ(world.try_read(entity, none), nullptr);
  EXPECT_EQ(world.try_write(entity, none), nullptr);
  EXPECT_DEATH(world.get<Health>(entity, none), "entity 0.1 has no component in no_pool");
  EXPECT_DEATH(world.remove(entity, none), "entity 0.1 has no component in no_pool");
}

TEST(RegistryTyped, AMirrorFindsComponentsWhateverItsConfig) {
  for (const PoolConfig& pools : {PoolConfig{}, no_pages}) {
    World mirror({.entities = {.recycling = Recycling::given}, .pools = pools});
    const Entity entity{70'000, 12};
    ASSERT_TRUE(mirror.create_given(entity));
    mirror.add<Health>(entity, {7});
    EXPECT_FALSE(mirror.pool<Health>().set().has_pages());
    EXPECT_EQ(mirror.get<const Health>(entity).value, 7);
    for (const Entity stale : {Entity{70'000, 11}, Entity{70'000, 13}, Entity{70'001, 12}, null_entity})
      EXPECT_EQ(mirror.try_get<const Health>(stale), nullptr);
    mirror.destroy(entity);
    EXPECT_EQ(mirror.try_get<const Health>(entity), nullptr);
    mirror.check();
  }
}

}  // namespace
}  // namespace mobula::ecs::registry_typed_test
