// Lists of bulk calls: they may be in components, and change while the game is called.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ecs/components.hpp>
#include <functional>
#include <mobula/ecs/entity_list.hpp>
#include <string>
#include <vector>

namespace mobula::ecs::entity_list_test {
namespace {

using test::Health;
using test::Label;
using test::World;

TEST(EntityList, CallsWithinEachOtherKeepTheirMemory) {
  EntityLists memory;
  const std::vector<Entity> list(100, Entity{3, 5});
  std::array<const Entity*, 2> places{};
  for (int round = 0; round < 3; ++round) {
    const EntityList outer(memory, list);
    {
      const EntityList inner(memory, std::span(list).first(50));
      if (round > 0) EXPECT_EQ(inner.entities.data(), places[1]);
      places[1] = inner.entities.data();
      EXPECT_EQ(inner.entities.size(), 50u);
    }
    if (round > 0) EXPECT_EQ(outer.entities.data(), places[0]);
    places[0] = outer.entities.data();
    EXPECT_EQ(outer.entities, list);
  }
  EXPECT_TRUE(EntityList(memory).entities.empty());
}

// The rows of a pool move while its components are removed.
TEST(BulkCall, ItsListMayBeInAComponent) {
  struct Party {
    std::array<Entity, 4> members;
  };
  for (const bool is_destroyed : {true, false}) {
    World world;
    Party party{};
    for (Entity& member : party.members) member = world.create(Health{1});
    for (const Entity member : party.members) world.add<Party>(member, {});
    world.get<Party>(party.members[0]) = party;
    const std::span<const Entity> list = world.get<const Party>(party.members[0]).members;
    if (is_destroyed) {
      world.destroy(list);
    } else {
      world.remove(list, world.pool<Party>().id());
    }
    world.check();
    EXPECT_EQ(world.entities().size(), is_destroyed ? 0u : 4u);
    EXPECT_EQ(world.pool<Party>().size(), 0u);
  }
}

TEST(BulkCall, ItsRangeMayBeInAComponent) {
  struct Squad {
    EntityRange range;
  };
  for (const bool is_listened : {true, false}) {
    World world;
    const EntityRange range = world.create_range(5);
    for (std::uint32_t i = 0; i < range.count; ++i) world.add<Health>(range.at(i));
    world.add<Squad>(range.at(4), {range});
    const Entity last = world.create();
    world.add<Squad>(last, {});
    if (is_listened) world.destroying().connect([&](std::span<const Entity>) { world.get<Squad>(range.at(4)) = {}; });
    world.destroy_range(world.get<const Squad>(range.at(4)).range);
    world.check();
    EXPECT_EQ(world.entities().size(), 1u);
    EXPECT_TRUE(world.valid(last));
  }
}

// Each of two listeners receives the whole list, though the first one clears the caller's.
TEST(BulkCall, AListenerMayChangeTheListOfTheCaller) {
  using Call = std::function<void(World&, std::span<Entity>)>;
  const Call create = [](World& world, std::span<Entity> list) { ASSERT_TRUE(world.create(list)); };
  const Call create_with = [](World& world, std::span<Entity> list) { ASSERT_TRUE(world.create(list, Health{7})); };
  const Call add = [](World& world, std::span<Entity> list) { world.add<Health>(list, {7}); };
  const Call add_label = [](World& world, std::span<Entity> list) { world.add<Label>(list, {"seven"}); };
  for (const Call& call : {create, create_with, add, add_label}) {
    World world;
    std::array<Entity, 5> list{};
    ASSERT_TRUE(world.create(std::span(list)));
    const std::array<Entity, 5> before = list;
    std::vector<std::size_t> heard;
    for (Signal* signal : {&world.created(), &world.signals<Health>().construct, &world.signals<Label>().construct}) {
      for (int i = 0; i < 2; ++i) {
        signal->connect([&](std::span<const Entity> entities) {
          list = {};
          heard.push_back(static_cast<std::size_t>(
              std::ranges::count_if(entities, [&](Entity each) { return world.valid(each); })));
        });
      }
    }
    call(world, list);
    world.check();
    EXPECT_GE(heard.size(), 2u);
    EXPECT_EQ(heard, std::vector<std::size_t>(heard.size(), 5));
    for (const Entity entity : before) EXPECT_TRUE(world.valid(entity));
  }
}

TEST(BulkCall, ItsListMovesWithThePoolThatAnAddFills) {
  struct Party {
    std::array<Entity, 200> members;
  };
  World world;
  Party party{};
  ASSERT_TRUE(world.create(std::span(party.members)));
  const Entity leader = world.create();
  world.add<Party>(leader, party);
  world.add<Party>(std::span(world.get<const Party>(leader).members));
  world.check();
  for (const Entity member : party.members) EXPECT_NE(world.try_get<const Party>(member), nullptr);
}

TEST(BulkCall, ItsValueMovesWithThePoolThatIsFilled) {
  World world;
  const Entity first = world.create(Health{42});
  std::vector<Entity> added(1000), created(10'000);
  ASSERT_TRUE(world.create(std::span(added)));
  world.add<Health>(added, world.get<const Health>(first));
  ASSERT_TRUE(world.create(std::span(created), world.get<const Health>(first)));
  world.check();
  for (const std::vector<Entity>& list : {added, created})
    for (const Entity entity : list) EXPECT_EQ(world.get<const Health>(entity).value, 42);
}

}  // namespace
}  // namespace mobula::ecs::entity_list_test
