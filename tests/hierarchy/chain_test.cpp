#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/hierarchy/chain.hpp>
#include <seeds.hpp>

namespace mobula::hierarchy::chain_test {
namespace {

using ecs::Entity;
using engine::Quat;
using engine::Transform;

constexpr Quat none{.x = 0, .y = 0, .z = 0, .w = 1};

Transform at(float x) { return {{x, 0, 0}, none}; }

// States of entities by tick, drawn without interpolation: the newest one up to a moment counts.
class States {
 public:
  void add(Entity entity, ecs::Tick tick, const Transform& local, Entity parent = {}) {
    states_[entity][tick] = {local, parent};
  }
  // From now on the entity is not there, at any moment.
  void remove(Entity entity) { states_.erase(entity); }

  [[nodiscard]] std::optional<Link> link_at(Entity entity, double tick) const {
    const auto found = states_.find(entity);
    if (found == states_.end()) return std::nullopt;
    auto next = found->second.upper_bound(static_cast<ecs::Tick>(tick));
    return next == found->second.begin() ? std::nullopt : std::optional((--next)->second);
  }
  [[nodiscard]] bool has(Entity entity) const { return states_.contains(entity); }
  [[nodiscard]] ecs::Tick next_state(Entity entity, double tick) const {
    const auto& all = states_.at(entity);
    const auto next = all.upper_bound(static_cast<ecs::Tick>(tick));
    return next == all.end() ? 0 : next->first;
  }

 private:
  std::map<Entity, std::map<ecs::Tick, Link>> states_;
};

constexpr Entity cart{1, 1};
constexpr Entity rider{2, 1};
constexpr Entity hat{3, 1};
constexpr double now = 10;

TEST(Chain, AnEntityWithoutATransformHasNoPlace) {
  States states;
  EXPECT_FALSE(compose_chain(states, rider, now));
  states.add(rider, 11, at(1));
  EXPECT_FALSE(compose_chain(states, rider, now)) << "its first state is later";
}

TEST(Chain, ARootIsAtItsTransform) {
  States states;
  states.add(cart, 5, at(3));
  EXPECT_EQ(*compose_chain(states, cart, now), (WorldTransform{{3, 0, 0}, none}));
}

TEST(Chain, ChildrenFollowTheirParents) {
  States states;
  const float half = std::sqrt(0.5f);
  states.add(cart, 5, {{10, 0, 0}, {.x = 0, .y = half, .z = 0, .w = half}});
  states.add(rider, 5, at(2), cart);
  states.add(hat, 5, at(1), rider);
  const WorldTransform cart_at = *compose_chain(states, cart, now);
  const WorldTransform rider_at = compose(cart_at, at(2));
  EXPECT_EQ(*compose_chain(states, rider, now), rider_at);
  EXPECT_EQ(*compose_chain(states, hat, now), compose(rider_at, at(1)));
}

TEST(Chain, BelowAParentWithoutATransformIsARoot) {
  States states;
  states.add(cart, 11, at(100));  // there, but not yet
  states.add(rider, 5, at(2), cart);
  EXPECT_EQ(compose_chain(states, rider, now)->position.x, 2);
}

TEST(Chain, AStateWhoseParentHasLeftIsSkipped) {
  States states;
  states.add(cart, 5, at(100));
  states.add(rider, 5, at(2), cart);
  states.add(rider, 12, at(101));
  EXPECT_EQ(compose_chain(states, rider, now)->position.x, 102);
  states.remove(cart);
  EXPECT_EQ(compose_chain(states, rider, now)->position.x, 101);
}

TEST(Chain, WithoutANextStateItStaysBelowTheParentThatLeft) {
  States states;
  states.add(rider, 5, at(2), cart);
  const std::optional<Link> link = link_of(states, rider, now);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->parent, cart);
  EXPECT_EQ(compose_chain(states, rider, now)->position.x, 2) << "drawn as a root";
}

TEST(Chain, OneInACircleIsARoot) {
  States states;
  states.add(cart, 5, at(10), hat);
  states.add(rider, 5, at(2), cart);
  states.add(hat, 5, at(1), rider);
  EXPECT_EQ(compose_chain(states, rider, now)->position.x, 2);
  states.add(cart, 6, at(10), cart);
  EXPECT_EQ(compose_chain(states, cart, now)->position.x, 10) << "its own parent";
}

TEST(Chain, OneThatIsTooDeepIsARoot) {
  States states;
  Entity above;
  for (std::uint32_t i = 1; i <= max_depth + 1; ++i) {
    states.add({i, 1}, 5, at(1), above);
    above = {i, 1};
  }
  EXPECT_EQ(compose_chain(states, {max_depth, 1}, now)->position.x, max_depth);
  EXPECT_EQ(compose_chain(states, {max_depth + 1, 1}, now)->position.x, 1);
}

// A forest whose parents change: the sum of the places on the way to the root, found by recursion.
TEST(Chain, IsTheSumOfThePlacesUpToTheRoot) {
  mobula::test::for_each_seed(1, 10, 200, [](std::uint64_t seed) {
    core::Random random(seed);
    States states;
    constexpr std::uint32_t count = 30;
    for (std::uint32_t i = 1; i <= count; ++i)
      for (ecs::Tick tick = 1; tick < 20; tick += 1 + random.below(8))
        states.add({i, 1}, tick, at(static_cast<float>(1 + random.below(1000))),
                   random.chance(1, 3) || i == 1 ? Entity{} : Entity{1 + random.below(i - 1), 1});
    for (ecs::Tick moment = 0; moment < 24; ++moment)
      for (std::uint32_t i = 1; i <= count; ++i) {
        const auto sum = [&](const auto& self, Entity entity) -> float {
          const std::optional<Link> link = states.link_at(entity, moment);
          return link ? link->local.position.x + self(self, link->parent) : 0;
        };
        const std::optional<WorldTransform> found = compose_chain(states, {i, 1}, moment);
        ASSERT_EQ(found.has_value(), states.link_at({i, 1}, moment).has_value());
        if (found) ASSERT_EQ(found->position.x, sum(sum, Entity{i, 1}));
      }
  });
}

}  // namespace
}  // namespace mobula::hierarchy::chain_test
