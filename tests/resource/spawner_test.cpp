#include <gtest/gtest.h>

#include <mobula/index/prototype_hash.hpp>
#include <mobula/resource/spawner.hpp>
#include <mobula/schema/components.hpp>
#include <reflect/compile_schema.hpp>
#include <resource/test_level.hpp>

namespace mobula::resource {
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

// What the spawner does, one entity and one component at a time.
std::vector<ecs::Entity> spawn_naively(ecs::Registry& registry, const Resource& resource,
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

TEST(Spawner, ALevelIsWhatANaiveInterpretationMakesOfIt) {
  const auto resource = test::load_text(level_text);
  World fast;
  World slow;
  const auto range = Spawner::bind(fast.registry, test::demo_schema(), resource)->spawn_level();
  ASSERT_TRUE(range.ok());
  const std::vector<ecs::Entity> naive = spawn_naively(slow.registry, *resource, resource->level());
  ASSERT_EQ(range->count, naive.size());
  for (std::uint32_t i = 0; i < range->count; ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(range->at(i), naive[i]) << "both worlds are new, so the handles agree too";
    expect_same(fast.registry, slow.registry, range->at(i), naive[i]);
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

TEST(Spawner, WhatDoesNotFitTheRegistryIsRefusedBeforeAnythingIsMade) {
  const auto resource = test::load_text(level_text);
  ecs::Registry registry;
  const auto other = test::load_schema("struct Health (component) { current:ushort; }");
  ASSERT_TRUE(reflect::register_components(registry, *other).ok());
  const auto spawner = Spawner::bind(registry, *other, resource);
  ASSERT_FALSE(spawner.ok());
  EXPECT_STREQ(spawner.error().reason, "other schema");
  const auto start = [](const reflect::Schema& schema) { return core::to_string(schema.fingerprint()).substr(0, 16); };
  EXPECT_EQ(spawner.error().message, "the resource was compiled with schema " + start(test::demo_schema()) +
                                         ", the world has " + start(*other) +
                                         "; compile the level with the game's schema (mobula-compile --schema …)");
  EXPECT_EQ(registry.entities().size(), 0u);

  ecs::Registry small({.entities = {.index_limit = 10}, .pools = {}});
  ASSERT_TRUE(reflect::register_components(small, test::demo_schema()).ok());
  auto bound = Spawner::bind(small, test::demo_schema(), resource);
  ASSERT_TRUE(bound.ok());
  const auto range = bound->spawn_level();
  ASSERT_FALSE(range.ok());
  EXPECT_STREQ(range.error().reason, "too many entities");
  EXPECT_EQ(small.entities().size(), 0u);
  small.check();
}

TEST(Spawner, ALevelOfNothingSpawnsNothing) {
  World world;
  const auto range = Spawner::bind(world.registry, test::demo_schema(), test::load_text("{}"))->spawn_level();
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range->count, 0u);
  EXPECT_EQ(world.registry.entities().size(), 0u);
}

// Components of no schema.
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

TEST(Spawner, OwnSpawnersRunInSpawnOrderOnWholeColumns) {
  World world;
  const auto resource = level_with_routes();
  std::vector<std::string> order;
  SpawnerTable table;
  table.add("Route", {.spawn_order = 5, .check = {}, .spawn = [&](const SpawnColumn& column) {
                        order.emplace_back("Route");
                        ASSERT_EQ(column.num_instances(), 2u);
                        EXPECT_EQ(core::load<ecs::Entity>(column.data.data()), column.range.at(1));
                        EXPECT_EQ(core::load<ecs::Entity>(column.data.data() + sizeof(ecs::Entity)),
                                  column.range.at(0));
                        EXPECT_EQ(column.entity(1), column.range.at(1));
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

TEST(Spawner, ASpawnerMayRefuseAColumnBeforeAnythingIsMade) {
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
}  // namespace mobula::resource
