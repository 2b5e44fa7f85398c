// Iteration while the visited entity loses components or is destroyed, in every form: each entity that matched at the
// start is visited exactly once.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <mobula/core/random.hpp>
#include <set>

#include "ecs/components.hpp"
#include <seeds.hpp>

namespace mobula::ecs {
namespace {

using namespace test;

// Called with the entity and its components' numbers.
using Visitor = std::function<void(Entity, std::int32_t, std::int32_t)>;

struct WalkForm {
  const char* name;
  std::function<void(World&)> prepare;  // creates its groups
  std::function<bool(World&, Entity)> matches;
  std::function<void(World&, const Visitor&)> walk;
};

bool has_both(World& world, Entity entity) { return world.has<Position>(entity) && world.has<Label>(entity); }

void own_both(World& world) { world.group<Position, Label>(); }
void own_position(World& world) { world.group<Position>(with<Label>); }
void own_none(World& world) { world.group<>(with<Position, Label>); }
void own_others(World& world) {
  world.group<Position, Mana>();
  world.group<Label>(with<Health>);
}
void prepare_nothing(World&) {}

template <class Walked>
void each_of(const Walked& walked, const Visitor& visit) {
  walked.each([&](Entity entity, auto& a, auto& b) { visit(entity, value_of(a), value_of(b)); });
}
template <class Walked>
void range_of(const Walked& walked, const Visitor& visit) {
  for (auto [entity, a, b] : walked) visit(entity, value_of(a), value_of(b));
}

#define WALK(form, expression) [](World& world, const Visitor& visit) { form(expression, visit); }
const WalkForm forms[] = {
    {"view", prepare_nothing, has_both, WALK(each_of, (world.view<Position, Label>()))},
    {"view as a range", prepare_nothing, has_both, WALK(range_of, (world.view<const Position, const Label>()))},
    {"view of what a group owns", own_both, has_both, WALK(each_of, (world.view<const Position, Label>()))},
    {"range of what a group owns", own_both, has_both, WALK(range_of, (world.view<Position, const Label>()))},
    {"view of what several groups own", own_others, has_both, WALK(each_of, (world.view<Position, Label>()))},
    {"range of what several groups own", own_others, has_both, WALK(range_of, (world.view<Position, Label>()))},
    {"view beside a group", own_none, has_both, WALK(each_of, (world.view<Position, const Label>()))},
    {"group", own_both, has_both, WALK(each_of, (world.group<Position, Label>()))},
    {"group as a range", own_both, has_both, WALK(range_of, (world.group<Position, Label>()))},
    {"partially owned group", own_position, has_both, WALK(each_of, (world.group<Position>(with<Label>)))},
    {"its range", own_position, has_both, WALK(range_of, (world.group<Position>(with<Label>)))},
    {"group that owns nothing", own_none, has_both, WALK(each_of, (world.group<>(with<Position, Label>)))},
    {"its range", own_none, has_both, WALK(range_of, (world.group<>(with<Position, Label>)))},
    {"view of one component", own_others, [](World& world, Entity entity) { return world.has<Position>(entity); },
     [](World& world, const Visitor& visit) {
       world.view<Position>().each([&](Entity entity, Position& p) { visit(entity, p.value, p.value); });
     }},
    {"view that excludes", own_others,
     [](World& world, Entity entity) { return has_both(world, entity) && !world.has<Health>(entity); },
     WALK(each_of, (world.view<Position, Label>(exclude<Health>)))},
    {"group that excludes", [](World& world) { world.group<Position, Label>(with<>, exclude<Health>); },
     [](World& world, Entity entity) { return has_both(world, entity) && !world.has<Health>(entity); },
     WALK(each_of, (world.group<Position, Label>(with<>, exclude<Health>)))},
    {"view with an option", own_both, [](World& world, Entity entity) { return world.has<Position>(entity); },
     [](World& world, const Visitor& visit) {
       world.view<const Position, Maybe<Label>>().each([&](Entity entity, const Position& p, const Label* label) {
         EXPECT_EQ(label != nullptr, world.has<Label>(entity));
         visit(entity, p.value, label != nullptr ? value_of(*label) : p.value);
       });
     }},
};
#undef WALK

// Changes that the function makes to visited entities.
struct Deed {
  const char* name;
  std::function<void(World&, Entity)> run;
};
template <class T>
void remove_if_there(World& world, Entity entity) {
  if (world.has<T>(entity)) world.remove<T>(entity);
}
const Deed deeds[] = {
    {"destroy", [](World& world, Entity entity) { world.destroy(entity); }},
    {"remove the first", remove_if_there<Position>},
    {"remove the second", remove_if_there<Label>},
    {"remove what a group asks for", remove_if_there<Mana>},
    {"remove all",
     [](World& world, Entity entity) {
       remove_if_there<Label>(world, entity);
       remove_if_there<Position>(world, entity);
     }},
};

// Order of the components: the same in both pools, the same in some blocks, or random.
enum class Layout { same_order, late_group, scattered };

void fill(World& world, std::uint32_t size, Layout layout, std::vector<Entity>& entities) {
  core::Random random(size + 1);
  for (std::uint32_t i = 0; i < size; ++i) entities.push_back(world.create());
  const auto in_some_order = [&](std::uint32_t i) { return layout == Layout::scattered ? i * 7 % size : i; };
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t k = size % 7 == 0 ? i : in_some_order(i);
    world.add(entities[k], make<Position>(static_cast<std::int32_t>(k)));
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto value = static_cast<std::int32_t>(i);
    if (layout == Layout::same_order || random.chance(layout == Layout::late_group && i > size / 2 ? 9 : 3, 10))
      world.add(entities[i], make<Label>(value));
    if (layout == Layout::late_group ? i % 3 == 0 : random.chance(1, 2)) world.add(entities[i], make<Mana>(value));
    if (layout != Layout::same_order && random.chance(1, 10)) world.add(entities[i], make<Health>(value));
  }
}

void expect_each_visited_once(const WalkForm& form, const Deed& deed, std::uint32_t size, Layout layout,
                              std::uint32_t every, bool groups_first) {
  World world({.entities = {}, .pools = small_pages});
  std::vector<Entity> entities;
  if (groups_first) form.prepare(world);
  fill(world, size, layout, entities);
  form.prepare(world);
  std::map<Entity, std::int32_t> expected;
  for (std::uint32_t i = 0; i < size; ++i)
    if (form.matches(world, entities[i])) expected[entities[i]] = static_cast<std::int32_t>(i);

  std::set<Entity> visited;
  form.walk(world, [&](Entity entity, std::int32_t first, std::int32_t second) {
    const auto found = expected.find(entity);
    ASSERT_NE(found, expected.end()) << to_string(entity) << " does not match";
    ASSERT_TRUE(visited.insert(entity).second) << to_string(entity) << " is visited twice";
    ASSERT_EQ(first, found->second) << "the component is another's";
    ASSERT_EQ(second, found->second) << "the component is another's";
    if (every > 0 && visited.size() % every == 0) deed.run(world, entity);
  });
  ASSERT_EQ(visited.size(), expected.size());
  world.check();
}

TEST(Iteration, VisitsEachInitialMatchOnceWhateverChanges) {
  for (const WalkForm& form : forms) {
    for (const Deed& deed : deeds) {
      for (const std::uint32_t size : {0u, 1u, 63u, 64u, 65u, 511u, 512u, 513u, 1100u}) {
        if (!mobula::test::runs_all() && size > 65 && size != 513) continue;
        for (const std::uint32_t every : {0u, 1u, 2u, 3u, 64u}) {
          if (every == 0 && &deed != &deeds[0]) continue;
          const auto layout = static_cast<Layout>((size + every) % 3);
          SCOPED_TRACE(std::string(form.name) + ", " + deed.name + " every " + std::to_string(every) + " of " +
                       std::to_string(size) + ", layout " + std::to_string(static_cast<int>(layout)));
          ASSERT_NO_FATAL_FAILURE(expect_each_visited_once(form, deed, size, layout, every, size % 2 == 0));
        }
      }
    }
  }
}

// The boundary between a group's members and the rest is tested at every position in and around a block.
TEST(Iteration, AGroupsBoundaryMayLieAnywhereInARun) {
  for (const std::uint32_t members : {1u, 5u, 63u, 64u, 65u, 100u, 127u, 128u, 129u, 190u, 199u, 200u}) {
    for (const bool backwards : {false, true}) {
      SCOPED_TRACE(members);
      World world({.entities = {}, .pools = small_pages});
      world.group<Position, Mana>();
      std::vector<Entity> entities(200);
      ASSERT_TRUE(world.create(std::span(entities), Position{}));
      for (std::uint32_t i = 0; i < 200; ++i) world.get<Position>(entities[i]).value = static_cast<std::int32_t>(i);
      for (std::uint32_t i = 0; i < members; ++i) world.add<Mana>(entities[backwards ? 199 - i : i]);
      std::set<std::int32_t> visited;
      world.view<const Position>().each([&](Entity entity, const Position& position) {
        EXPECT_EQ(entities[static_cast<std::uint32_t>(position.value)], entity);
        EXPECT_TRUE(visited.insert(position.value).second);
        if (position.value % 3 != 0) world.destroy(entity);
      });
      EXPECT_EQ(visited.size(), 200u);
      world.check();
    }
  }
}

TEST(Iteration, OnlyNewEntitiesMayBeVisitedInAddition) {
  for (const int size : {1, 63, 64, 65, 600}) {
    SCOPED_TRACE(size);
    World world({.entities = {}, .pools = small_pages});
    for (int i = 0; i < size; ++i) {
      const Entity entity = world.create();
      world.add(entity, make<Position>(i));
      world.add(entity, make<Label>(i));
    }
    std::map<std::int32_t, int> visits;
    world.view<const Position, const Label>().each([&](Entity entity, const Position& position, const Label& label) {
      ASSERT_EQ(position.value, value_of(label));
      if (++visits[position.value] > 1 || position.value < 0) return;
      if (position.value % 2 == 0) world.destroy(entity);
      const Entity made = world.create();
      world.add(made, make<Position>(-1));
      world.add(made, make<Label>(-1));
    });
    for (int i = 0; i < size; ++i) ASSERT_EQ(visits[i], 1) << i;
    world.check();
  }
}

TEST(Iteration, NestedIterationsSeeEveryPair) {
  World world({.entities = {}, .pools = small_pages});
  for (int i = 0; i < 100; ++i) {
    const Entity entity = world.create();
    world.add(entity, make<Position>(i));
    if (i % 2 == 0) world.add(entity, make<Label>(i));
    if (i % 3 == 0) world.add(entity, make<Mana>(i));
  }
  int pairs = 0;
  world.view<const Position, const Label>().each([&](const Position&, const Label&) {
    world.view<const Position, const Mana>().each([&](const Position&, const Mana&) { ++pairs; });
    for (auto [entity, position, label] : world.view<const Position, const Label>())
      pairs += position.value == value_of(label) ? 1 : 0;
  });
  EXPECT_EQ(pairs, 50 * (34 + 50));
}

TEST(Iteration, AnExceptionEndsOnlyTheIteration) {
  World world;
  for (int i = 0; i < 10; ++i) world.add<Position>(world.create());
  EXPECT_THROW(world.view<Position>().each([](Position&) { throw 1; }), int);
  EXPECT_FALSE(world.pool<Position>().is_iterated());
}

TEST(Iteration, AsARangeIsGuardedUntilItsIteratorEnds) {
  World world;
  std::vector<Entity> made(3);
  ASSERT_TRUE(world.create(made, Position{}));
  Pool& pool = world.pool<Position>();
  {
    auto first = world.view<Position>().begin();
    const auto moved = std::move(first);
    EXPECT_TRUE(pool.is_iterated());
    EXPECT_DEATH(pool.claim_order(OrderOwner::sort), "reordered while it is iterated");
  }
  EXPECT_FALSE(pool.is_iterated());
}

TEST(Iteration, AnIteratorReadWithoutItsEntityIsNamed) {
  World world;
  std::vector<Entity> made(3);
  ASSERT_TRUE(world.create(made, Position{}, Mana{}));
  const auto read = [](auto& iterator) { return std::get<0>(*iterator); };
  const auto group = world.group<Mana>();
  auto iterator = world.view<const Position>().begin();
  auto member = group.begin();
  EXPECT_EQ(read(iterator), made[2]);
  EXPECT_EQ(read(member), made[2]);
  world.destroy(made[2]);
  EXPECT_DEATH(read(iterator), "iterator over component Position is read whose entity, index 2, was destroyed");
  EXPECT_DEATH(read(member), "iterator over component Mana is read whose entity, index 2, was destroyed");
  EXPECT_EQ(read(++iterator), made[1]);
  world.remove<Position>(made[1]);
  EXPECT_DEATH(read(iterator), "read whose entity, index 1, was destroyed or no longer matches");
  EXPECT_EQ(read(++iterator), made[0]);
  EXPECT_EQ(++iterator, std::default_sentinel);
  EXPECT_DEATH(read(iterator), "an iterator over component Position is read at its end");
  EXPECT_EQ(++iterator, std::default_sentinel);
  auto empty = world.view<const Health>().begin();
  EXPECT_DEATH(read(empty), "an iterator over component Health is read at its end");
}

TEST(Iteration, AHeldIteratorFindsItsEntityWhereItHasMoved) {
  World world;
  std::vector<Entity> made(200);
  ASSERT_TRUE(world.create(made, Position{}));
  for (const Entity entity : made) world.get<Position>(entity).value = static_cast<std::int32_t>(entity.index);
  std::set<std::uint32_t> visited;
  auto iterator = world.view<Position>().begin();
  for (std::size_t next = 0; iterator != std::default_sentinel; ++iterator) {
    const auto before = std::get<0>(*iterator);
    while (next < made.size() && (made[next] == before || visited.contains(made[next].index))) ++next;
    if (next < made.size()) world.destroy(made[next++]);  // the last entity, mostly the current one, fills its place
    for (int i = 0; i < 100; ++i) world.create(Position{-1});
    const auto [entity, position] = *iterator;
    EXPECT_EQ(entity, before);
    EXPECT_EQ(position.value, static_cast<std::int32_t>(entity.index));
    visited.insert(entity.index);
    if (visited.size() == 50) break;
  }
  EXPECT_EQ(visited.size(), 50u);
  world.check();
}

TEST(Iteration, AnEntityThatEntersAnIteratedGroupAsserts) {
  World world;
  const auto group = world.group<Position, Mana>();
  const Entity inside = world.create();
  const Entity outside = world.create();
  for (const Entity entity : {inside, outside}) world.add<Position>(entity);
  world.add<Mana>(inside);
  const char* const message = "enters the group that owns pool Position while it is iterated: use commands";
  EXPECT_DEATH(group.each([&](Position&, Mana&) { world.add<Mana>(outside); }), message);
  EXPECT_DEATH(world.view<const Position>().each([&](const Position&) { world.add<Mana>(outside); }), message);
  EXPECT_DEATH(group.each([&](Position&, Mana&) { world.create(Position{}, Mana{}); }), message);
  std::array<Entity, 3> created{};
  EXPECT_DEATH(group.each([&](Position&, Mana&) { static_cast<void>(world.create(created, Position{}, Mana{})); }),
               message);
  world.add<Mana>(outside);
  EXPECT_EQ(group.size(), 2u);
}

}  // namespace
}  // namespace mobula::ecs
