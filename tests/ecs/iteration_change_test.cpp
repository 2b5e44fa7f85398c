// Iterations whose function changes what it iterates. The oracle: an entity that matches from begin to end is visited
// exactly once, every other one at most once, and all that is given is alive and its own.
#include <gtest/gtest.h>

#include <ecs/components.hpp>
#include <map>
#include <mobula/core/random.hpp>
#include <seeds.hpp>
#include <set>
#include <utility>

namespace mobula::ecs::iteration_change_test {
namespace {

using test::Health;
using test::Label;
using test::make;
using test::Mana;
using test::Position;
using test::value_of;
using test::World;

constexpr std::string_view second_name = "second";

// The world of one iteration. Every component holds the number of its entity.
struct Subject {
  World world{{.entities = {}, .pools = test::small_pages}};
  core::Random random;
  std::vector<Entity> entities;
  std::set<Entity> steady;  // match from begin to end
  std::map<Entity, int> visits;
  bool may_enter = true;  // entities may begin to match

  explicit Subject(std::uint64_t seed) : random(seed) {}

  Entity add() {
    const Entity entity = world.create();
    const auto number = static_cast<std::int32_t>(entity.index);
    world.add(entity, make<Position>(number));
    world.add(entity, make<Position>(number), world.pool_of<Position>(second_name));
    world.add(entity, make<Health>(number));
    world.add(entity, make<Label>(number));
    entities.push_back(entity);
    return entity;
  }
  void fill(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) add();
    for (std::uint32_t i = 0; i < count / 8; ++i) {  // holes, and pools in different orders
      Entity& entity = entities[random.below(count)];
      if (world.has<Health>(entity)) world.remove<Health>(entity);
    }
    for (const Entity entity : entities)
      if (!world.has<Health>(entity) && random.chance(1, 2)) world.add(entity, make<Health>(number_of(entity)));
  }
  static std::int32_t number_of(Entity entity) { return static_cast<std::int32_t>(entity.index); }

  // Removes the component of a pool. Adds one if there is none and `adds`.
  template <class T>
  void toggle(Entity entity, PoolId pool, bool adds) {
    if (world.try_get<const T>(entity, pool) != nullptr) {
      world.remove(entity, pool);
    } else if (adds) {
      world.add(entity, make<T>(number_of(entity)), pool);
    }
  }

  // One change of the entity itself or of another.
  void change(Entity self) {
    const Entity other = entities[random.below(static_cast<std::uint32_t>(entities.size()))];
    const Entity changed = random.chance(1, 2) ? self : other;
    if (!world.valid(changed)) return;
    const std::uint32_t kind = random.below(9);
    if (kind == 0 && may_enter) static_cast<void>(add());
    if (kind >= 6) return;
    steady.erase(changed);
    if (kind == 1) toggle<Health>(changed, world.pool<Health>().id(), true);
    if (kind == 2) toggle<Label>(changed, world.pool<Label>().id(), may_enter);
    if (kind == 3) toggle<Position>(changed, world.pool<Position>().id(), may_enter);
    if (kind == 4) toggle<Position>(changed, world.pool_of<Position>(second_name), true);
    if (kind == 5) world.destroy(changed);
  }
  // Destroys most of the visited entities, and changes the entity itself or others after that.
  void change_many(Entity self) {
    for (const auto& [entity, count] : visits) {
      if (entity == self || !world.valid(entity) || random.chance(1, 10)) continue;
      steady.erase(entity);
      world.destroy(entity);
    }
    for (int i = 0; i < 6; ++i) change(self);
  }
  template <class... Components>
  void visit(Entity self, const Components&... components) {
    ASSERT_TRUE(world.valid(self));
    ASSERT_TRUE(((value_of(components) == number_of(self)) && ...)) << "components of another entity";
    ASSERT_EQ(++visits[self], 1) << to_string(self) << " is visited twice";
    random.chance(1, 40) ? change_many(self) : change(self);
  }
  void expect_steady_visited() const {
    for (const Entity entity : steady) ASSERT_EQ(visits.count(entity), 1u) << to_string(entity) << " is missed";
    world.check();
  }
};

// Runs an iteration of each size. `iterated` returns a view or group of the world.
template <class Iterated>
void try_changes(Iterated iterated) {
  mobula::test::for_each_seed(1, mobula::test::few_or_all(3, 12), 0, [&](std::uint64_t seed) {
    for (const std::uint32_t count : {1u, 2u, 3u, 64u, 65u, 130u, 1000u}) {
      for (const bool as_range : {false, true}) {
        Subject subject(seed);
        subject.fill(count);
        const auto range = iterated(subject);
        for (const auto element : range) subject.steady.insert(std::get<Entity>(element));
        const auto visit = [&](Entity self, const auto&... components) { subject.visit(self, components...); };
        if (as_range) {
          for (const auto element : range) std::apply(visit, element);
        } else {
          range.each(visit);
        }
        subject.expect_steady_visited();
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

// The group moves the first removed entity behind the visited ones, and the second one moves it back.
TEST(IterationChange, AnEntityThatMovesToAndFroIsVisited) {
  World world;
  world.group<Health>(with<Mana>);
  std::vector<Entity> all;
  for (int i = 0; i < 4; ++i) {
    all.push_back(world.create());
    world.add<Health>(all.back());
    world.add<Mana>(all.back());
  }
  std::vector<Entity> visited;
  world.view<Health>().each([&](Entity entity, Health& /*health*/) {
    visited.push_back(entity);
    if (visited.size() > 1) return;
    world.remove<Mana>(all[2]);
    world.destroy(all[0]);
  });
  EXPECT_EQ(std::ranges::count(visited, all[1]), 1);
  EXPECT_EQ(std::ranges::count(visited, all[2]), 1);
  EXPECT_EQ(std::ranges::count(visited, all[3]), 1);
}

TEST(IterationChange, AViewOfOnePoolVisitsEachOnce) {
  try_changes([](Subject& subject) { return subject.world.view<const Position>(); });
}

TEST(IterationChange, AViewOfThreePoolsVisitsEachOnce) {
  try_changes([](Subject& subject) { return subject.world.view<const Position, const Health, const Label>(); });
}

TEST(IterationChange, AViewOfANamedPoolVisitsEachOnce) {
  try_changes([](Subject& subject) {
    const PoolId named = subject.world.pool_of<Position>(second_name);
    return subject.world.view_of<const Position, const Label>({named, subject.world.pool_of<Label>()});
  });
}

TEST(IterationChange, AViewOfASortedPoolVisitsEachOnce) {
  try_changes([](Subject& subject) {
    subject.world.pool<Position>().claim_order(OrderOwner::sort);
    return subject.world.view<const Position, const Label>();
  });
}

TEST(IterationChange, AViewThatExcludesVisitsEachOnce) {
  try_changes([](Subject& subject) { return subject.world.view<const Position>(exclude<Mana>); });
}

TEST(IterationChange, AGroupWithoutPoolsVisitsEachOnce) {
  try_changes([](Subject& subject) { return subject.world.group<>(with<const Position, const Label>); });
}

// An entity must not enter an owning group meanwhile.
TEST(IterationChange, AnOwningGroupVisitsEachOnce) {
  try_changes([](Subject& subject) {
    subject.may_enter = false;
    return subject.world.group<const Position, const Label>();
  });
}

TEST(IterationChange, AViewOfAnOwnedPoolVisitsEachOnce) {
  try_changes([](Subject& subject) {
    static_cast<void>(subject.world.group<const Mana, const Label>());
    return subject.world.view<const Label>();
  });
}

// The pool shrinks to the end of a run that goes forwards, so what enters it then lies in the run.
TEST(IterationChange, AnEntityThatLeavesAndEntersIsVisitedOnce) {
  World world{{.entities = {}, .pools = {}}};
  for (std::int32_t i = 0; i < 4096; ++i) world.add(world.create(), make<Position>(i));
  std::vector<Entity> visited;
  std::set<Entity> seen;
  Entity created;
  world.view<Position>().each([&](Entity self, const Position& /*position*/) {
    ASSERT_TRUE(seen.insert(self).second) << to_string(self) << " is visited twice";
    ASSERT_NE(self, created) << "it was created meanwhile";
    if (seen.size() < 65) visited.push_back(self);
    if (seen.size() != 65) return;  // the first of the second run
    for (const Entity entity : visited) world.destroy(entity);
    world.remove<Position>(self);
    world.add(self, make<Position>(0));
    created = world.create();
    world.add(created, make<Position>(0));
  });
  EXPECT_EQ(seen.size(), 4096u);
}

// Pairs collide, and each destroys the other.
TEST(IterationChange, OneOfEachPairIsLeft) {
  for (const std::uint32_t count : {2u, 64u, 66u, 1000u, 4098u}) {
    World world;
    std::vector<Entity> all(count);
    for (Entity& entity : all) {
      entity = world.create();
      world.add(entity, make<Position>(static_cast<std::int32_t>(entity.index)));
    }
    std::uint32_t visited = 0;
    world.view<const Position>().each([&](Entity self, const Position& position) {
      ASSERT_EQ(position.value, static_cast<std::int32_t>(self.index));
      ++visited;
      world.destroy(all[self.index ^ 1]);
    });
    EXPECT_EQ(visited, count / 2);
    EXPECT_EQ(world.entities().size(), count / 2);
    world.check();
  }
}

// Each visit destroys an entity that is not visited yet. Time quadratic in their number would exceed the suite's limit.
template <class Iterated>
void destroy_half(World& world, Iterated iterated) {
  constexpr std::uint32_t count = 1'000'000;
  std::vector<Entity> all(count);
  for (Entity& entity : all) entity = world.create(Position{}, Health{});
  std::vector<bool> visited(count);
  std::uint32_t visits = 0;
  iterated().each([&](Entity self, const Position&, const Health&) {
    ASSERT_FALSE(visited[self.index]) << "visited twice";
    visited[self.index] = true;
    if (visits < count / 2) world.destroy(all[visits]);
    ++visits;
  });
  EXPECT_EQ(visits, count / 2);
  EXPECT_EQ(world.pool<Position>().size(), count / 2);
}

TEST(IterationChange, ALargeViewVisitsWhatIsLeftOnce) {
  World world;
  destroy_half(world, [&] { return world.view<const Position, const Health>(); });
}

TEST(IterationChange, ALargeGroupVisitsWhatIsLeftOnce) {
  World world;
  const auto group = world.group<const Position>(with<const Health>);
  destroy_half(world, [&] { return group; });
}

// The function moves the tables of a pool that is looked up, in the middle of a block.
TEST(IterationChange, AGrowingPoolIsWrittenAndMarkedWhereItIs) {
  World world;
  std::vector<Entity> all(64);
  for (Entity& entity : all) entity = world.create(Position{});
  for (const Entity entity : all)
    if (entity.index % 2 == 0) world.add<Health>(entity, {1});
  world.set_tick(7);
  bool grown = false;
  world.view<const Position, Health>().each([&](const Position&, Health& health) {
    health.value = 2;
    if (std::exchange(grown, true)) return;
    for (int i = 0; i < 5000; ++i) world.create(Health{1});
    world.set_tick(8);
  });
  for (std::size_t i = 0; i < all.size(); i += 2) EXPECT_EQ(world.get<const Health>(all[i]).value, 2);
  EXPECT_EQ(world.pool<Health>().change_ticks()[0], 8u);
  world.check();
}

// The inner iteration destroys what the outer one has not visited.
TEST(IterationChange, NestedIterationsShareChanges) {
  World world;
  for (int i = 0; i < 200; ++i) world.add(world.create(), make<Position>(i));
  std::set<Entity> visited;
  world.view<const Position>().each([&](Entity outer, const Position&) {
    EXPECT_TRUE(world.valid(outer));
    EXPECT_TRUE(visited.insert(outer).second);
    int rest = 3;
    world.view<const Position>().each([&](Entity inner, const Position&) {
      if (inner != outer && !visited.contains(inner) && rest-- > 0) world.destroy(inner);
    });
  });
  EXPECT_EQ(visited.size(), 50u);
  EXPECT_EQ(world.entities().size(), 50u);
  world.check();
}

}  // namespace
}  // namespace mobula::ecs::iteration_change_test
