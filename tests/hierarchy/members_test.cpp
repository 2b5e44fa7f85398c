#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/hierarchy/members.hpp>
#include <set>

#include "hierarchy/reference_hierarchy.hpp"

namespace mobula::hierarchy {
namespace {

using ecs::Entity;
using engine::Parent;
using engine::Transform;

class MembersTest : public testing::Test {
 protected:
  // Returns entities whose depth may have changed. Members are the entities with a Transform.
  std::set<std::uint32_t> settle() {
    for (const std::uint32_t index : links.follow(world, world.pool<Parent>())) members.reconsider(index);
    for (std::uint32_t index = 0; index < world.entities().index_end(); ++index) {
      const Entity entity = world.entities().at(index);
      if (members.contains(index) && entity != known[index]) members.leave(index);
      if (!members.contains(index) && entity && world.has<Transform>(entity)) members.enter(index);
      if (members.contains(index) && !world.has<Transform>(entity)) members.leave(index);
      known[index] = entity;
    }
    const std::span<const std::uint32_t> settled = members.settle();
    std::set<std::uint32_t> distinct(settled.begin(), settled.end());
    EXPECT_EQ(distinct.size(), settled.size()) << "none twice";
    members.check();
    return distinct;
  }
  [[nodiscard]] std::vector<std::string> refused() const {
    std::vector<std::string> found;
    for (const Refusal& refusal : members.refused()) found.push_back(to_string(refusal.entity) + " " + refusal.reason);
    return found;
  }
  [[nodiscard]] std::vector<int> depths(const std::vector<Entity>& entities) const {
    std::vector<int> found;
    for (const Entity entity : entities) found.push_back(members.depth(entity.index));
    return found;
  }
  void name(Entity child, Entity parent) { world.get<Parent>(child).entity = parent; }

  using Indices = std::set<std::uint32_t>;
  using Depths = std::vector<int>;
  using Texts = std::vector<std::string>;
  test::World world;
  Links links;
  Members members{world, links};
  std::map<std::uint32_t, Entity> known;
};

TEST_F(MembersTest, DepthIsOneMoreThanTheParentsInAnyOrder) {
  const Entity c = world.make_below({1, 0});
  const Entity b = world.make_below(ecs::null_entity);
  const Entity a = world.make();
  name(c, b);
  name(b, a);
  EXPECT_EQ(settle(), (Indices{0, 1, 2}));
  EXPECT_EQ(depths({a, b, c}), (Depths{1, 2, 3}));
  EXPECT_EQ(members.above(c.index), b.index);
  EXPECT_EQ(members.above(a.index), Members::none);
}

TEST_F(MembersTest, OnlyChangedSubtreesAreExamined) {
  const std::vector<Entity> chain = world.make_chain(6);
  settle();
  EXPECT_EQ(settle(), Indices{});
  name(chain[3], chain[0]);
  EXPECT_EQ(settle(), (Indices{3, 4, 5}));
  EXPECT_EQ(depths(chain), (Depths{1, 2, 3, 2, 3, 4}));
}

TEST_F(MembersTest, ChildOfADeadOrNonMemberEntityIsARoot) {
  const std::vector<Entity> chain = world.make_chain(4);
  settle();
  world.remove<Transform>(chain[1]);
  EXPECT_EQ(settle(), (Indices{2, 3}));
  EXPECT_EQ(depths(chain), (Depths{1, 0, 1, 2}));
  world.destroy(chain[2]);
  EXPECT_EQ(settle(), (Indices{3}));
  world.add<Transform>(chain[1]);
  settle();
  EXPECT_EQ(depths(chain), (Depths{1, 2, 0, 1}));
  EXPECT_TRUE(members.refused().empty()) << "neither a circle nor too deep";
}

TEST_F(MembersTest, AllInACircleAreRootsWithTheReason) {
  const std::vector<Entity> chain = world.make_chain(5);  // 0 <- 1 <- 2 <- 3 <- 4
  world.add<Parent>(chain[0], {chain[2]});
  settle();
  EXPECT_EQ(depths(chain), (Depths{1, 1, 1, 2, 3}));
  EXPECT_EQ(refused(), (Texts{"0.1 circle", "1.1 circle", "2.1 circle"}));
  EXPECT_EQ(members.above(chain[1].index), Members::none);

  name(chain[0], chain[0]);
  settle();
  EXPECT_EQ(depths(chain), (Depths{1, 2, 3, 4, 5}));
  EXPECT_EQ(refused(), (Texts{"0.1 circle"})) << "it names itself";

  world.remove<Parent>(chain[0]);
  settle();
  EXPECT_TRUE(refused().empty());
}

TEST_F(MembersTest, ACircleEndsWhenOneOfItDies) {
  const std::vector<Entity> chain = world.make_chain(3);
  world.add<Parent>(chain[0], {chain[2]});
  settle();
  world.destroy(chain[1]);
  settle();
  EXPECT_EQ(depths(chain), (Depths{2, 0, 1}));
  EXPECT_TRUE(refused().empty());
}

TEST_F(MembersTest, TooDeepEntitiesAreRoots) {
  const std::vector<Entity> chain = world.make_chain(2 * max_depth + 3);
  settle();
  for (std::uint32_t i = 0; i < chain.size(); ++i) EXPECT_EQ(members.depth(i), i % max_depth + 1);
  EXPECT_EQ(refused(), (Texts{"32.1 too deep", "64.1 too deep"}));
  world.remove<Parent>(chain[5]);
  settle();
  EXPECT_EQ(refused(), (Texts{"37.1 too deep"}));
  world.destroy(chain[37]);
  settle();
  EXPECT_TRUE(refused().empty());
}

TEST_F(MembersTest, AReusedIndexIsRefusedUnderItsNewHandle) {
  const Entity a = world.make();
  world.add<Parent>(a, {a});
  settle();
  EXPECT_EQ(refused(), (Texts{"0.1 circle"}));
  world.destroy(a);
  const Entity b = world.make();
  ASSERT_EQ(b.index, a.index);
  world.add<Parent>(b, {b});
  settle();
  EXPECT_EQ(refused(), (Texts{"0.2 circle"}));
}

TEST_F(MembersTest, RandomParentsAgreeWithTheRules) {
  core::Random random(3);
  for (int i = 0; i < 100; ++i) world.make_below(ecs::null_entity);
  const auto any = [&] { return world.entities().at(random.below(100)); };
  for (int round = 0; round < 500; ++round) {
    const bool chains = random.chance(1, 20);
    Entity last = any();
    for (std::uint32_t writes = chains ? 50 : random.below(4); writes > 0; --writes) {
      const Entity child = any();
      name(child, chains ? last : random.chance(1, 4) ? ecs::null_entity : any());
      last = child;
    }
    if (const Entity entity = any(); random.chance(1, 3)) {
      world.destroy(entity);
      world.make_below(any());
    }
    settle();
    const test::ReferenceHierarchy reference(world);
    for (const Entity entity : world.entities()) {
      ASSERT_EQ(members.depth(entity.index), reference.depth(entity)) << to_string(entity) << " in round " << round;
      const char* refusal = reference.refusal(entity);
      const auto found = std::ranges::find(members.refused(), entity, &Refusal::entity);
      ASSERT_EQ(found != members.refused().end(), refusal != nullptr) << to_string(entity);
      if (refusal != nullptr) {
        ASSERT_STREQ(found->reason, refusal);
      }
    }
  }
}

}  // namespace
}  // namespace mobula::hierarchy
