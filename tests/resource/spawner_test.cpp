#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mobula/core/random.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/resource/spawner.hpp>
#include <mobula/schema/components.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource::spawner_test {
namespace {

constexpr const char* level_text = R"({
  "prefabs": {
    "mob": {"components": {"Transform": {}, "Velocity": {}, "Body": {"$type": "RenderData", "mesh": "mob"}}},
    "wolf": {"prefab": "mob", "spawnable": true, "components": {"Target": {"entity": "tail"}},
             "children": {"tail": {"components": {"Transform": {"position": [0, 0, -1]}, "Target": {"entity": ".."}}}}}
  },
  "entities": {
    "gate": {"components": {"Target": {"entity": "/wolf.1/tail"}, "Health": {"current": 7}}},
    "nothing": {}
  },
  "placements": [
    {"name": "mob", "prefab": "mob", "scatter": {"count": 300, "seed": 1, "area": [-9, -9, 9, 9]}},
    {"name": "wolf", "prefab": "wolf", "at": [[1, 0, 1], [2, 0, 2]]}
  ]
})";

struct World {
  ecs::Registry registry;
  World() { EXPECT_TRUE(reflect::register_components(registry, test::demo_schema()).ok()); }
};

// Reference of the spawner: one entity and one component at a time.
std::vector<ecs::Entity> spawn_reference(ecs::Registry& registry, const Resource& resource,
                                         const EntityResource& source) {
  std::vector<ecs::Entity> made;
  for (std::uint32_t i = 0; i < source.num_entities; ++i) made.push_back(registry.create());
  for (const Column& column : source.columns) {
    const ecs::PoolId pool = *registry.open_pool(column.key.type, resource.name_of(column.key.instance));
    core::Bytes data(column.data.begin(), column.data.end());
    for (const Reference& reference : column.references)
      core::store(data.data() + reference.offset, made[reference.target]);
    const std::size_t size = column.component->size;
    for (std::uint32_t i = 0; i < column.num_instances; ++i)
      registry.add_bytes(made[column.entity_index[i]], pool, core::ByteView(data).subspan(i * size, size));
  }
  return made;
}

void expect_same(const ecs::Registry& a, const ecs::Registry& b, ecs::Entity in_a, ecs::Entity in_b) {
  const std::vector<index::ComponentRef> components = index::components(a, a.prototype(in_a));
  ASSERT_EQ(components, index::components(b, b.prototype(in_b)));
  for (const index::ComponentRef& component : components) {
    const ecs::PoolId pool = a.find_pool(component.type, component.instance);
    const std::byte* value = a.try_read(in_a, pool);
    ASSERT_NE(value, nullptr);
    const std::byte* other = b.try_read(in_b, b.find_pool(component.type, component.instance));
    ASSERT_TRUE(std::equal(value, value + a.pool(pool).type().size, other));
  }
}

TEST(Spawner, ALevelEqualsThatOfAReferenceSpawner) {
  const auto resource = test::load_text(level_text);
  World fast;
  World slow;
  const auto range = Spawner::bind(fast.registry, test::demo_schema(), resource)->spawn_level();
  ASSERT_TRUE(range.ok());
  const std::vector<ecs::Entity> reference = spawn_reference(slow.registry, *resource, resource->level());
  ASSERT_EQ(range->count, reference.size());
  for (std::uint32_t i = 0; i < range->count; ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(range->at(i), reference[i]) << "both worlds are new, so the handles agree too";
    expect_same(fast.registry, slow.registry, range->at(i), reference[i]);
  }
  fast.registry.check();
  slow.registry.check();
}

TEST(Spawner, ReferencesAndParentsAreLiveHandles) {
  const auto resource = test::load_text(level_text);
  World world;
  const ecs::Entity before = world.registry.create();
  ecs::Registry& registry = world.registry;
  const ecs::EntityRange range = *Spawner::bind(registry, test::demo_schema(), resource)->spawn_level();
  EXPECT_TRUE(registry.valid(before));
  const ecs::Entity tail = registry.get<const demo::Target>(range.at(0)).entity;
  EXPECT_EQ(tail, range.at(range.count - 1));
  EXPECT_EQ(registry.get<const engine::Parent>(tail).entity, range.at(range.count - 2));
  EXPECT_EQ(registry.get<const demo::Target>(tail).entity, range.at(range.count - 2));
  EXPECT_FALSE(registry.has<engine::Parent>(range.at(0)));
}

TEST(Spawner, APrefabCanBeSpawnedAgainAndAgain) {
  const auto resource = test::load_text(level_text);
  World world;
  auto spawner = Spawner::bind(world.registry, test::demo_schema(), resource);
  ASSERT_TRUE(spawner.ok());
  std::vector<ecs::Entity> seen;
  for (int i = 0; i < 100; ++i) {
    const auto range = spawner->spawn_prefab("wolf");
    ASSERT_TRUE(range.ok());
    ASSERT_EQ(range->count, 2u);
    ASSERT_EQ(world.registry.get<const demo::Target>(range->at(0)).entity, range->at(1));
    seen.push_back(range->at(0));
    if (i % 2 == 0) world.registry.destroy_range(*range);
  }
  world.registry.check();
  EXPECT_FALSE(world.registry.valid(seen[0]));
  EXPECT_TRUE(world.registry.valid(seen[1]));
  const auto unknown = spawner->spawn_prefab("mob");
  ASSERT_FALSE(unknown.ok()) << "not marked as spawnable";
  EXPECT_STREQ(unknown.error().reason, "unknown prefab");
}

TEST(Spawner, RefusesALevelThatExceedsTheRegistry) {
  const auto resource = test::load_text(level_text);
  ecs::Registry small({.entities = {.entities_max = 10}, .pools = {}});
  ASSERT_TRUE(reflect::register_components(small, test::demo_schema()).ok());
  auto bound = Spawner::bind(small, test::demo_schema(), resource);
  ASSERT_TRUE(bound.ok());
  const auto range = bound->spawn_level();
  ASSERT_FALSE(range.ok());
  EXPECT_STREQ(range.error().reason, "too many entities");
  EXPECT_EQ(small.entities().size(), 0u);
  small.check();
}

TEST(Spawner, RefusesAnEntityThatCouldNotBeSent) {
  const auto small = test::load_schema("struct Cargo (component) { bytes:[ubyte:100]; }");
  const auto large = test::load_schema("struct Cargo (component) { bytes:[ubyte:4000]; }");
  std::string components;
  for (int i = 0; i < 4; ++i)
    components += (i == 0 ? "" : ", ") + std::string("\"c") + std::to_string(i) + R"(": {"$type": "Cargo"})";
  const auto resource = test::load_text(R"({"entities": {"ship": {"components": {)" + components + "}}}}", *small);
  ecs::Registry registry;
  ASSERT_TRUE(reflect::register_components(registry, *large).ok());
  const auto bound = Spawner::bind(registry, *large, resource);
  ASSERT_FALSE(bound.ok());
  EXPECT_STREQ(bound.error().reason, "too large");
  EXPECT_EQ(bound.error().message.find("entity 0 of the level has 4 components to send, of at most 20001 bytes, the "
                                       "largest of which is c"),
            0u)
      << bound.error().message;
}

TEST(Spawner, MigratesAnOlderSchemaFieldByField) {
  const auto older = test::load_schema(R"(
      struct Mood (component) { anger:float; target:mobula.engine.EntityRef; gone:ubyte; }
      struct Dropped (component) { x:float; })");
  const auto newer = test::load_schema(R"(
      struct Mood (component) { added:ushort (default:"7"); target:mobula.engine.EntityRef; anger:float (range:"0 1", bits:"8"); })");
  const auto resource = test::load_text(
      R"({"entities":{"a":{"components":{"Mood":{"anger":0.5,"target":"/b","gone":3},"Dropped":{}}},
                      "b":{"components":{"Mood":{"anger":9},"Second":{"$type":"Mood","target":"/a"}}}}})",
      *older);
  ecs::Registry registry;
  ASSERT_TRUE(reflect::register_components(registry, *newer));
  auto spawner = Spawner::bind(registry, *newer, resource);
  ASSERT_TRUE(spawner.ok()) << spawner.error().message;
  const ecs::EntityRange range = *spawner->spawn_level();
  registry.check();
  struct Mood {
    std::uint16_t added;
    std::uint16_t padding;
    ecs::Entity target;
    float anger;
  };
  const auto mood = [&](std::uint32_t entity, const char* name) {
    const std::byte* at = registry.try_read(range.at(entity), registry.find(range.at(entity), core::StringId32(name)));
    return core::load<Mood>(at);
  };
  EXPECT_EQ(mood(0, "Mood").added, 7);
  EXPECT_EQ(mood(0, "Mood").anger, 0.5f);
  EXPECT_EQ(mood(0, "Mood").target, range.at(1));
  EXPECT_EQ(mood(1, "Mood").anger, 1.0f) << "9 is out of range now";
  EXPECT_EQ(mood(1, "Second").target, range.at(0));
  EXPECT_EQ(registry.prototypes().pools(registry.prototype(range.at(0))).size(), 1u) << "Dropped was removed";
  EXPECT_THAT(spawner->notes(), testing::IsSupersetOf({"Mood.added is new and gets its default",
                                                       "Mood.gone was removed", "Dropped was removed",
                                                       "1 numbers of Mood are out of range and become the "
                                                       "nearest in range"}));
  EXPECT_TRUE(Spawner::bind(registry, *newer, test::load_text("{}", *newer))->notes().empty());
}

engine::Transform at(float x, float z) {
  engine::Transform transform{};
  transform.position = {x, 0, z};
  transform.rotation = {0, 0, 0, 1};
  return transform;
}

TEST(Spawner, APrefabIsSpawnedAtItsPlacement) {
  World world;
  auto spawner = Spawner::bind(world.registry, test::demo_schema(), test::load_text(level_text));
  engine::Transform place = at(10, 20);
  place.rotation = {0, 1, 0, 0};  // half a turn about +y
  const ecs::EntityRange range = *spawner->spawn_prefab("wolf", &place);
  const auto& root = world.registry.get<const engine::Transform>(range.at(0));
  EXPECT_EQ(root.position.x, 10.0f);
  EXPECT_EQ(root.rotation.y, 1.0f);
  const auto& tail = world.registry.get<const engine::Transform>(range.at(1));
  EXPECT_EQ(tail.position.z, -1.0f) << "children are relative to the root as before";
}

TEST(SpawnerDeathTest, APlacementWithoutARotationIsFound) {
  World world;
  auto spawner = Spawner::bind(world.registry, test::demo_schema(), test::load_text(level_text));
  engine::Transform place = at(10, 20);
  for (const engine::Quat& wrong :
       {engine::Quat{0, 0, 0, 0}, engine::Quat{0, 1, 0, 1}, engine::Quat{0, std::nanf(""), 0, 0}}) {
    place.rotation = wrong;
    EXPECT_DEATH(static_cast<void>(spawner->spawn_prefab("wolf", &place)),
                 "a prefab is placed with rotation .*, whose length is not 1");
  }
}

TEST(Spawner, ABatchOfPrefabsEqualsSingleSpawns) {
  const auto resource = test::load_text(level_text);
  World bulk;
  World single;
  auto many = Spawner::bind(bulk.registry, test::demo_schema(), resource);
  auto one = Spawner::bind(single.registry, test::demo_schema(), resource);
  std::vector<Placement> places;
  for (int i = 0; i < 100; ++i) places.push_back(at(static_cast<float>(i), 5));
  std::vector<std::size_t> notified;
  bulk.registry.signals<demo::Target>().construct.connect(
      [&](std::span<const ecs::Entity> entities) { notified.push_back(entities.size()); });
  const ecs::EntityRange range = *many->spawn_prefabs(core::StringId32("wolf"), places);
  EXPECT_EQ(notified, std::vector<std::size_t>{200}) << "one operation";
  ASSERT_EQ(range.count, 200u);
  for (std::uint32_t i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    const ecs::EntityRange each = *one->spawn_prefab("wolf", &places[i]);
    expect_same(bulk.registry, single.registry, range.at(2 * i), each.at(0));
    expect_same(bulk.registry, single.registry, range.at(2 * i + 1), each.at(1));
    ASSERT_EQ(bulk.registry.get<const demo::Target>(range.at(2 * i)).entity, range.at(2 * i + 1));
  }
  bulk.registry.check();
  bulk.registry.destroy_range(range);
  EXPECT_EQ(bulk.registry.entities().size(), 0u);
  EXPECT_EQ(many->spawn_prefabs(core::StringId32("wolf"), {})->count, 0u);
  EXPECT_STREQ(many->spawn_prefabs(core::StringId32("fox"), places).error().reason, "unknown prefab");
}

TEST(Spawner, APartOfALevelRefersToPresentEntities) {
  const auto resource = test::load_text(level_text);
  const std::uint32_t count = resource->level().num_entities;
  World world;
  auto spawner = Spawner::bind(world.registry, test::demo_schema(), resource);
  std::vector<ecs::Entity> present(count);
  std::vector<SpawnChoice> choices;
  choices.resize(count, SpawnChoice::leave);
  core::Random random(4);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (random.below(2) == 0)
      choices[i] = SpawnChoice::spawn;
    else if (random.below(4) > 0)
      present[i] = world.registry.create();
  }
  choices[0] = SpawnChoice::spawn;  // the entity "gate", which refers to the last wolf's tail
  choices[count - 1] = SpawnChoice::leave;
  present[count - 1] = world.registry.create();
  for (int i = 0; i < 50; ++i) world.registry.destroy(world.registry.create());
  std::vector<ecs::Entity> entities = present;
  ASSERT_TRUE(spawner->spawn_part(entities, choices));
  world.registry.check();
  EXPECT_EQ(world.registry.get<const demo::Target>(entities[0]).entity, present[count - 1]);
  for (const Column& column : resource->level().columns) {
    const ecs::PoolId pool = world.registry.find_pool(column.key.type, column.key.instance);
    std::uint32_t wanted = 0;
    for (std::uint32_t i = 0; i < column.num_instances; ++i) {
      const std::uint32_t entity = column.entity_index[i];
      const std::byte* bytes = world.registry.try_read(entities[entity], pool);
      ASSERT_EQ(bytes != nullptr, choices[entity] == SpawnChoice::spawn);
      wanted += bytes != nullptr;
      if (bytes != nullptr && column.references.empty()) {
        ASSERT_EQ(std::memcmp(bytes, column.data.data() + i * column.component->size, column.component->size), 0);
      }
    }
    EXPECT_EQ(world.registry.pool(pool).size(), wanted);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (choices[i] == SpawnChoice::leave) {
      EXPECT_EQ(entities[i], present[i]);
    }
  }
}

TEST(Spawner, AnEmptyLevelSpawnsNothing) {
  World world;
  const auto range = Spawner::bind(world.registry, test::demo_schema(), test::load_text("{}"))->spawn_level();
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->count, 0u);
  EXPECT_EQ(world.registry.entities().size(), 0u);
}

// A level with components that are not in a schema.
std::shared_ptr<const Resource> level_with_routes() {
  CompilerTable compilers;
  const auto bytes_of_text = [](const ComponentSource& source, ComponentContext& context, core::Bytes& out) {
    context.reference(static_cast<std::uint32_t>(0), *source.layers.back()->find("to"));
    out.resize(out.size() + sizeof(ecs::Entity));
  };
  compilers.add("Route", {.spawn_order = 5, .compile = bytes_of_text});
  compilers.add("Early", {.spawn_order = -5, .compile = bytes_of_text});
  return test::load_compiled(test::compile_files(
      {{"level.json", R"({"entities":{"a":{"components":{"Route":{"to":"/b"},"Early":{"to":"/a"},"Health":{}}},
                                       "b":{"components":{"Route":{"to":"/a"}}}}})"}},
      test::demo_schema(), compilers));
}

TEST(Spawner, UnknownColumnsAreSkippedOrRefused) {
  World world;
  const auto resource = level_with_routes();
  auto skipping = Spawner::bind(world.registry, test::demo_schema(), resource);
  ASSERT_TRUE(skipping.ok());
  EXPECT_TRUE(skipping->spawn_level().ok());
  world.registry.check();
  const auto refusing = Spawner::bind(world.registry, test::demo_schema(), resource, {}, UnknownColumns::refuse);
  ASSERT_FALSE(refusing.ok());
  EXPECT_STREQ(refusing.error().reason, "unknown component");
  EXPECT_EQ(refusing.error().message, "the resource has components Early, which nothing here spawns");
}

TEST(Spawner, RegisteredSpawnersRunInSpawnOrderOnColumns) {
  World world;
  const auto resource = level_with_routes();
  std::vector<std::string> order;
  SpawnerTable table;
  table.add("Route", {.spawn_order = 5, .check = {}, .spawn = [&](const SpawnColumn& column) {
                        order.emplace_back("Route");
                        ASSERT_EQ(column.num_instances(), 2u);
                        EXPECT_EQ(core::load<ecs::Entity>(column.data.data()), column.batch.at(1));
                        EXPECT_EQ(core::load<ecs::Entity>(column.data.data() + sizeof(ecs::Entity)),
                                  column.batch.at(0));
                        EXPECT_EQ(column.entity(1), column.batch.at(1));
                      }});
  table.add("Early",
            {.spawn_order = 9, .check = {}, .spawn = [&](const SpawnColumn&) { order.emplace_back("Early"); }});
  table.add("Health", {.spawn_order = 7, .check = {}, .spawn = [&](const SpawnColumn& column) {
                         order.emplace_back("Health");
                         copy_column(column);
                       }});
  auto spawner = Spawner::bind(world.registry, test::demo_schema(), resource, table);
  ASSERT_TRUE(spawner.ok());
  const auto range = spawner->spawn_level();
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(order, (std::vector<std::string>{"Route", "Health", "Early"})) << "the spawner's order, not the file's";
  EXPECT_EQ(world.registry.get<const demo::Health>(range->at(0)).maximum, 100);
  world.registry.check();
}

TEST(Spawner, ARegisteredSpawnerRefusesAColumnBeforehand) {
  World world;
  SpawnerTable table;
  table.add("Route", {.spawn_order = 0,
                      .check = [](const Column& column) -> core::Status {
                        if (column.num_instances > 1) return core::Error{"invalid", "one route at most"};
                        return core::Done{};
                      },
                      .spawn = [](const SpawnColumn&) {}});
  const auto spawner = Spawner::bind(world.registry, test::demo_schema(), level_with_routes(), table);
  ASSERT_FALSE(spawner.ok());
  EXPECT_EQ(spawner.error().message, "one route at most");
}

}  // namespace
}  // namespace mobula::resource::spawner_test
