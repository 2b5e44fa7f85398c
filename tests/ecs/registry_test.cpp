#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <mobula/core/log.hpp>
#include <mobula/core/random.hpp>
#include <stdexcept>

#include "ecs/allocations.hpp"
#include "ecs/components.hpp"

namespace mobula::ecs {
namespace {

using namespace test;

struct RegistryTest : testing::Test {
  World world;

  Tick change_tick_of(Entity entity, PoolId pool) {
    const Pool& found = world.pool(pool);
    return found.change_ticks()[found.find(entity.index) >> Pool::block_shift];
  }
};

TEST_F(RegistryTest, ComponentsAreAddedReadWrittenAndRemoved) {
  const Entity entity = world.create();
  EXPECT_EQ(world.add<Health>(entity, {42}).value, 42);
  world.add<Thought>(entity);
  EXPECT_EQ(world.get<const Health>(entity).value, 42);
  world.get<Health>(entity).value = 7;
  EXPECT_EQ(world.try_get<const Health>(entity)->value, 7);
  EXPECT_EQ(world.try_get<const Mana>(entity), nullptr);
  EXPECT_TRUE(world.has<Thought>(entity));
  world.remove<Health>(entity);
  EXPECT_FALSE(world.has<Health>(entity));
  world.check();
}

TEST_F(RegistryTest, AConstRegistryCreatesNoPool) {
  const Registry& reader = world;
  const Entity entity = world.create();
  EXPECT_FALSE(reader.has<Health>(entity));
  EXPECT_EQ(reader.try_get<const Health>(entity), nullptr);
  EXPECT_FALSE(reader.has<Label>(entity));
  EXPECT_EQ(reader.try_get<const Label>(entity), nullptr);
  EXPECT_EQ(reader.pool_count(), 0u);
  EXPECT_EQ(reader.find_type(core::StringId32(component_name<Label>())), nullptr);

  world.add<Health>(entity, {42});
  world.add<Label>(entity, {"name"});
  const Health& health = world.get<Health>(entity);
  world.set_tick(9);
  EXPECT_EQ(&reader.get<const Health>(entity), &health);
  EXPECT_EQ(reader.try_get<const Health>(entity), &health);
  EXPECT_EQ(reader.get<const Label>(entity).text, "name");
  EXPECT_TRUE(reader.has<Health>(entity));
  EXPECT_TRUE(reader.has<const Label>(entity));
  EXPECT_NE(change_tick_of(entity, world.pool_of<Health>()), 9u) << "a read is not a write";

  world.destroy(entity);
  world.add<Health>(world.create());
  EXPECT_FALSE(reader.has<Health>(entity)) << "stale";
  EXPECT_EQ(reader.try_get<const Health>(entity), nullptr);
}

TEST_F(RegistryTest, AConstRegistryFindsAPoolThatWasOpenedByItsName) {
  const Registry& reader = world;
  const core::StringId32 mana(Mana::component_name);
  const Entity entity = world.create();
  world.add_bytes(entity, *world.open_pool(mana, Mana::component_name));
  EXPECT_TRUE(reader.has<Mana>(entity));
  EXPECT_EQ(reader.get<const Mana>(entity).value, 10);

  const Entity other = world.create();
  world.add_bytes(other, *world.open_pool(mana, "Rune"));
  EXPECT_FALSE(reader.has<Mana>(other)) << "another instance";
}

TEST_F(RegistryTest, AComponentIsConstructedInPlaceFromArguments) {
  struct Fixed {
    Fixed(int a, std::unique_ptr<int> b) : sum(a + *b) {}
    int sum;
  };
  const Entity entity = world.create();
  EXPECT_EQ(world.emplace<Fixed>(entity, 1, std::make_unique<int>(2)).sum, 3);
  EXPECT_EQ(world.emplace<Health>(entity, 5).value, 5) << "an aggregate";
  EXPECT_EQ(world.emplace<Label>(entity).text, "");
}

TEST_F(RegistryTest, AStaleHandleFindsNothing) {
  const Entity entity = world.create();
  world.add<Health>(entity);
  world.destroy(entity);
  const Entity next = world.create();
  ASSERT_EQ(next.index, entity.index);
  world.add<Health>(next);
  for (const Entity stale : {entity, null_entity, Entity{1000000, 1}}) {
    EXPECT_FALSE(world.valid(stale));
    EXPECT_EQ(world.try_get<const Health>(stale), nullptr);
    EXPECT_EQ(world.try_read(stale, world.pool_of<Health>()), nullptr);
    EXPECT_EQ(world.try_write(stale, world.pool_of<Health>()), nullptr);
    EXPECT_FALSE(world.has<Health>(stale));
  }
}

TEST_F(RegistryTest, OneTypeUnderTwoNamesIsTwoPools) {
  const Entity entity = world.create();
  const PoolId body = world.pool_of<Health>("Body");
  const PoolId mist = world.pool_of<Health>("Mist");
  EXPECT_NE(body, mist);
  EXPECT_EQ(world.pool_of<Health>("Body"), body);
  world.add_bytes(entity, body);
  const Health thick{9};
  world.add_bytes(entity, mist, core::as_bytes(&thick, 1));
  EXPECT_EQ(core::load<Health>(world.try_read(entity, body)).value, 100) << "the default value";
  EXPECT_EQ(world.get<const Health>(entity, mist).value, 9);
  EXPECT_FALSE(world.has<Health>(entity)) << "the default instance name is another";
  world.add<Thought>(entity, make<Thought>(3), world.pool_of<Thought>("Second"));
  EXPECT_FALSE(world.has<Thought>(entity));
  EXPECT_EQ(value_of(*world.try_get<Thought>(entity, world.pool_of<Thought>("Second"))), 3);
  world.check();
}

TEST_F(RegistryTest, ServerOnlyComponentsAreInNoPrototypeOrLog) {
  const Entity entity = world.create();
  world.clear_journal();
  world.add<Thought>(entity);
  EXPECT_EQ(world.prototype(entity), empty_prototype);
  EXPECT_TRUE(world.journal().empty());
  world.add<Health>(entity);
  EXPECT_EQ(world.prototypes().pools(world.prototype(entity)).size(), 1u);
  world.destroy(entity);
  EXPECT_EQ(world.pool<Thought>().size(), 0u);
  world.check();
}

TEST_F(RegistryTest, JournalHoldsChangesInOrderBulkInOneEntry) {
  const Entity other = world.create();
  world.create();
  world.clear_journal();
  const Entity entity = world.create();
  world.add<Health>(entity);  // the entity noted last: no new entry
  world.get<Health>(entity).value = 1;
  world.add<Health>(other);
  world.add<Mana>(other);
  const EntityRange range = world.create_range(50);
  std::vector<Entity> bulk(1000);
  ASSERT_TRUE(world.create(std::span(bulk), Health{}, Mana{}));
  world.destroy(entity);
  world.destroy(bulk);
  using Kind = JournalEntry::Kind;
  const std::vector<std::tuple<Kind, Entity, std::uint32_t>> expected{{Kind::create, entity, 1},
                                                                      {Kind::recompose, other, 1},
                                                                      {Kind::create, range.at(0), 1050},
                                                                      {Kind::destroy, entity, 1},
                                                                      {Kind::destroy, bulk[0], 1000}};
  std::vector<std::tuple<Kind, Entity, std::uint32_t>> noted;
  for (const JournalEntry& entry : world.journal()) noted.emplace_back(entry.kind, entry.first, entry.count);
  EXPECT_EQ(noted, expected);
  world.clear_journal();
  EXPECT_TRUE(world.journal().empty());
}

TEST_F(RegistryTest, EveryWritePathMarksAndReadsDoNot) {
  const Entity entity = world.create();
  const PoolId pool = world.pool_of<Health>();
  const std::map<std::string, std::function<void()>> writes{
      {"get", [&] { world.get<Health>(entity).value = 1; }},
      {"get by pool", [&] { world.get<Health>(entity, pool).value = 1; }},
      {"try_get", [&] { world.try_get<Health>(entity)->value = 1; }},
      {"try_get by pool", [&] { world.try_get<Health>(entity, pool)->value = 1; }},
      {"try_write", [&] { core::store(world.try_write(entity, pool), Health{1}); }},
      {"patch", [&] { world.patch<Health>(entity, [](Health& health) { health.value = 1; }); }},
      {"view each", [&] { world.view<Health>().each([](Health& health) { health.value = 1; }); }},
      {"view range",
       [&] {
         for (auto [e, health] : world.view<Health>()) health.value = static_cast<std::int32_t>(e.index);
       }},
      {"each_instance",
       [&] { world.each_instance<Health>([](Entity, core::StringId32, Health& health) { health.value = 1; }); }},
      {"add",
       [&] {
         world.remove<Health>(entity);
         world.add<Health>(entity);
       }},
      {"add_bytes",
       [&] {
         world.remove<Health>(entity);
         world.add_bytes(entity, pool);
       }},
      {"bulk add", [&] {
         world.remove<Health>(entity);
         world.add<Health>(std::span(&entity, 1));
       }}};
  const std::map<std::string, std::function<void()>> reads{
      {"get", [&] { static_cast<void>(world.get<const Health>(entity)); }},
      {"get by pool", [&] { static_cast<void>(world.get<const Health>(entity, pool)); }},
      {"try_get", [&] { static_cast<void>(world.try_get<const Health>(entity)); }},
      {"try_read", [&] { static_cast<void>(world.try_read(entity, pool)); }},
      {"has", [&] { static_cast<void>(world.has<Health>(entity)); }},
      {"view each", [&] { world.view<const Health>().each([](const Health&) {}); }},
      {"each_instance", [&] { world.each_instance<const Health>([](Entity, core::StringId32, const Health&) {}); }}};
  world.add<Health>(entity);
  for (const auto& [name, write] : writes) {
    SCOPED_TRACE(name);
    world.set_tick(world.tick() + 1);
    write();
    EXPECT_EQ(change_tick_of(entity, pool), world.tick());
  }
  const Tick last = world.tick();
  for (const auto& [name, read] : reads) {
    SCOPED_TRACE(name);
    world.set_tick(world.tick() + 1);
    read();
    EXPECT_EQ(change_tick_of(entity, pool), last);
  }
}

TEST_F(RegistryTest, BulkCreationFillsInValuesAndHandles) {
  for (const std::uint32_t count : {0u, 1u, 3u, 1000u}) {
    SCOPED_TRACE(count);
    std::vector<Entity> entities(count);
    ASSERT_TRUE(world.create(std::span(entities), Health{7}, Mana{8}, Position{9}));
    for (const Entity entity : entities) {
      ASSERT_EQ(world.get<const Health>(entity).value, 7);
      ASSERT_EQ(world.get<const Mana>(entity).value, 8);
      ASSERT_EQ(world.get<const Position>(entity).value, 9);
    }
    world.check();
    for (std::size_t i = 0; i < entities.size(); i += 2) world.destroy(entities[i]);  // gaps for the next
  }
  std::vector<Entity> bare(10);
  ASSERT_TRUE(world.create(std::span(bare)));
  EXPECT_EQ(world.prototype(bare[9]), empty_prototype);
}

TEST(Registry, ASmallIndexSpaceIsUsedUpWithoutHarm) {
  World world({.entities = {.entities_max = 100}, .pools = {}});
  std::vector<Entity> entities(101);
  EXPECT_FALSE(world.create(std::span(entities), Health{}));
  EXPECT_EQ(world.entities().size(), 0u);
  EXPECT_EQ(world.pool<Health>().size(), 0u);
  EXPECT_TRUE(world.journal().empty());
  EXPECT_EQ(world.create_range(101).count, 0u);
  entities.pop_back();
  EXPECT_TRUE(world.create(std::span(entities), Health{}));
  EXPECT_EQ(world.create(), null_entity);
  EXPECT_EQ(world.create_range(1).count, 0u);
  world.check();
}

TEST(Registry, AMirrorCreatesTheHandlesItIsGiven) {
  World world({.entities = {.recycling = Recycling::given, .entities_max = 1000}, .pools = {}});
  EXPECT_TRUE(world.create_given({700, 12}));
  world.add<Health>({700, 12});
  EXPECT_FALSE(world.create_given({700, 12}));
  EXPECT_FALSE(world.create_given({700, 13}));
  EXPECT_FALSE(world.create_given({1000, 1}));
  EXPECT_FALSE(world.create_given(null_entity));
  EXPECT_EQ(world.journal().size(), 1u);
  world.destroy({700, 12});
  EXPECT_TRUE(world.create_given({700, 3}));
  EXPECT_FALSE(world.has<Health>({700, 3}));
  world.check();
}

TEST_F(RegistryTest, AGameCannotEndTheTick) {
  const core::LogScope about({.running = "Game::tick"});
  EXPECT_DEATH(world.set_tick(1), "set_tick is called by the server");
  EXPECT_DEATH(world.clear_journal(), "clear_journal is called by the server");
}

TEST_F(RegistryTest, AGivenHandleNeedsThePolicyGiven) {
  EXPECT_DEATH(world.create_given({5000, 1}), "create_given needs the policy `given`");
}

TEST_F(RegistryTest, RefusedRegistrationsGiveAReason) {
  EXPECT_STREQ(world.register_type(schema_type<Health>()).error().reason, "name collision");
  EXPECT_STREQ(world.open_pool(core::StringId32("Nope"), "Nope").error().reason, "unknown component");
  EXPECT_EQ(world.find_type(core::StringId32("Nope")), nullptr);
  EXPECT_EQ(world.find_pool(core::StringId32("Health"), core::StringId32("Nope")), Registry::no_pool);
  for (std::uint32_t i = world.pool_count(); i < 4096; ++i)
    ASSERT_TRUE(world.open_pool(core::StringId32("Health"), "health " + std::to_string(i)));
  EXPECT_STREQ(world.open_pool(core::StringId32("Health"), "one more").error().reason, "too many pools");
  EXPECT_EQ(*world.open_pool(core::StringId32("Health"), "health 4000"), 4000u) << "known ones are found";
  EXPECT_DEATH(static_cast<void>(world.pool_of<Health>("one more")), "a registry holds 4096 pools");
  EXPECT_EQ(world.find_pool(core::StringId32("Health"), core::StringId32("health 77")), 77u);
}

TEST_F(RegistryTest, AnInstanceNameIsPrintable) {
  for (const std::string& bad : {std::string(), std::string("a\nb"), std::string("\xff"), std::string(256, 'x')})
    EXPECT_STREQ(world.open_pool(core::StringId32("Health"), bad).error().reason, "bad name");
  EXPECT_TRUE(world.open_pool(core::StringId32("Health"), std::string(255, 'x')));
}

TEST_F(RegistryTest, TwoInstanceNamesOfOneHashAreACollision) {
  // A known pair of equal 32-bit FNV-1a hashes.
  const char* const one = "costarring";
  const char* const other = "liquid";
  ASSERT_EQ(core::StringId32(one), core::StringId32(other));
  ASSERT_TRUE(world.open_pool(core::StringId32("Health"), one));
  EXPECT_STREQ(world.open_pool(core::StringId32("Health"), other).error().reason, "name collision");
}

TEST_F(RegistryTest, ComponentsEndWithTheRegistry) {
  const auto owned = std::make_shared<int>(1);
  {
    Registry registry;
    for (int i = 0; i < 100; ++i) registry.add<std::shared_ptr<int>>(registry.create(), owned);
    EXPECT_EQ(owned.use_count(), 101);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

// Exceptions ---------------------------------------------------------------------------

// Throws from its constructor or copy when its turn comes.
struct Fragile {
  inline static int until_throw = 0;
  static void take_turn() {
    if (until_throw > 0 && --until_throw == 0) throw std::runtime_error("fragile");
  }
  Fragile() { take_turn(); }
  Fragile(const Fragile& other) : content(std::make_unique<int>(*other.content)) { take_turn(); }
  Fragile(Fragile&&) noexcept = default;
  Fragile& operator=(Fragile&&) noexcept = default;

  std::unique_ptr<int> content = std::make_unique<int>(1);
};

TEST_F(RegistryTest, AConstructorThatThrowsLeavesAllIntact) {
  world.group<Fragile>(with<Health>);
  for (int round = 0; round < 70; ++round) {
    const Entity entity = world.create();
    world.add<Health>(entity);
    const std::size_t noted = world.journal().size();
    Fragile::until_throw = 1;
    EXPECT_THROW(world.emplace<Fragile>(entity), std::runtime_error);
    EXPECT_FALSE(world.has<Fragile>(entity));
    EXPECT_EQ(world.journal().size(), noted);
    world.check();
    world.emplace<Fragile>(entity);
    EXPECT_TRUE(world.has<Fragile>(entity));
    world.check();
  }
}

TEST_F(RegistryTest, ACopyThatThrowsInABulkAddLeavesAllIntact) {
  std::vector<Entity> entities(100);
  ASSERT_TRUE(world.create(std::span(entities), Health{}));
  const Fragile value;
  world.add<Fragile>(std::span(entities).first(10), value);
  for (const int kth : {1, 2, 45, 90}) {
    Fragile::until_throw = kth;
    EXPECT_THROW(world.add<Fragile>(std::span(entities).subspan(10), value), std::runtime_error);
    EXPECT_EQ(world.pool<Fragile>().size(), 10u);
    world.check();
  }
  Fragile::until_throw = 0;
  world.add<Fragile>(std::span(entities).subspan(10), value);
  EXPECT_EQ(world.pool<Fragile>().size(), 100u);
  world.check();
}

TEST_F(RegistryTest, MisuseIsNamedWithEntityAndType) {
  const Entity entity = world.create();
  world.add<Health>(entity);
  EXPECT_DEATH(world.add<Health>(entity), "entity 0.1 already has component Health");
  const PoolId another_health = world.pool_of<Position>("Health");
  EXPECT_DEATH(world.add<Position>(entity, {}, another_health),
               "adding Position Health to entity 0.1, which has a component of that name already: a Health");
  EXPECT_DEATH(world.add_bytes(entity, world.pool_of<Health>()), "entity 0.1 already has component Health");
  EXPECT_DEATH(world.add<Health>(std::span(&entity, 1)), "entity 0.1 already has component Health");
  EXPECT_DEATH(world.get<const Mana>(entity), "0.1 is dead or has no component Mana");
  EXPECT_DEATH(std::as_const(world).get<const Mana>(entity), "0.1 is dead or has no component Mana");
  EXPECT_DEATH(world.patch<Mana>(entity, [](Mana&) {}), "0.1 is dead or has no component Mana");
  EXPECT_DEATH(world.remove<Mana>(entity), "entity 0.1 has no component Mana");
  EXPECT_DEATH(world.remove<Mana>(std::span(&entity, 1)), "entity 0.1 has no component Mana");
  EXPECT_DEATH(world.remove<Label>(entity), "entity 0.1 has no component .*Label");
  EXPECT_DEATH(world.get<Position>(entity, world.pool_of<Health>()), "pool Health holds Health, not Position");
  EXPECT_DEATH(world.add_bytes(entity, world.pool_of<Label>()), "Label is server-only: it has no byte form");
  EXPECT_DEATH(world.add_bytes(entity, world.pool_of<Mana>(), core::ByteView(core::Bytes(3))), "Mana has its size");
  world.destroy(entity);
  EXPECT_DEATH(world.destroy(entity), "0.1, which is not alive");
  EXPECT_DEATH(world.destroy(std::span(&entity, 1)), "0.1, which is not alive");
  EXPECT_DEATH(world.get<Health>(entity), "0.1 is dead or has no component Health");
  EXPECT_DEATH(world.add<Mana>(entity), "adding component Mana of entity 0.1, which is not alive");
  EXPECT_DEATH(world.add<Mana>(std::span(&entity, 1)), "adding component Mana of entity 0.1, which is not alive");
  EXPECT_DEATH(world.add<Label>(std::span(&entity, 1)), "adding component .*Label of entity 0.1, which is not alive");
  EXPECT_DEATH(world.remove<Health>(entity), "removing component Health of entity 0.1, which is not alive");
  EXPECT_DEATH(static_cast<void>(world.prototype(entity)), "prototype of entity 0.1, which is not alive");
}

TEST_F(RegistryTest, MoreMisuseAsserts) {
  const Entity entity = world.create();
  const Entity twice[] = {entity, entity};
  EXPECT_DEATH(world.add<Label>(twice), "index 0 is added to .*Label twice");
  EXPECT_DEATH(world.get<Health>(entity, world.find_pool(core::StringId32("Health"), core::StringId32("Nope"))),
               "entity 0.1 has no component in no_pool");
  EXPECT_DEATH(world.signals(no_pool), "there is no such pool");
  std::array<Entity, 3> three{};
  EXPECT_DEATH(world.begin_spawn(three, std::array<PrototypeId, 2>{}), "one prototype for each entity");
  EXPECT_DEATH(world.destroy_range({0, ~0u}), "no range of 4294967295 entities from index 0 was made");
  const EntityRange range = world.create_range(2);
  EXPECT_DEATH(world.destroy_range({range.first, 1, range.generation}), "no range of 1 entities from index");
  world.group<Position>(with<Health>);
  EXPECT_DEATH(world.pool<Position>().release_order(), "belongs to a group for good");
}

// Imitates another file's anonymous namespace with a Marker.
TEST_F(RegistryTest, TwoServerOnlyTypesOfOneNameAssert) {
  ASSERT_TRUE(world.register_type(server_only_component_type<Marker>()).ok());
  EXPECT_DEATH(world.add<Marker>(world.create()), "two server-only component types are called .*::Marker");
}

TEST_F(RegistryTest, AServerOnlyTypeWithANameOfTheSchemaAsserts) {
  ComponentType of_schema = server_only_component_type<Marker>();
  of_schema.schema = true;
  of_schema.default_value.resize(of_schema.size);
  ASSERT_TRUE(world.register_type(of_schema).ok());
  EXPECT_DEATH(world.add<Marker>(world.create()),
               "server-only component .*::Marker has the name of a component of the");
}

TEST_F(RegistryTest, AComponentOfAnotherSizeThanItsSchemaAsserts) {
  Registry other;
  ComponentType health = *world.find_type(core::StringId32("Health"));
  health.default_value.resize(health.size += 4);
  ASSERT_TRUE(other.register_type(health).ok());
  const char* const message = "component Health has 4 bytes in C.. and 8 in its schema";
  EXPECT_DEATH(other.pool<Health>(), message);
  EXPECT_DEATH(other.lookup<Health>(other.open_pool(health.id, "Health").value()), message);
}

struct Unregistered {
  static constexpr std::string_view component_name = "Unregistered";
  int value = 0;
};

TEST_F(RegistryTest, ASchemaComponentMustBeRegistered) {
  EXPECT_DEATH(world.pool<Unregistered>(), "no component type .* is registered");
  ComponentType type = schema_type<Unregistered>();
  type.default_value.pop_back();
  EXPECT_DEATH(static_cast<void>(world.register_type(std::move(type))), "has a default value");
}

}  // namespace
}  // namespace mobula::ecs
