#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hierarchy/reference_hierarchy.hpp>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/server/interest/interest_parents.hpp>
#include <seeds.hpp>

namespace mobula::server {
namespace {

using ecs::Entity;
using engine::Parent;

// Random changes, compared with the components of this tick and of the one before.
class ParentsHistory {
 public:
  explicit ParentsHistory(std::uint64_t seed)
      : random_(seed), world_({.entities = {.recycling = ecs::Recycling::lifo}, .pools = {}}) {}

  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      for (std::uint32_t more = random_.below(8); more > 0; --more) change();
      const std::map<std::uint32_t, Entity> before = std::exchange(now_, named());
      const bool changed = parents_.update(last_tick_);
      last_tick_ = world_.tick();
      parents_.check();
      ASSERT_GE(changed, before != now_);
      ASSERT_EQ(parents_.count(), now_.size());
      for (std::uint32_t index = 0; index < world_.entities().index_end(); ++index) {
        compare(index, before);
        if (testing::Test::HasFatalFailure()) return;
      }
      world_.next_tick();
    }
  }

 private:
  [[nodiscard]] std::map<std::uint32_t, Entity> named() {
    std::map<std::uint32_t, Entity> all;
    world_.view<const Parent>().each([&](Entity entity, const Parent& parent) {
      if (parent.entity) all[entity.index] = parent.entity;
    });
    return all;
  }
  void change() {
    const std::uint32_t dice = random_.below(5);
    if (living_.size() < 5 || dice == 0) return living_.push_back(world_.create());
    const std::size_t place = random_.below(static_cast<std::uint32_t>(living_.size()));
    const Entity child = living_[place];
    if (dice == 1 && living_.size() > 30) {
      world_.destroy(child);
      living_[place] = living_.back();
      return living_.pop_back();
    }
    if (dice == 2 && world_.has<Parent>(child)) return world_.remove<Parent>(child);
    const Entity parent = living_[random_.below(static_cast<std::uint32_t>(living_.size()))];
    world_.has<Parent>(child) ? void(world_.get<Parent>(child).entity = parent)
                              : void(world_.add<Parent>(child, {parent}));
  }
  void compare(std::uint32_t index, const std::map<std::uint32_t, Entity>& before) {
    const auto parent = now_.find(index);
    const bool has_parent = parent != now_.end() && world_.valid(parent->second);
    ASSERT_EQ(parents_.above(index), has_parent ? parent->second.index : InterestParents::none) << index;
    for (const Entity entity : living_) {
      ASSERT_EQ(parents_.is_below(index, entity), reaches(now_, index, entity, true)) << index << to_string(entity);
      ASSERT_EQ(parents_.was_below(index, entity), reaches(before, index, entity, false)) << index << to_string(entity);
    }
  }
  // Follows Parents; if `living`, only to living entities.
  [[nodiscard]] bool reaches(const std::map<std::uint32_t, Entity>& all, std::uint32_t index, Entity entity,
                             bool living) const {
    for (std::size_t steps = 0; steps <= all.size(); ++steps) {
      const auto parent = all.find(index);
      if (parent == all.end()) return false;
      if (parent->second == entity) return true;
      if (living && !world_.valid(parent->second)) return false;
      index = parent->second.index;
    }
    return false;
  }

  core::Random random_;
  hierarchy::test::World world_;
  InterestParents parents_{world_};
  ecs::Tick last_tick_ = 0;
  std::vector<Entity> living_;
  std::map<std::uint32_t, Entity> now_;
};

TEST(InterestParents, RandomChangesMatchTheComponents) {
  mobula::test::for_each_seed(1, mobula::test::few_or_all(4, 8), 200,
                              [](std::uint64_t seed) { ParentsHistory(seed).run(200); });
}

TEST(InterestParents, ARegistryWithoutTheComponentHasNone) {
  ecs::Registry registry;
  InterestParents parents(registry);
  EXPECT_FALSE(parents.update(0));
  EXPECT_EQ(parents.count(), 0u);
  EXPECT_EQ(parents.above(7), InterestParents::none);
}

TEST(InterestParents, ReportsEachChangeOnce) {
  hierarchy::test::World world;
  InterestParents parents(world);
  const Entity ship = world.make();
  const Entity flag = world.make_below(ship);
  EXPECT_TRUE(parents.update(0));
  ASSERT_EQ(parents.changed().size(), 1u);
  EXPECT_EQ(parents.changed()[0].index, flag.index);
  EXPECT_EQ(parents.changed()[0].before, ecs::null_entity);
  world.next_tick();
  world.get<Parent>(flag).entity = ship;  // as it was
  EXPECT_FALSE(parents.update(world.tick() - 1));
  EXPECT_EQ(parents.last_change(), world.tick() - 1);
  world.next_tick();
  world.remove<Parent>(flag);
  EXPECT_TRUE(parents.update(world.tick() - 1));
  EXPECT_EQ(parents.changed()[0].before, ship);
  EXPECT_TRUE(parents.was_below(flag.index, ship));
  EXPECT_FALSE(parents.is_below(flag.index, ship));
}

}  // namespace
}  // namespace mobula::server
