#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mobula/core/random.hpp>
#include <mobula/ecs/registry.hpp>

namespace mobula::ecs {
namespace {

struct Health {
  static constexpr std::string_view component_name = "Health";
  std::int32_t current = 100;
};
struct Fog {
  static constexpr std::string_view component_name = "Fog";
  float density = 0.5f;
};
struct Thought {  // local: owns memory
  std::unique_ptr<int> content = std::make_unique<int>(0);
};

template <SchemaComponent T>
ComponentType schema_type() {
  const T value{};
  const core::ByteView bytes = core::as_bytes(&value, 1);
  return {.id = core::StringId32(T::component_name),
          .name = std::string(T::component_name),
          .size = sizeof(T),
          .alignment = alignof(T),
          .schema = true,
          .default_value = {bytes.begin(), bytes.end()}};
}

struct RegistryTest : testing::Test {
  Registry registry;
  RegistryTest() {
    EXPECT_TRUE(registry.register_type(schema_type<Health>()));
    EXPECT_TRUE(registry.register_type(schema_type<Fog>()));
  }
};

TEST_F(RegistryTest, ComponentsAreAddedReadWrittenAndRemoved) {
  const Entity entity = registry.create();
  registry.add<Health>(entity, {42});
  registry.add<Thought>(entity);
  EXPECT_EQ(registry.get<const Health>(entity).current, 42);
  registry.get<Health>(entity).current = 7;
  EXPECT_EQ(registry.try_get<const Health>(entity)->current, 7);
  EXPECT_EQ(registry.try_get<const Fog>(entity), nullptr);
  EXPECT_TRUE(registry.has<Thought>(entity));
  registry.remove<Health>(entity);
  EXPECT_FALSE(registry.has<Health>(entity));
  registry.check();
}

TEST_F(RegistryTest, AStaleHandleFindsNothing) {
  const Entity entity = registry.create();
  registry.add<Health>(entity);
  registry.destroy(entity);
  EXPECT_FALSE(registry.valid(entity));
  EXPECT_EQ(registry.try_get<const Health>(entity), nullptr);
  EXPECT_EQ(registry.try_read(entity, registry.pool_of<Health>()), nullptr);
  EXPECT_FALSE(registry.has<Health>(entity));
}

TEST_F(RegistryTest, OneTypeUnderTwoNamesIsTwoPools) {
  const Entity entity = registry.create();
  const PoolId body = registry.pool_of<Fog>("Body");
  const PoolId mist = registry.pool_of<Fog>("Mist");
  EXPECT_NE(body, mist);
  EXPECT_EQ(registry.pool_of<Fog>("Body"), body);
  registry.add_bytes(entity, body);
  const Fog thick{0.9f};
  registry.add_bytes(entity, mist, core::as_bytes(&thick, 1));
  EXPECT_EQ(core::load<Fog>(registry.try_read(entity, body)).density, 0.5f) << "the default value";
  EXPECT_EQ(core::load<Fog>(registry.try_read(entity, mist)).density, 0.9f);
  EXPECT_FALSE(registry.has<Fog>(entity)) << "the default instance name is another";
  registry.check();
}

TEST_F(RegistryTest, LocalComponentsAreNoPartOfAPrototype) {
  const Entity entity = registry.create();
  registry.add<Thought>(entity);
  EXPECT_EQ(registry.prototype(entity), empty_prototype);
  registry.add<Health>(entity);
  EXPECT_EQ(registry.prototypes().pools(registry.prototype(entity)).size(), 1u);
  registry.destroy(entity);
  EXPECT_EQ(registry.pool(registry.pool_of<Thought>()).size(), 0u);
  registry.check();
}

TEST_F(RegistryTest, TheJournalTellsStructureInOrderAndBulkInOneEntry) {
  const Entity other = registry.create();
  registry.clear_journal();
  const Entity entity = registry.create();
  registry.add<Health>(entity);  // of the entity that was noted last: no new entry
  registry.get<Health>(entity).current = 1;
  registry.add<Health>(other);
  registry.add<Fog>(other);
  const EntityRange range = registry.create_range(50);
  registry.destroy(entity);
  ASSERT_EQ(registry.journal().size(), 4u);
  EXPECT_EQ(registry.journal()[0].kind, JournalEntry::Kind::create);
  EXPECT_EQ(registry.journal()[1].kind, JournalEntry::Kind::recompose);
  EXPECT_EQ(registry.journal()[1].first, other);
  EXPECT_EQ(registry.journal()[2].first, range.at(0));
  EXPECT_EQ(registry.journal()[2].count, 50u);
  EXPECT_EQ(registry.journal()[3].kind, JournalEntry::Kind::destroy);
  EXPECT_EQ(registry.journal()[3].first, entity);
  registry.clear_journal();
  EXPECT_TRUE(registry.journal().empty());
}

TEST_F(RegistryTest, MutableAccessStampsAndConstAccessDoesNot) {
  const Entity entity = registry.create();
  registry.add<Health>(entity);
  const Pool& pool = registry.pool(registry.pool_of<Health>());
  registry.set_tick(5);
  static_cast<void>(registry.get<const Health>(entity));
  static_cast<void>(registry.try_read(entity, registry.pool_of<Health>()));
  EXPECT_EQ(pool.stamps()[0], 1u);
  static_cast<void>(registry.get<Health>(entity));
  EXPECT_EQ(pool.stamps()[0], 5u);
  registry.set_tick(6);
  static_cast<void>(registry.try_write(entity, registry.pool_of<Health>()));
  EXPECT_EQ(pool.stamps()[0], 6u);
}

TEST_F(RegistryTest, ARangeWithColumnsIsLikeEntitiesMadeOneByOne) {
  const PoolId health = registry.pool_of<Health>();
  const PoolId fog = registry.pool_of<Fog>();
  const PoolId both_pools[] = {health, fog};
  const PoolId one_pool[] = {fog};
  const PrototypeId both = registry.prototypes().intern(both_pools);
  const PrototypeId one = registry.prototypes().intern(one_pool);

  const EntityRange range = registry.create_range(3);
  const PrototypeId prototypes[] = {both, one, both};
  registry.assign_prototypes(range, prototypes);
  const std::uint32_t health_of[] = {0, 2};
  const Health healths[] = {{10}, {12}};
  registry.add_column(range, health, health_of, reinterpret_cast<const std::byte*>(healths));
  const std::uint32_t fog_of[] = {0, 1, 2};
  const Fog fogs[] = {{0.0f}, {0.1f}, {0.2f}};
  registry.add_column(range, fog, fog_of, reinterpret_cast<const std::byte*>(fogs));

  registry.check();
  EXPECT_EQ(registry.get<const Health>(range.at(2)).current, 12);
  EXPECT_FALSE(registry.has<Health>(range.at(1)));
  registry.destroy(range.at(1));
  registry.check();
  registry.destroy_range(range);
  EXPECT_EQ(registry.entities().size(), 0u);
  EXPECT_EQ(registry.pool(fog).size(), 0u);
  registry.check();
}

TEST_F(RegistryTest, WhatCannotBeRegisteredIsRefusedWithAReason) {
  EXPECT_STREQ(registry.register_type(schema_type<Health>()).error().reason, "name collision");
  EXPECT_STREQ(registry.open_pool(core::StringId32("Nope"), "Nope").error().reason, "unknown component");
  for (std::uint32_t i = registry.pool_count(); i < Registry::max_pools; ++i)
    ASSERT_TRUE(registry.open_pool(core::StringId32("Fog"), "fog " + std::to_string(i)));
  EXPECT_STREQ(registry.open_pool(core::StringId32("Fog"), "one more").error().reason, "too many pools");
}

TEST_F(RegistryTest, RandomHistoriesAgreeWithAMapOfMaps) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    Registry world;
    ASSERT_TRUE(world.register_type(schema_type<Health>()));
    const PoolId pools[] = {world.pool_of<Health>(), world.pool_of<Health>("Armour"), world.pool_of<Health>("Shield")};
    std::map<Entity, std::map<PoolId, std::int32_t>> model;
    for (int step = 0; step < 8000; ++step) {
      const std::uint32_t dice = random.below(100);
      auto chosen = model.begin();
      if (!model.empty()) std::advance(chosen, random.below(static_cast<std::uint32_t>(model.size())));
      if (dice < 20 || model.empty()) {
        model[world.create()];
      } else if (dice < 28) {
        world.destroy(chosen->first);
        model.erase(chosen);
      } else {
        const PoolId pool = pools[random.below(3)];
        const Health value{static_cast<std::int32_t>(random.below(1000))};
        if (!chosen->second.contains(pool)) {
          world.add_bytes(chosen->first, pool, core::as_bytes(&value, 1));
          chosen->second[pool] = value.current;
        } else if (dice < 60) {
          world.remove(chosen->first, pool);
          chosen->second.erase(pool);
        } else {
          core::store(world.try_write(chosen->first, pool), value);
          chosen->second[pool] = value.current;
        }
      }
      if (step % 400 != 0) continue;
      world.check();
      ASSERT_EQ(world.entities().size(), model.size());
      for (const auto& [entity, components] : model) {
        for (const PoolId pool : pools) {
          const std::byte* found = world.try_read(entity, pool);
          ASSERT_EQ(found != nullptr, components.contains(pool));
          if (found != nullptr) {
            ASSERT_EQ(core::load<Health>(found).current, components.at(pool));
          }
        }
      }
    }
  }
}

#ifdef MOBULA_ASSERTS
TEST_F(RegistryTest, MisuseIsNamedWithEntityAndType) {
  const Entity entity = registry.create();
  registry.add<Health>(entity);
  EXPECT_DEATH(registry.add<Health>(entity), "already has component Health");
  EXPECT_DEATH(registry.get<const Fog>(entity), "0.1 is dead or has no component Fog");
  EXPECT_DEATH(registry.remove<Fog>(entity), "no component Fog");
  registry.destroy(entity);
  EXPECT_DEATH(registry.destroy(entity), "0.1, which is not alive");
  EXPECT_DEATH(registry.add<Fog>(entity), "Fog of entity 0.1, which is not alive");
}
#endif

}  // namespace
}  // namespace mobula::ecs
