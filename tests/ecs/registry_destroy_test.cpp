// Destructors of components that destroy, remove and add: the registry stays whole.
#include <gtest/gtest.h>

#include <array>
#include <ecs/components.hpp>
#include <functional>
#include <memory>
#include <mobula/ecs/commands.hpp>
#include <string>
#include <utility>
#include <vector>

namespace mobula::ecs::registry_destroy_test {
namespace {

using test::Health;
using test::World;

// Owns an entity, which is destroyed with this component.
class Owner {
 public:
  Owner(Registry& registry, Entity owned) : registry_(&registry), owned_(owned) {}
  Owner(Owner&& other) noexcept : registry_(std::exchange(other.registry_, nullptr)), owned_(other.owned_) {}
  Owner& operator=(Owner&&) = delete;
  ~Owner() {
    if (registry_ != nullptr && registry_->valid(owned_)) registry_->destroy(owned_);
  }

 private:
  Registry* registry_;
  Entity owned_;
};

// Calls a function when it is destroyed.
struct AtEnd {
  std::unique_ptr<std::function<void()>> call;

  explicit AtEnd(std::function<void()> function) : call(new std::function<void()>(std::move(function))) {}
  AtEnd(AtEnd&&) = default;
  AtEnd& operator=(AtEnd&&) = delete;
  ~AtEnd() {
    if (call) (*call)();
  }
};

struct Name {
  std::string text;
};

struct ComponentDestructor : testing::TestWithParam<bool> {
  ComponentDestructor() {
    if (!GetParam()) return;
    world.signals<Owner>().destroy.connect([this](std::span<const Entity> all) {
      for (const Entity entity : all) notified.push_back(entity);
    });
    world.group<>(with<Health>, exclude<Owner>);
  }
  Entity make(int health) {
    const Entity made = world.create(Health{health});
    world.add<Name>(made, {"a name that is longer than what a string holds in itself"});
    return made;
  }
  void own(Entity owner, Entity owned) { world.emplace<Owner>(owner, world, owned); }
  void expect_size(std::uint32_t expected) {
    world.check();
    EXPECT_EQ(world.entities().size(), expected);
    EXPECT_EQ(world.pool<Health>().size(), expected);
    EXPECT_EQ(world.pool<Name>().size(), expected);
  }

  World world;
  std::vector<Entity> notified;
};

INSTANTIATE_TEST_SUITE_P(Watched, ComponentDestructor, testing::Bool());

TEST_P(ComponentDestructor, DestroysAChainOfOwnedEntities) {
  for (const bool first_owner_first : {true, false}) {
    const Entity a = make(1);
    const Entity b = make(2);
    const Entity c = make(3);
    const Entity other = make(4);
    own(first_owner_first ? a : b, first_owner_first ? b : c);
    own(other, null_entity);
    own(first_owner_first ? b : a, first_owner_first ? c : b);
    world.destroy(a);
    expect_size(1);
    EXPECT_TRUE(world.has<Owner>(other));
    world.destroy(other);
    expect_size(0);
  }
}

TEST_P(ComponentDestructor, DestroysACircleOfOwnersOnce) {
  const Entity a = make(1);
  const Entity b = make(2);
  own(a, b);
  own(b, a);
  world.destroy(b);
  expect_size(0);
}

TEST_P(ComponentDestructor, DestroysEntitiesOfTheSameBulkDestroy) {
  std::vector<Entity> all;
  for (int i = 0; i < 40; ++i) all.push_back(make(i));
  for (std::size_t i = 0; i < all.size(); ++i) own(all[i], all[(i * 7 + 3) % all.size()]);
  world.destroy(std::span(all).first(10));
  world.check();
  for (std::size_t i = 0; i < 10; ++i) EXPECT_FALSE(world.valid(all[i]));
}

TEST_P(ComponentDestructor, DestroysEntitiesOfTheSameRange) {
  const EntityRange range = world.create_range(20);
  for (std::uint32_t i = 0; i < range.count; ++i) own(range.at(i), range.at((i * 7 + 3) % range.count));
  const Entity outside = world.create();
  own(outside, range.at(5));
  world.destroy_range(range);
  world.check();
  EXPECT_EQ(world.entities().size(), 1u);
  world.destroy(outside);
  EXPECT_EQ(world.entities().size(), 0u);
}

TEST_P(ComponentDestructor, MayChangeTheListOfABulkCall) {
  std::vector<Entity> all;
  for (int i = 0; i < 20; ++i) all.push_back(make(i));
  const std::vector<Entity> given = all;
  const auto forget = [&all](Entity entity) { return [&all, entity] { std::erase(all, entity); }; };
  for (const Entity entity : given) world.emplace<AtEnd>(entity, forget(entity));
  world.remove<AtEnd>(all);
  EXPECT_TRUE(all.empty());
  for (const Entity entity : given) EXPECT_FALSE(world.has<AtEnd>(entity));
  all = given;
  for (const Entity entity : given) world.emplace<AtEnd>(entity, forget(entity));
  world.destroy(all);
  EXPECT_TRUE(all.empty());
  expect_size(0);
}

TEST_P(ComponentDestructor, AListenerMayChangeTheListOfABulkDestroy) {
  std::vector<Entity> all;
  for (int i = 0; i < 20; ++i) all.push_back(make(i));
  world.signals<Health>().destroy.connect([&all](std::span<const Entity> leaving) {
    for (const Entity entity : leaving) std::erase(all, entity);
    all.shrink_to_fit();
  });
  world.destroy(all);
  EXPECT_TRUE(all.empty());
  expect_size(0);
}

struct Grid {
  std::array<char, (9u << 20)> cells;
  std::unique_ptr<int> number;
};

TEST_P(ComponentDestructor, ALargeOneNeedsNoLargeStack) {
  const Entity entity = make(1);
  world.emplace<Grid>(entity).number = std::make_unique<int>(7);
  world.remove<Grid>(entity);
  world.emplace<Grid>(entity).number = std::make_unique<int>(8);
  world.destroy(entity);
  expect_size(0);
}

TEST_P(ComponentDestructor, DestroysTheOwnedEntityOnRemoval) {
  const Entity a = make(1);
  const Entity b = make(2);
  own(b, null_entity);
  own(a, b);
  world.remove<Owner>(a);
  expect_size(1);
  EXPECT_FALSE(world.has<Owner>(a));
  EXPECT_TRUE(world.valid(a));
}

TEST_P(ComponentDestructor, DestroysEntitiesOfTheSameBulkRemoval) {
  std::vector<Entity> all;
  for (int i = 0; i < 10; ++i) all.push_back(make(i));
  for (std::size_t i = 0; i < all.size(); ++i) own(all[i], i % 2 == 0 ? all[i + 1] : null_entity);
  world.remove<Owner>(std::span<const Entity>(all));
  expect_size(5);
  EXPECT_EQ(world.pool<Owner>().size(), 0u);
}

TEST_P(ComponentDestructor, DestroysTheOwnedEntityOnOverwrite) {
  const Entity a = make(1);
  const Entity b = make(2);
  own(b, a);
  own(a, b);
  Commands commands(world);
  commands.emplace<Owner>(a, world, null_entity);
  commands.apply();
  expect_size(0);
}

TEST_P(ComponentDestructor, DestroysEntitiesThatAreIterated) {
  std::vector<Entity> all;
  for (int i = 0; i < 200; ++i) all.push_back(make(i));
  for (std::size_t i = 0; i < all.size(); ++i) own(all[i], all[(i * 37 + 1) % all.size()]);
  world.view<Owner>().each([&](Entity entity, Owner&) {
    if (entity.index % 3 == 0) world.destroy(entity);
  });
  world.check();
}

TEST_P(ComponentDestructor, MayCreateAnEntityOfTheSameComponents) {
  const Entity a = world.create(Health{1});
  Entity made;
  world.emplace<AtEnd>(a, [&] {
    made = world.create(Health{2});
    world.add<Name>(made, {"heir"});
    world.emplace<AtEnd>(made, [] {});
  });
  world.add<Name>(a, {"parent"});
  world.destroy(a);
  world.check();
  EXPECT_EQ(world.get<Name>(made).text, "heir");
  EXPECT_EQ(world.pool<AtEnd>().size(), 1u);
}

TEST_P(ComponentDestructor, SeesTheRegistryWithoutItsEntity) {
  const Entity a = world.create(Health{1});
  const Entity b = world.create(Health{2});
  int called = 0;
  world.emplace<AtEnd>(a, [&] {
    ++called;
    EXPECT_FALSE(world.valid(a));
    EXPECT_FALSE(world.pool<Name>().contains(a.index));
    EXPECT_FALSE(world.pool<AtEnd>().contains(a.index));
    EXPECT_EQ(world.get<Health>(b).value, 2);
    world.check();
  });
  world.add<Name>(a, {"name"});
  world.destroy(a);
  EXPECT_EQ(called, 1);
}

TEST_P(ComponentDestructor, DestroysAtTheEndOfTheRegistry) {
  std::vector<Entity> all;
  for (int i = 0; i < 100; ++i) all.push_back(make(i));
  for (std::size_t i = 0; i < all.size(); ++i) own(all[i], all[(i * 37 + 1) % all.size()]);
}

// Destroys the first of a chain in which each entity owns the next one.
void destroy_chain(int length) {
  World world;
  Entity next = world.create();
  for (int i = 0; i < length; ++i) {
    const Entity owner = world.create();
    world.emplace<Owner>(owner, world, next);
    next = owner;
  }
  world.destroy(next);
  EXPECT_EQ(world.entities().size(), 0u);
}

TEST(ComponentDestructorDeath, AChainWithoutEndIsNamed) {
  destroy_chain(1024);
  EXPECT_DEATH(destroy_chain(40'000), "destructors of component .*Owner destroy entities with it 1024 deep");
}

TEST(ComponentDestructorDeath, AnAddAtTheEndOfTheRegistryIsNamed) {
  const auto end = [] {
    std::function<void()> again;
    World world;
    again = [&] { world.emplace<AtEnd>(world.create(), again); };
    world.emplace<AtEnd>(world.create(), again);
  };
  EXPECT_DEATH(end(), "a component's destructor adds component .*AtEnd while the registry ends");
}

}  // namespace
}  // namespace mobula::ecs::registry_destroy_test
