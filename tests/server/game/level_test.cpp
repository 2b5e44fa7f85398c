// Tests reloads of a level in a running world.
#include <gtest/gtest.h>

#include <array>
#include <mobula/schema/components.hpp>
#include <mobula/server/game/world.hpp>
#include <mobula/server/interest/relevance.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/test_level.hpp>
#include <server/hamlet.hpp>

namespace mobula::server {
namespace {

std::shared_ptr<const resource::Resource> level_of(const std::string& text) { return test::load_text(text); }

std::unique_ptr<World> make_world(const std::string& text, std::uint32_t entities_max = 1000) {
  auto world =
      std::move(*World::make({.schema = test::game_schema(), .level = level_of(text), .entities_max = entities_max}));
  EXPECT_TRUE(world->spawn_level());
  world->end_tick();
  return world;
}

LevelChange reload(World& world, const std::string& text) {
  const core::Result<LevelChange> change = world.reload_level(level_of(text));
  EXPECT_TRUE(change.ok()) << change.error().message;
  world.registry().check();
  return *change;
}

// Returns the only living entity with this health.
ecs::Entity with_health(World& world, int current) {
  ecs::Entity found;
  world.registry().view<const demo::Health>().each([&](ecs::Entity entity, const demo::Health& health) {
    if (health.current != current) return;
    EXPECT_FALSE(found);
    found = entity;
  });
  return found;
}

constexpr const char* three = R"({"entities":{
  "a":{"components":{"Health":{"current":1}}},
  "b":{"components":{"Health":{"current":2},"Target":{"entity":"/c"}}},
  "c":{"components":{"Health":{"current":3}},"children":{"d":{"components":{"Health":{"current":4}}}}}}})";

TEST(Level, AReloadOfTheSameChangesNothing) {
  const auto world = make_world(three);
  const LevelChange change = reload(*world, three);
  EXPECT_EQ(change.kept, 4u);
  EXPECT_EQ(change.spawned + change.removed.size(), 0u);
  EXPECT_TRUE(world->registry().journal().empty());
}

TEST(Level, AReloadSpawnsChangedEntitiesAndKeepsTheRest) {
  const auto world = make_world(three);
  const ecs::Entity a = with_health(*world, 1);
  const ecs::Entity b = with_health(*world, 2);
  const ecs::Entity c = with_health(*world, 3);
  const ecs::Entity d = with_health(*world, 4);
  const ecs::Entity player = world->registry().create();
  world->registry().get<demo::Health>(a).current = 99;  // by the game
  const LevelChange change = reload(*world, R"({"entities":{
    "new":{"components":{"Health":{"current":7}}},
    "a":{"components":{"Health":{"current":1}}},
    "b":{"components":{"Health":{"current":2},"Target":{"entity":"/c"}}},
    "c":{"components":{"Health":{"current":33}},"children":{"d":{"components":{"Health":{"current":4}}}}}}})");
  EXPECT_EQ(change.kept, 2u);
  EXPECT_EQ(change.spawned, 3u) << "new, and c with its child d";
  EXPECT_EQ(change.removed.size(), 2u);
  EXPECT_EQ(world->registry().get<const demo::Health>(a).current, 99);
  EXPECT_TRUE(world->registry().valid(player));
  EXPECT_FALSE(world->registry().valid(c));
  EXPECT_FALSE(world->registry().valid(d));
  const ecs::Entity new_c = with_health(*world, 33);
  EXPECT_EQ(world->registry().get<const demo::Target>(b).entity, new_c) << "references follow to the successor";
  EXPECT_EQ(world->registry().get<const engine::Parent>(with_health(*world, 4)).entity, new_c);
}

TEST(Level, AReloadKeepsDestroyedEntitiesUntilTheyChange) {
  const auto world = make_world(three);
  world->registry().destroy(with_health(*world, 1));
  EXPECT_EQ(reload(*world, three).kept, 3u);
  EXPECT_FALSE(with_health(*world, 1));
  EXPECT_EQ(reload(*world, R"({"entities":{"a":{"components":{"Health":{"current":5}}}}})").removed.size(), 3u);
  EXPECT_TRUE(with_health(*world, 5));
  EXPECT_EQ(world->registry().entities().size(), 1u);
}

TEST(Level, AReferenceThatTheGameHasChangedStays) {
  const auto world = make_world(three);
  const ecs::Entity b = with_health(*world, 2);
  world->registry().get<demo::Target>(b).entity = b;
  reload(*world, R"({"entities":{"b":{"components":{"Health":{"current":2},"Target":{"entity":"/c"}}},
                                 "c":{"components":{"Health":{"current":8}}}}})");
  EXPECT_EQ(world->registry().get<const demo::Target>(b).entity, b);
}

TEST(Level, EachRemovedEntityHasASuccessorOrNone) {
  const auto world = make_world(three);
  const ecs::Entity a = with_health(*world, 1);
  const ecs::Entity b = with_health(*world, 2);
  const ecs::Entity c = with_health(*world, 3);
  const ecs::Entity d = with_health(*world, 4);
  const LevelChange change = reload(*world, R"({"entities":{
    "c":{"components":{"Health":{"current":33}}},
    "a":{"components":{"Health":{"current":1}}},
    "b":{"components":{"Health":{"current":2},"Team":{},"Target":{"entity":"/c"}}}}})");
  EXPECT_EQ(change.follow(a), a) << "it stays";
  EXPECT_EQ(change.follow(b), with_health(*world, 2));
  EXPECT_EQ(change.follow(c), with_health(*world, 33));
  EXPECT_EQ(change.follow(d), ecs::null_entity) << "its path is gone";
  EXPECT_EQ(change.follow(ecs::null_entity), ecs::null_entity);
}

struct Depth {  // a server-only component of the game
  int metres;
};

// The well is what a wolf hunts, a player looks at and owns; a lantern hangs on it.
class LevelReload : public testing::Test {
 protected:
  // The text of the well's components.
  static std::string with_well(const std::string& well) {
    return R"({"entities":{"gate":{"components":{"Target":{"entity":"/well"}}},"well":{"components":{)" + well + "}}}}";
  }
  LevelReload() : world(make_world(with_well(plain))), registry(world->registry()) {
    well = world->level_entities()[1];
    wolf = *world->create(demo::Target{.entity = well});
    lantern = *world->create(engine::Transform{});
    EXPECT_TRUE(world->hierarchy().set_parent(lantern, well).ok());
    world->add_viewer(7, well);
    world->viewer(7).set_viewpoints(std::vector{wolf, well});
    registry.add<Relevance>(well) = {.interest_group = 3, .owner = 7};
  }
  void expect_all_name(ecs::Entity entity) {
    EXPECT_EQ(registry.get<const demo::Target>(wolf).entity, entity);
    EXPECT_EQ(world->player_entity(7), entity);
    EXPECT_EQ(std::vector(world->viewer(7).viewpoints().begin(), world->viewer(7).viewpoints().end()),
              (std::vector{wolf, entity}));
    const engine::Parent* parent = registry.try_get<const engine::Parent>(lantern);
    EXPECT_EQ(parent == nullptr ? ecs::null_entity : ecs::Entity(parent->entity), entity);
  }

  const std::string plain = R"("Transform":{"position":[5,0,0]},"Health":{"current":1})";
  std::unique_ptr<World> world;
  ecs::Registry& registry;
  ecs::Entity well, wolf, lantern;
};

TEST_F(LevelReload, ReferencesOfTheGameFollowToTheSuccessor) {
  for (const char* more : {R"(,"Team":{})", R"(,"Name":{"text":"Well"})"}) {
    const ecs::Entity former = well;
    reload(*world, with_well(plain + more));
    well = world->level_entities()[1];
    EXPECT_NE(well, former);
    EXPECT_FALSE(registry.valid(former));
    expect_all_name(well);
    EXPECT_EQ(registry.get<const demo::Target>(world->level_entities()[0]).entity, well) << "as the file says";
    EXPECT_EQ(registry.get<const Relevance>(well), (Relevance{.interest_group = 3, .owner = 7}));
    EXPECT_EQ(registry.get<const hierarchy::WorldTransform>(lantern).position.x, 5);
  }
}

TEST_F(LevelReload, ReferencesToAKeptEntityStay) {
  reload(*world, R"({"entities":{"gate":{"components":{"Target":{"entity":"/well"}}},
                                 "well":{"components":{)" +
                     plain + R"(}},"new":{}}})");
  EXPECT_EQ(world->level_entities()[1], well);
  expect_all_name(well);
}

TEST_F(LevelReload, ReferencesToARemovedOrRenamedEntityAreNull) {
  reload(*world, R"({"entities":{"old_well":{"components":{)" + plain + "}}}}");
  EXPECT_FALSE(registry.valid(well));
  expect_all_name(ecs::null_entity);
  EXPECT_EQ(registry.get<const engine::Transform>(lantern).position.x, 5) << "it keeps its place";
}

TEST_F(LevelReload, TheGameSeesBothVersions) {
  registry.add<Depth>(well).metres = 12;
  ecs::Entity next;
  const auto changed = [&](const LevelChange& change) {
    next = change.follow(well);
    EXPECT_EQ(next, world->level_entities()[1]) << "the level is the new one";
    EXPECT_EQ(registry.get<const demo::Health>(well).current, 1);
    EXPECT_EQ(registry.get<const demo::Health>(next).current, 2);
    EXPECT_EQ(registry.get<const demo::Target>(wolf).entity, next);
    registry.add<Depth>(next, registry.get<const Depth>(well));
  };
  ASSERT_TRUE(world->reload_level(level_of(with_well(R"("Transform":{},"Health":{"current":2})")), changed).ok());
  EXPECT_EQ(registry.get<const Depth>(next).metres, 12);
  EXPECT_FALSE(registry.valid(well));
}

TEST_F(LevelReload, TheGameMayDestroyEntitiesOfBothVersions) {
  const auto changed = [&](const LevelChange& change) {
    world->destroy(change.follow(well));
    world->destroy(well);
  };
  ASSERT_TRUE(world->reload_level(level_of(with_well(R"("Transform":{},"Health":{"current":2})")), changed).ok());
  EXPECT_FALSE(registry.valid(well));
  EXPECT_FALSE(registry.valid(world->level_entities()[1]));
  EXPECT_EQ(world->player_entity(7), ecs::null_entity);
  EXPECT_TRUE(registry.valid(lantern));
  registry.check();
  world->hierarchy().check();
}

TEST(Level, AReloadThatDoesNotFitChangesNothing) {
  const auto world = make_world(three, 6);
  int calls = 0;
  const core::Result<LevelChange> change =
      world->reload_level(level_of(R"({"entities":{"x":{},"y":{},"z":{}}})"), [&](const LevelChange&) { ++calls; });
  ASSERT_FALSE(change.ok());
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(world->level_version(), 0u);
  EXPECT_STREQ(change.error().reason, "too many entities");
  EXPECT_EQ(world->registry().entities().size(), 4u);
  EXPECT_TRUE(world->registry().journal().empty());
  EXPECT_NE(world->level()->name_of(core::StringId32("a")), "") << "the world keeps the old level";
  EXPECT_STREQ(world->reload_level(nullptr).error().reason, "no level");
  const auto copy = *resource::Resource::from_bytes(level_of(three)->clients_bytes());
  EXPECT_STREQ(world->reload_level(copy).error().reason, "incomplete");
}

TEST(Level, AnOlderSchemaIsMatchedByNameAndLogged) {
  const auto older = test::load_schema("struct Health (component) { current:ushort; shield:ubyte; }");
  const auto level =
      test::load_text(R"({"entities":{"a":{"components":{"Health":{"current":8,"shield":1}}}}})", *older);
  const auto world = std::move(*World::make({.schema = test::game_schema(), .level = level}));
  ASSERT_TRUE(world->spawn_level());
  EXPECT_EQ(world->registry().get<const demo::Health>(with_health(*world, 8)).maximum, 100);
  EXPECT_FALSE(world->level_notes().empty());
  EXPECT_TRUE(make_world(three)->level_notes().empty());
}

TEST(Level, AReloadMovesChildrenToTheSuccessor) {
  const char* cart = R"({"entities":{
    "cart":{"components":{"Transform":{"position":[100,0,0]},"Health":{"current":%}}},
    "box":{"components":{"Transform":{"position":[1,0,0]},"Health":{"current":5}}}}})";
  const auto version = [&](char health) {
    std::string text = cart;
    text[text.find('%')] = health;
    return text;
  };
  const auto world = make_world(version('1'));
  ecs::Registry& registry = world->registry();
  const ecs::Entity rider = registry.create();
  registry.add<engine::Transform>(rider).position.y = 2;
  const ecs::Entity box = with_health(*world, 5);
  for (const ecs::Entity each : {rider, box}) ASSERT_TRUE(world->hierarchy().set_parent(each, with_health(*world, 1)));
  reload(*world, version('2'));
  const ecs::Entity successor = with_health(*world, 2);
  EXPECT_EQ(registry.get<const engine::Parent>(rider).entity, successor);
  EXPECT_EQ(registry.get<const engine::Parent>(box).entity, successor);
  EXPECT_EQ(registry.get<const hierarchy::WorldTransform>(rider).position.x, 100.0f);
  reload(*world, R"({"entities":{}})");
  EXPECT_FALSE(registry.valid(box));
  EXPECT_FALSE(registry.has<engine::Parent>(rider)) << "no successor: it keeps its place";
  EXPECT_EQ(registry.get<const engine::Transform>(rider).position.x, 100.0f);
}

TEST(Level, AReloadSkipsChildrenThatAListenerDestroys) {
  const auto world = make_world(R"({"entities":{"cart":{"components":{"Transform":{},"Health":{"current":1}}}}})");
  ecs::Registry& registry = world->registry();
  const std::array riders{registry.create(), registry.create()};
  for (const ecs::Entity rider : riders) {
    registry.add<engine::Transform>(rider);
    ASSERT_TRUE(world->hierarchy().set_parent(rider, with_health(*world, 1)));
  }
  registry.signals<engine::Parent>().destroy.connect([&](std::span<const ecs::Entity> received) {
    if (received.front() == riders[0]) registry.destroy(riders[1]);
  });
  reload(*world, R"({"entities":{}})");
  EXPECT_TRUE(registry.valid(riders[0]));
  EXPECT_FALSE(registry.valid(riders[1]));
}

TEST(Level, ChildrenOfDestroyedEntitiesAreNotSpawned) {
  const auto world = make_world(R"({"entities":{"a":{"components":{"Health":{"current":1}},"children":{"b":{}}}}})");
  world->destroy_tree(with_health(*world, 1));
  const LevelChange change = reload(*world, R"({"entities":{"a":{"components":{"Health":{"current":1}},
      "children":{"b":{"components":{"Health":{"current":2}}},"c":{}}}}})");
  EXPECT_EQ(change.spawned, 0u);
  EXPECT_EQ(world->registry().entities().size(), 0u);
}

TEST(Level, AllEntitiesCanBeReloadedRepeatedly) {
  const auto world = make_world(three, 20);
  for (int i = 0; i < 50; ++i)
    reload(*world, R"({"entities":{"a":{"components":{"Health":{"current":)" + std::to_string(i + 10) +
                       R"(}}},"b":{"components":{"Health":{"current":)" + std::to_string(i + 100) + "}}}}}");
  EXPECT_EQ(world->registry().entities().size(), 2u);
}

TEST(Level, NamesOfEarlierVersionsStayKnown) {
  const auto world = make_world(R"({"entities":{"a":{"components":{"Old":{"$type":"Health"}}}}})");
  reload(*world, R"({"entities":{"a":{"components":{"New":{"$type":"Health"}}}}})");
  for (const char* name : {"Old", "New"}) EXPECT_EQ(world->names().text(core::StringId32(name)), name);
}

TEST(Level, PrefabsComeFromTheNewVersion) {
  const auto world = make_world(R"({"prefabs":{"p":{"spawnable":true,"components":{"Health":{"current":1}}}}})");
  reload(*world, R"({"prefabs":{"p":{"spawnable":true,"components":{"Health":{"current":2}}}}})");
  EXPECT_EQ(world->registry().get<const demo::Health>(*world->spawn("p")).current, 2);
}

// Reloads random versions of a level. The result equals a world that began with the last version.
TEST(Level, RandomVersionsEndAsTheLastOne) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    const auto version = [&] {
      std::string text = R"({"entities":{"root":{})";
      for (int i = 0; i < 30; ++i) {
        if (random.below(4) == 0) continue;
        text += ",\"e" + std::to_string(i) +
                "\":{\"components\":{\"Health\":{\"current\":" + std::to_string(random.below(3)) +
                "},\"Target\":{\"entity\":\"" + (i % 2 == 0 ? "/root" : ".") + "\"}}";
        if (random.below(2) == 0) text += ",\"children\":{\"c\":{\"components\":{\"Team\":{}}}}";
        text += "}";
      }
      return text + "}}";
    };
    const auto world = make_world(version());
    std::string last;
    for (int i = 0; i < 8; ++i) reload(*world, last = version());
    const auto fresh = make_world(last);
    EXPECT_EQ(world->registry().entities().size(), fresh->registry().entities().size());
    for (const int health : {0, 1, 2}) {
      const auto count = [&](World& counted) {
        std::size_t found = 0;
        counted.registry().view<const demo::Health, const demo::Target>().each(
            [&](const demo::Health& each, const demo::Target& target) {
              EXPECT_TRUE(counted.registry().valid(target.entity));
              found += each.current == health;
            });
        return found;
      };
      EXPECT_EQ(count(*world), count(*fresh));
    }
  }
}

}  // namespace
}  // namespace mobula::server
