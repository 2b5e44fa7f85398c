// Restoring worlds that were saved by another schema.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mobula/server/store/database.hpp>
#include <reflect/compile_schema.hpp>
#include <server/store/store_world.hpp>

namespace mobula::store {
namespace {

using testing::Contains;
using testing::HasSubstr;

using SchemaPointer = std::shared_ptr<const reflect::Schema>;

core::Bytes row_of(const reflect::Schema& schema, const char* component, const char* field, auto value) {
  core::Bytes row = schema.find(component)->default_value;
  core::store(row.data() + schema.find(component)->find_field(field)->offset, value);
  return row;
}

template <class T>
T value_in(const StoreWorld& world, ecs::Entity entity, const char* component, const std::string& instance,
           const char* field) {
  const ecs::PoolId pool =
      world.registry.find_pool(core::StringId32(component), core::StringId32(std::string_view(instance)));
  const std::byte* row = world.registry.try_read(entity, pool);
  EXPECT_NE(row, nullptr);
  return core::load<T>(row + world.schema->find(component)->find_field(field)->offset);
}

TEST(StoreMigration, FieldsAreMatchedByNameAndChangesReported) {
  const SchemaPointer old_schema = test::load_schema(
      "struct Health (component) { current:ushort; mana:int; } struct Gone (component) { a:int; }\n"
      "struct Later (component) { a:int; }");
  const SchemaPointer new_schema = test::load_schema(
      "struct Health (component) { armour:int (default:\"9\"); current:int; }\n"
      "struct Fresh (component) { a:int; } struct Later (component, not_saved) { a:int; }");
  const TestFolder folder;
  ecs::Entity hero;
  ecs::Entity ghost;
  {
    const auto store = open_store(folder.file(), old_schema);
    StoreWorld world(store->incarnation(), old_schema);
    EXPECT_TRUE(store->begin(world.registry).ok());
    hero = world.registry.create();
    ghost = world.registry.create();
    world.registry.add_bytes(hero, world.pool_of("Health", "Health"),
                             row_of(*old_schema, "Health", "current", std::uint16_t{77}));
    world.registry.add_bytes(hero, world.pool_of("Health", "Shield"),
                             row_of(*old_schema, "Health", "current", std::uint16_t{5}));
    world.registry.add_bytes(hero, world.pool_of("Gone", "Gone"));
    world.registry.add_bytes(hero, world.pool_of("Later", "Later"));
    world.registry.add_bytes(ghost, world.pool_of("Gone", "Gone"));
    store->note();
    ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  }
  Model migrated;
  {
    const auto store = open_store(folder.file(), new_schema);
    StoreWorld world(store->incarnation(), new_schema);
    const auto notes = store->restore(world.registry);
    ASSERT_TRUE(notes.ok()) << notes.error().message;
    EXPECT_THAT(*notes, Contains("Health.armour is new and gets its default"));
    EXPECT_THAT(*notes, Contains("Health.mana was removed"));
    EXPECT_THAT(*notes, Contains("Gone of 2 entities is removed with its component"));
    EXPECT_THAT(*notes, Contains("Later of 1 entities is no longer saved"));
    world.registry.check();
    EXPECT_EQ(value_in<std::int32_t>(world, hero, "Health", "Health", "current"), 77);
    EXPECT_EQ(value_in<std::int32_t>(world, hero, "Health", "Health", "armour"), 9);
    EXPECT_EQ(value_in<std::int32_t>(world, hero, "Health", "Shield", "current"), 5);
    EXPECT_TRUE(world.registry.valid(ghost));
    migrated = world.model();
    EXPECT_TRUE(store->begin(world.registry).ok());
    ASSERT_TRUE(save(*store, world));
    settle(*store, 1);
  }
  const auto store = open_store(folder.file(), new_schema);
  StoreWorld world(store->incarnation(), new_schema);
  const auto notes = store->restore(world.registry);
  ASSERT_TRUE(notes.ok()) << notes.error().message;
  EXPECT_TRUE(notes->empty()) << "the file has the new schema now";
  EXPECT_EQ(world.model(), migrated);
}

// 250 is beyond the old range too: a game wrote it.
TEST(StoreMigration, ANarrowedRangeMovesOnlyWhatIsOutside) {
  const SchemaPointer old_schema =
      test::load_schema("struct Hp (component) { now:ushort (range:\"0 200\", default:\"100\"); heat:float; }");
  const SchemaPointer new_schema = test::load_schema(
      "struct Hp (component) { now:ushort (range:\"0 150\", default:\"100\"); heat:float (range:\"0 1\", bits:\"8\"); "
      "}");
  constexpr std::array<std::uint16_t, 7> before{0, 1, 120, 150, 151, 200, 250};
  const TestFolder folder;
  std::vector<ecs::Entity> entities;
  {
    const auto store = open_store(folder.file(), old_schema);
    StoreWorld world(store->incarnation(), old_schema);
    EXPECT_TRUE(store->begin(world.registry).ok());
    for (const std::uint16_t now : before) {
      core::Bytes row = row_of(*old_schema, "Hp", "now", now);
      if (now == 0) core::store(row.data() + old_schema->find("Hp")->find_field("heat")->offset, NAN);
      entities.push_back(world.registry.create());
      world.registry.add_bytes(entities.back(), world.pool_of("Hp", "Hp"), row);
    }
    store->note();
    ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  }
  for (const bool migrates : {true, false}) {
    const auto store = open_store(folder.file(), new_schema);
    StoreWorld world(store->incarnation(), new_schema);
    const auto notes = store->restore(world.registry);
    ASSERT_TRUE(notes.ok()) << notes.error().message;
    if (migrates) {
      EXPECT_THAT(*notes, Contains("Hp.now is only 0 to 150 now"));
      EXPECT_THAT(*notes, Contains("Hp: 3 numbers were out of range and became the nearest in range"));
      EXPECT_THAT(*notes, Contains(HasSubstr("Hp: 2 values were invalid in their own schema"))) << "250, and the NaN";
    } else {
      EXPECT_TRUE(notes->empty()) << "the file has the new schema now";
    }
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_EQ(value_in<std::uint16_t>(world, entities[i], "Hp", "Hp", "now"),
                std::min<std::uint16_t>(before[i], 150));
    EXPECT_EQ(value_in<float>(world, entities[0], "Hp", "Hp", "heat"), 0.0f);
    EXPECT_TRUE(store->begin(world.registry).ok());
    ASSERT_TRUE(save(*store, world));
    settle(*store, 1);
  }
}

TEST(StoreMigration, TheOldSchemaStaysUntilTheFirstCheckpoint) {
  const SchemaPointer old_schema = test::load_schema("struct A (component) { a:int; b:int; }");
  const SchemaPointer new_schema = test::load_schema("struct A (component) { a:int; }");
  const TestFolder folder;
  {
    const auto store = open_store(folder.file(), old_schema);
    StoreWorld world(store->incarnation(), old_schema);
    EXPECT_TRUE(store->begin(world.registry).ok());
    world.registry.add_bytes(world.registry.create(), world.pool_of("A", "A"));
    store->note();
    ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  }
  {
    const auto store = open_store(folder.file(), new_schema);
    StoreWorld world(store->incarnation(), new_schema);
    ASSERT_TRUE(store->restore(world.registry).ok());
    EXPECT_TRUE(store->begin(world.registry).ok());
  }
  const auto store = open_store(folder.file(), old_schema);
  StoreWorld world(store->incarnation(), old_schema);
  const auto notes = store->restore(world.registry);
  ASSERT_TRUE(notes.ok());
  EXPECT_TRUE(notes->empty());
}

TEST(StoreMigration, RandomSchemasMigrateToOthersAndAreRestored) {
  core::Random random(21);
  for (int round = 0; round < 12; ++round) {
    const TestFolder folder;
    Model before;
    SchemaPointer schema = test::load_schema(test::random_schema(random));
    for (int life = 0; life < 4; ++life) {
      const auto store = open_store(folder.file(), schema);
      StoreWorld world(store->incarnation(), schema);
      if (store->has_world()) {
        const auto notes = store->restore(world.registry);
        ASSERT_TRUE(notes.ok()) << notes.error().message;
        world.registry.check();
        const Model now = world.model();
        ASSERT_EQ(now.size(), before.size());
        for (const auto& [entity, components] : before) ASSERT_TRUE(now.contains(entity)) << to_string(entity);
        if (life % 2 == 1) {
          EXPECT_EQ(now, before) << "the schema is the same";
        }
      }
      EXPECT_TRUE(store->begin(world.registry).ok());
      world.change(random, 60);
      store->note();
      ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
      before = world.model();
      if (life % 2 == 1) schema = test::load_schema(test::random_schema(random));
    }
  }
}

// No table or view of the old schema remains.
TEST(StoreMigration, TablesAndViewsAreThoseOfTheNewSchema) {
  const SchemaPointer old_schema = test::load_schema("struct A (component) { a:int; } struct B (component) { b:int; }");
  const SchemaPointer new_schema = test::load_schema("struct A (component) { c:int; }");
  const TestFolder folder;
  for (const SchemaPointer& schema : {old_schema, new_schema}) {
    const auto store = open_store(folder.file(), schema);
    StoreWorld world(store->incarnation(), schema);
    if (store->has_world()) {
      ASSERT_TRUE(store->restore(world.registry).ok());
    }
    EXPECT_TRUE(store->begin(world.registry).ok());
    world.registry.add_bytes(world.registry.create(), world.pool_of("A", "Second"));
    store->note();
    ASSERT_TRUE(store->finish(facts_of(world.registry)).ok());
  }
  Database database = std::move(*Database::open(folder.file(), Database::Access::existing));
  EXPECT_EQ(database.text("SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema WHERE name LIKE 'A%' OR "
                          "name LIKE 'B%' OR name LIKE 'component\\_%' ESCAPE '\\' ORDER BY name)"),
            "A A_Second component_A component_A_Second component_Cuts component_Parent component_Transform");
  EXPECT_EQ(database.number("SELECT count(*) FROM A_Second"), 2);
}

}  // namespace
}  // namespace mobula::store
