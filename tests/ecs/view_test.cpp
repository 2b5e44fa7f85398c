#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mobula/core/random.hpp>
#include <ranges>
#include <set>

#include "ecs/visit.hpp"

namespace mobula::ecs::view_test {
namespace {

using namespace test;

static_assert(std::ranges::input_range<View<Position, const Label>>);
static_assert(std::ranges::input_range<View<const Position, Maybe<Label>>>);
static_assert(std::is_same_v<std::ranges::range_value_t<View<Position, const Label, Maybe<const Mana>>>,
                             std::tuple<Entity, Position&, const Label&, const Mana*>>);

template <class Walked>
std::map<Entity, std::int32_t> visit(const Walked& walked) {
  const std::map<Entity, std::int32_t> visited = test::visit_both_ways(walked);
  EXPECT_LE(visited.size(), walked.size_hint());
  return visited;
}

// Entities with some of the components, and a plain list of them.
struct RandomWorld {
  core::Random random;
  World world{{.entities = {}, .pools = small_pages}};
  std::vector<Entity> entities;

  explicit RandomWorld(std::uint64_t seed, int count = 1000) : random(seed) {
    for (int i = 0; i < count; ++i) {
      const Entity entity = entities.emplace_back(world.create());
      if (random.chance(1, 2)) world.add(entity, make<Position>(i));
      if (random.chance(2, 3)) world.add(entity, make<Health>(i));
      if (random.chance(1, 3)) world.add(entity, make<Label>(i));
      if (random.chance(1, 9)) world.add<Marker>(entity);
    }
  }
  template <class... Ts>
  std::map<Entity, std::int32_t> expected(const std::function<bool(Entity)>& also = [](Entity) { return true; }) {
    std::map<Entity, std::int32_t> found;
    for (const Entity entity : entities)
      if ((world.has<Ts>(entity) && ...) && also(entity)) found[entity] = (value_of(world.get<const Ts>(entity)) + ...);
    return found;
  }
};

TEST(View, VisitsExactlyTheEntitiesThatHaveAllComponents) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    RandomWorld random(seed);
    World& world = random.world;
    EXPECT_EQ(visit(world.view<const Position>()), (random.expected<Position>()));
    EXPECT_EQ(visit(world.view<const Position, const Health>()), (random.expected<Position, Health>()));
    EXPECT_EQ(visit(world.view<Health, Position>()), (random.expected<Position, Health>()));
    EXPECT_EQ(visit(world.view<Health, const Label, Position>()), (random.expected<Position, Health, Label>()));
    EXPECT_EQ(visit(world.view<Marker, const Label>()), (random.expected<Marker, Label>()));
    EXPECT_EQ(visit(world.view<Wide>()), (random.expected<Wide>()));
  }
}

TEST(View, LeavesOutExcludedEntities) {
  RandomWorld random(12);
  World& world = random.world;
  EXPECT_EQ(visit(world.view<const Position>(exclude<Health>)),
            (random.expected<Position>([&](Entity entity) { return !world.has<Health>(entity); })));
  EXPECT_EQ(visit(world.view<const Position, Health>(exclude<Label, Marker>)),
            (random.expected<Position, Health>(
                [&](Entity entity) { return !world.has<Label>(entity) && !world.has<Marker>(entity); })));
  EXPECT_EQ(visit(world.view<const Position>(exclude<Wide>)), random.expected<Position>()) << "no entity has it";
  EXPECT_TRUE(visit(world.view<const Position>(exclude<Position>)).empty());
}

template <int>
struct Numbered {
  int value = 0;
};

TEST(View, ExcludesUpToEightComponents) {
  World world;
  std::vector<Entity> entities;
  for (int i = 0; i < 9; ++i) world.add<Position>(entities.emplace_back(world.create()), {i});
  world.add<Numbered<0>>(entities[0]);
  world.add<Numbered<1>>(entities[1]);
  world.add<Numbered<2>>(entities[2]);
  world.add<Numbered<3>>(entities[3]);
  world.add<Numbered<4>>(entities[4]);
  world.add<Numbered<5>>(entities[5]);
  world.add<Numbered<6>>(entities[6]);
  world.add<Numbered<7>>(entities[7]);
  const auto view = world.view<const Position>(
      exclude<Numbered<0>, Numbered<1>, Numbered<2>, Numbered<3>, Numbered<4>, Numbered<5>, Numbered<6>, Numbered<7>>);
  EXPECT_EQ(visit(view), (std::map<Entity, std::int32_t>{{entities[8], 8}}));
  for (int i = 0; i < 9; ++i) EXPECT_EQ(view.contains(entities[static_cast<std::size_t>(i)]), i == 8);
}

TEST(View, PassesOptionalComponents) {
  RandomWorld random(13);
  World& world = random.world;
  std::map<Entity, std::int32_t> with_label;
  std::size_t visits = 0;
  const auto view = world.view<const Position, Maybe<const Label>, Maybe<Health>>(exclude<Marker>);
  view.each([&](Entity entity, const Position&, const Label* label, Health* health) {
    ++visits;
    EXPECT_EQ(label, world.try_get<const Label>(entity));
    EXPECT_EQ(health, world.try_get<Health>(entity));
    if (label != nullptr) with_label[entity] = value_of(*label);
  });
  for (auto [entity, position, label, health] : view) {
    EXPECT_EQ(label, world.try_get<const Label>(entity));
    EXPECT_EQ(health, world.try_get<Health>(entity));
    EXPECT_EQ(&position, world.try_get<const Position>(entity));
  }
  const auto unmarked = [&](Entity entity) { return !world.has<Marker>(entity); };
  EXPECT_EQ(visits, random.expected<Position>(unmarked).size());
  const auto both = [&](Entity entity) { return unmarked(entity) && world.has<Position>(entity); };
  EXPECT_EQ(with_label, random.expected<Label>(both));
}

// Blocks of equal, shifted and random order side by side, changing over time.
TEST(View, UnderChurnAgreesWithLookupsOfAllEntities) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    World world;
    std::vector<Entity> entities;
    for (int i = 0; i < 1500; ++i) {
      const Entity entity = entities.emplace_back(world.create());
      world.add<Position>(entity, {i});
      world.add<Wide>(entity, {i});
    }
    for (int round = 0; round < 60; ++round) {
      for (std::uint32_t change = random.below(4); change > 0; --change) {
        const Entity entity = entities[random.below(1500)];
        world.has<Wide>(entity) ? world.remove<Wide>(entity) : void(world.add<Wide>(entity, {round}));
      }
      std::map<Entity, int> expected;
      for (const Entity entity : entities)
        if (world.has<Wide>(entity))
          expected[entity] = world.get<const Position>(entity).value + world.get<const Wide>(entity).value;
      std::map<Entity, int> visited;
      world.set_tick(world.tick() + 1);
      world.view<const Position, Wide>().each([&](Entity entity, const Position& position, Wide& wide) {
        EXPECT_TRUE(visited.emplace(entity, position.value + wide.value).second) << "visited twice";
      });
      ASSERT_EQ(visited, expected);
      for (const Tick tick : world.pool<Wide>().change_ticks())
        ASSERT_EQ(tick, world.tick()) << "all of it was written";
    }
  }
}

TEST(View, AFunctionMayAskForTheComponentsAlone) {
  World world;
  for (int i = 0; i < 200; ++i) world.add<Position>(world.create(), {i});
  int sum = 0;
  world.view<Position>().each([&](Position& position) { sum += position.value; });
  EXPECT_EQ(sum, 199 * 200 / 2);
}

// 200 of both, in one order or not. Mutable types have the new change tick everywhere, const ones nowhere.
template <class... Ts>
void expect_change_ticks(bool same_order, Tick position, Tick label, bool as_range) {
  World world;
  std::vector<Entity> entities;
  for (int i = 0; i < 200; ++i) world.add(entities.emplace_back(world.create()), make<Position>(i));
  for (std::size_t i = 0; i < 200; ++i) world.add(entities[same_order ? i : 199 - i], make<Label>(1));
  world.set_tick(4);
  if (as_range) {
    for (const auto element : world.view<Ts...>()) EXPECT_TRUE(world.valid(std::get<0>(element)));
  } else {
    world.view<Ts...>().each([](const auto&...) {});
  }
  for (const Tick tick : world.pool<Position>().change_ticks()) ASSERT_EQ(tick, position);
  for (const Tick tick : world.pool<Label>().change_ticks()) ASSERT_EQ(tick, label);
}

TEST(View, OnlyMutableAccessMarksBlocks) {
  for (const bool same_order : {false, true}) {
    for (const bool as_range : {false, true}) {
      SCOPED_TRACE(std::string(same_order ? "same order" : "other order") + (as_range ? ", range" : ", each"));
      expect_change_ticks<Position, const Label>(same_order, 4, 1, as_range);
      expect_change_ticks<const Position, Label>(same_order, 1, 4, as_range);
      expect_change_ticks<const Position, const Label>(same_order, 1, 1, as_range);
      expect_change_ticks<Position, Label>(same_order, 4, 4, as_range);
      expect_change_ticks<Maybe<Position>, const Label>(same_order, 4, 1, as_range);
      expect_change_ticks<Maybe<const Position>, Label>(same_order, 1, 4, as_range);
    }
  }
}

TEST(View, UnvisitedBlocksAreNotMarked) {
  World world;
  for (int i = 0; i < 640; ++i) {
    const Entity entity = world.create();
    world.add(entity, make<Position>(i));
    if (i / 64 % 2 == 0) world.add(entity, make<Label>(i));
  }
  world.set_tick(4);
  world.view<Position, const Label>().each([](Position&, const Label&) {});
  for (std::size_t block = 0; block < 10; ++block)
    EXPECT_EQ(world.pool<Position>().change_ticks()[block], block % 2 == 0 ? 4u : 1u) << block;
}

TEST(View, AConstRegistryMarksNothing) {
  RandomWorld random(14);
  random.world.set_tick(7);
  const Registry& world = random.world;
  EXPECT_EQ(visit(world.view<const Position, const Health>()), (random.expected<Position, Health>()));
  EXPECT_FALSE(visit(world.view<const Position>(exclude<Health>)).empty());
  for (const Tick tick : random.world.pool<Position>().change_ticks()) EXPECT_EQ(tick, 1u);
}

TEST(View, ContainsNeedsLifeAndAllComponents) {
  World world;
  const Entity both = world.create();
  world.add<Position>(both);
  world.add<Health>(both);
  const Entity one = world.create();
  world.add<Position>(one);
  const auto view = world.view<Position, const Health>();
  EXPECT_TRUE(view.contains(both));
  EXPECT_FALSE(view.contains(one));
  EXPECT_EQ(view.size_hint(), 1u);
  EXPECT_TRUE((world.view<const Position, Maybe<Health>>().contains(one)));
  world.destroy(both);
  EXPECT_FALSE(view.contains(both));
  EXPECT_FALSE(view.contains(null_entity));
}

TEST(View, IteratesNamedPoolsLikeDefaultOnes) {
  World world;
  const PoolId body = world.pool_of<Health>("Body");
  const PoolId shield = world.pool_of<Health>("Shield");
  std::map<Entity, std::int32_t> expected;
  for (int i = 0; i < 300; ++i) {
    const Entity entity = world.create();
    world.add<Health>(entity, {i}, body);
    if (i % 2 == 0) world.add<Health>(entity, {1000}, shield);
    if (i % 3 == 0) world.add<Position>(entity, {100000});
    if (i % 6 == 0) expected[entity] = i + 1000 + 100000;
  }
  const auto view =
      world.view_of<const Health, const Health, const Position>({body, shield, world.pool_of<Position>()});
  EXPECT_EQ(visit(view), expected);
  EXPECT_EQ(visit(world.view_of<const Health>({body}, std::array{shield})).size(), 150u);
}

TEST(View, EachInstanceVisitsAllComponentsOfAType) {
  World world;
  const PoolId shield = world.pool_of<Health>("Shield");
  world.pool_of<Health>("Never used");
  const Entity a = world.create();
  const Entity b = world.create();
  world.add<Health>(a, {1});
  world.add<Health>(a, {2}, shield);
  world.add<Health>(b, {3}, shield);
  world.add<Position>(b);
  using Met = std::tuple<Entity, std::string, std::int32_t>;
  const auto met = [&] {
    std::set<Met> all;
    world.each_instance<const Health>([&](Entity entity, core::StringId32 instance, const Health& health) {
      EXPECT_TRUE(instance == core::StringId32("Health") || instance == core::StringId32("Shield"));
      all.insert({entity, instance == core::StringId32("Health") ? "Health" : "Shield", health.value});
    });
    return all;
  };
  EXPECT_EQ(met(), (std::set<Met>{{a, "Health", 1}, {a, "Shield", 2}, {b, "Shield", 3}}));
  world.set_tick(2);
  met();
  EXPECT_EQ(world.pool(shield).change_ticks()[0], 1u);
  world.each_instance<Health>([](Entity, core::StringId32, Health& health) { health.value += 10; });
  EXPECT_EQ(met(), (std::set<Met>{{a, "Health", 11}, {a, "Shield", 12}, {b, "Shield", 13}}));
  EXPECT_EQ(world.pool(shield).change_ticks()[0], 2u);
  EXPECT_EQ(world.pool<Position>().change_ticks()[0], 1u);
}

TEST(View, ANamedPoolMustHaveTheGivenType) {
  World world;
  const PoolId health = world.pool_of<Health>("Body");
  EXPECT_DEATH((world.view_of<const Position>({health})), "pool Body holds Health, not Position");
  EXPECT_DEATH((world.view_of<const Health>({health}, std::array{health + 1})), "there is no such pool");
}

}  // namespace
}  // namespace mobula::ecs::view_test
