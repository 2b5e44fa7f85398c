#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/core/random.hpp>
#include <mobula/ecs/sort.hpp>
#include <set>

#include "hierarchy/reference_hierarchy.hpp"

namespace mobula::hierarchy {
namespace {

using ecs::Entity;
using engine::Parent;

class LinksTest : public testing::Test {
 protected:
  Entity make(Entity parent) {
    const Entity entity = world.create();
    world.add<Parent>(entity, {parent});
    return entity;
  }
  // Returns the indices whose Parent has changed.
  std::set<std::uint32_t> follow() {
    const std::span<const std::uint32_t> changed = links.follow(world, world.pool<Parent>());
    links.check(world.pool<Parent>());
    return {changed.begin(), changed.end()};
  }
  [[nodiscard]] std::set<std::uint32_t> children(Entity parent) const {
    std::set<std::uint32_t> found;
    links.each_child(parent, [&](std::uint32_t child) { found.insert(child); });
    return found;
  }

  using Indices = std::set<std::uint32_t>;
  test::World world;
  Links links;
};

TEST_F(LinksTest, FollowsAddedChangedAndRemovedParents) {
  const Entity a = world.create();
  const Entity b = world.create();
  const Entity c = make(a);
  EXPECT_EQ(follow(), (Indices{c.index}));
  EXPECT_EQ(children(a), (Indices{c.index}));
  EXPECT_EQ(links.parent(c.index), a);

  world.get<Parent>(c).entity = b;
  EXPECT_EQ(follow(), (Indices{c.index})) << "written after follow(), in the same tick";
  EXPECT_EQ(children(a), Indices{});
  EXPECT_EQ(children(b), (Indices{c.index}));
  EXPECT_EQ(follow(), Indices{});

  world.next_tick();
  world.remove<Parent>(c);
  EXPECT_EQ(follow(), (Indices{c.index}));
  EXPECT_EQ(children(b), Indices{});
  EXPECT_EQ(links.parent(c.index), ecs::null_entity);
}

TEST_F(LinksTest, ChildrenOfADeadEntityHaveNoParent) {
  const Entity a = world.create();
  const Entity b = make(a);
  const Entity c = make(b);
  follow();
  world.destroy(b);
  EXPECT_EQ(follow(), (Indices{b.index}));
  EXPECT_EQ(children(a), Indices{});
  const Entity again = world.create();
  ASSERT_EQ(again.index, b.index);
  EXPECT_EQ(children(again), Indices{}) << "the named entity is dead";
  EXPECT_EQ(children(b), (Indices{c.index}));
}

TEST_F(LinksTest, AParentMayBeCreatedAfterItsChildNamesIt) {
  const Entity a = world.create();
  const Entity b = make({a.index + 3, a.generation});
  const Entity far = make({4'000'000'000, 1});
  EXPECT_EQ(follow(), (Indices{b.index, far.index}));
  const Entity parent = world.create();
  ASSERT_EQ(parent, (Entity{a.index + 3, a.generation}));
  EXPECT_EQ(follow(), (Indices{b.index, far.index})) << "is read again";
  EXPECT_EQ(children(parent), (Indices{b.index}));
}

TEST_F(LinksTest, AParentMayBeTheEntityItselfOrNull) {
  const Entity a = world.create();
  world.add<Parent>(a, {a});
  const Entity b = make({});
  EXPECT_EQ(follow(), (Indices{a.index})) << "a null Parent equals no Parent";
  EXPECT_EQ(children(a), (Indices{a.index}));
  EXPECT_EQ(links.parent(b.index), ecs::null_entity);
}

TEST_F(LinksTest, ATickSetBackHidesNoChange) {
  const Entity a = world.create();
  const Entity b = world.create();
  const Entity c = make(a);
  world.set_tick(100);
  follow();
  world.set_tick(5);
  world.get<Parent>(c).entity = b;
  EXPECT_EQ(follow(), (Indices{c.index}));
}

TEST_F(LinksTest, FindsEverythingAgainAfterClear) {
  const Entity a = world.create();
  const Entity b = make(a);
  follow();
  links.clear();
  EXPECT_EQ(children(a), Indices{});
  EXPECT_EQ(follow(), (Indices{b.index}));
}

TEST_F(LinksTest, RandomWritesInAnyOrderOfThePool) {
  core::Random random(1);
  std::vector<Entity> entities{world.create()};
  const auto any = [&] { return entities[random.below(static_cast<std::uint32_t>(entities.size()))]; };
  for (int round = 0; round < 2000; ++round) {
    switch (random.below(8)) {
      case 0:
      case 1: entities.push_back(make(any())); break;
      case 2:
      case 3:
        for (int i = 0; i < 3; ++i)
          if (auto* parent = world.try_get<Parent>(any())) parent->entity = any();
        break;
      case 4:
        if (const Entity entity = any(); world.valid(entity) && !world.has<Parent>(entity))
          world.add<Parent>(entity, {any()});
        break;
      case 5:
        if (const Entity entity = any(); world.has<Parent>(entity)) world.remove<Parent>(entity);
        break;
      case 6:
        if (const Entity entity = any(); world.valid(entity)) world.destroy(entity);
        break;
      default:
        if (random.chance(1, 10)) {
          ecs::sort_by<Parent>(world, [](const Parent& parent) { return parent.entity.index; });
        } else {
          world.next_tick();
        }
    }
    if (random.chance(1, 2)) continue;
    follow();
    const test::ReferenceHierarchy reference(world);
    for (const Entity entity : world.entities()) {
      Indices expected;
      for (const Entity child : reference.children(entity)) expected.insert(child.index);
      ASSERT_EQ(children(entity), expected) << to_string(entity) << " in round " << round;
    }
  }
}

}  // namespace
}  // namespace mobula::hierarchy
