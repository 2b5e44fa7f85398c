#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mobula/core/random.hpp>
#include <mobula/ecs/snapshot.hpp>
#include <new>

#include "ecs/allocations.hpp"
#include "ecs/snapshot_world.hpp"
#include <seeds.hpp>

namespace mobula::ecs {
namespace {

using test::churn;
using test::config_of;
using test::FailingAllocation;
using test::Health;
using test::Mana;
using test::Odd;
using test::OddWorld;
using test::open_pools;
using test::Position;
using test::reason;
using test::saved;
using test::Thought;
using test::World;

// Comparison of registries without ids ---------------------------------------------------

std::vector<std::string> composition(const Registry& registry, Entity entity) {
  std::vector<std::string> names;
  for (const PoolId pool : registry.prototypes().pools(registry.prototype(entity)))
    names.push_back(registry.pool(pool).type().name + "/" + registry.pool(pool).instance_name());
  return names;
}

void expect_same_entities(const Registry& a, const Registry& b) {
  ASSERT_EQ(a.entities().index_end(), b.entities().index_end());
  EXPECT_EQ(a.entities().size(), b.entities().size());
  EXPECT_EQ(a.entities().retired(), b.entities().retired());
  for (std::uint32_t index = 0; index < a.entities().index_end(); ++index) {
    const Entity entity = a.entities().at(index);
    ASSERT_EQ(entity, b.entities().at(index));
    if (!entity) continue;
    ASSERT_EQ(composition(a, entity), composition(b, entity));
  }
}

void expect_same_pool(const Pool& pool, const Pool& other) {
  SCOPED_TRACE(pool.instance_name());
  ASSERT_TRUE(std::ranges::equal(pool.indices(), other.indices())) << "the order of the pool";
  for (std::uint32_t position = 0; position < pool.size(); ++position)
    ASSERT_EQ(std::memcmp(pool.at(position), other.at(position), pool.type().size), 0);
}

void expect_same(const Registry& a, const Registry& b) {
  expect_same_entities(a, b);
  for (PoolId id = 0; id < a.pool_count(); ++id) {
    const Pool& pool = a.pool(id);
    if (!pool.type().schema) continue;
    const PoolId other = b.find_pool(pool.type().id, pool.instance());
    ASSERT_NE(other, Registry::no_pool) << pool.instance_name();
    expect_same_pool(pool, b.pool(other));
  }
}

void expect_same_handles_next(Registry& a, Registry& b) {
  for (int i = 0; i < 300; ++i) EXPECT_EQ(a.create(), b.create());
  for (std::uint32_t count = 1; count < 10; ++count)
    for (int i = 0; i < 20; ++i) ASSERT_EQ(a.create_range(count), b.create_range(count));
}

TEST(Snapshot, ARandomWorldIsRestored) {
  for (const Recycling recycling : {Recycling::queue, Recycling::lifo, Recycling::given}) {
    for (std::uint64_t seed = 1; seed <= mobula::test::few_or_all(2, 4); ++seed) {
      SCOPED_TRACE("policy " + std::to_string(static_cast<int>(recycling)) + ", seed " + std::to_string(seed));
      OddWorld world(config_of(recycling));
      open_pools(world);
      const bool reclaims = seed % 2 == 0;
      churn(world, seed, 6000, reclaims ? 2 : 0);
      OddWorld loaded(config_of(recycling));
      const core::Status status = load_snapshot(saved(world), loaded);
      ASSERT_TRUE(status.ok()) << status.error().message;
      loaded.check();
      expect_same(world, loaded);
      EXPECT_EQ(loaded.tick(), 17u);
      if (!reclaims) {
        EXPECT_EQ(saved(loaded), saved(world));
      }
      if (recycling != Recycling::given) expect_same_handles_next(world, loaded);
      churn(loaded, seed, 500);
      loaded.check();
    }
  }
}

TEST(Snapshot, WorldsOfManyPiecesAreRestored) {
  OddWorld world;
  std::vector<Entity> entities(5000);
  ASSERT_TRUE(world.create(std::span(entities), Position{5}, Odd{{7, 8, 9}}));
  core::Random random(1);
  for (const Entity entity : entities)
    if (random.chance(1, 2)) world.add<Health>(entity, {static_cast<std::int32_t>(entity.index)});
  OddWorld loaded;
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  loaded.check();
  expect_same(world, loaded);
}

TEST(Snapshot, PrototypesWithReusedIdsAreRestored) {
  OddWorld world;
  const Entity short_lived = world.create();
  world.add<Health>(short_lived);  // takes the first id
  const Entity entity = world.create();
  world.add<Position>(entity);
  world.add<Mana>(entity);
  world.destroy(short_lived);
  while (!world.prototypes().reclaim(10).empty()) continue;
  const Entity other = world.create();
  world.add<Mana>(other);
  world.add<Position>(other);  // one of the two reuses the id
  world.remove<Mana>(entity);
  while (!world.prototypes().reclaim(10).empty()) continue;
  EXPECT_LT(world.prototypes().count(), world.prototypes().size()) << "an id is free";
  OddWorld loaded;
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  loaded.check();
  expect_same(world, loaded);
}

TEST(Snapshot, AnEmptyWorldIsRestored) {
  OddWorld world;
  OddWorld loaded;
  EXPECT_TRUE(load_snapshot(saved(world), loaded).ok());
  loaded.check();
  EXPECT_EQ(loaded.create(), world.create());
}

TEST(Snapshot, PagesOfAnySizeMakeTheSameBytes) {
  RegistryConfig config;
  core::Bytes expected;
  for (const std::uint32_t shift : {10u, 4u, 7u, 12u, SparseSet::no_pages}) {
    config.pools = {.sparse_page_shift = shift};
    OddWorld world(config);
    open_pools(world);
    std::vector<Entity> entities(1500);
    ASSERT_TRUE(world.create(std::span(entities), Position{}, Odd{}));
    churn(world, 5, 3000);
    if (expected.empty()) expected = saved(world);
    EXPECT_EQ(saved(world), expected);
    OddWorld loaded(config);
    ASSERT_TRUE(load_snapshot(expected, loaded).ok());
    loaded.check();
    expect_same(world, loaded);
  }
}

TEST(Snapshot, SavingAgainReusesTheBuffer) {
  OddWorld world;
  open_pools(world);
  churn(world, 1, 2000);
  core::Bytes bytes;
  save_snapshot(world, bytes);
  const core::Bytes first = bytes;
  const std::byte* const memory = bytes.data();
  churn(world, 2, 10);
  save_snapshot(world, bytes);
  EXPECT_EQ(bytes.data(), memory);
  EXPECT_NE(bytes, first);
  EXPECT_EQ(bytes, saved(world));
}

TEST(Snapshot, BytesMayLieAnywhere) {
  OddWorld world;
  open_pools(world);
  churn(world, 1, 500);
  for (std::size_t offset = 1; offset < 8; ++offset) {
    core::Bytes shifted(offset);
    const core::Bytes bytes = saved(world);
    shifted.insert(shifted.end(), bytes.begin(), bytes.end());
    OddWorld loaded;
    ASSERT_TRUE(load_snapshot(core::ByteView(shifted).subspan(offset), loaded).ok());
    expect_same(world, loaded);
  }
}

TEST(Snapshot, LoadsIntoARegistryWithOtherPoolsAndPrototypes) {
  OddWorld world;
  open_pools(world);
  churn(world, 9, 4000);
  OddWorld loaded;
  loaded.pool_of<Mana>("of its own");
  loaded.pool_of<Health>();
  loaded.pool_of<Mana>();
  loaded.pool_of<Position>();
  const Entity gone = loaded.create();
  loaded.add<Position>(gone);
  loaded.add<Mana>(gone);
  loaded.destroy(gone);
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  loaded.check();
  expect_same(world, loaded);
  expect_same_handles_next(world, loaded);
}

TEST(Snapshot, AWorldIsLoadedAgainOnceItIsEmptied) {
  OddWorld world;
  open_pools(world);
  churn(world, 9, 1000);
  const core::Bytes bytes = saved(world);
  const core::Bytes before = bytes;
  const std::vector<Entity> living(world.entities().begin(), world.entities().end());
  world.destroy(living);
  ASSERT_TRUE(load_snapshot(bytes, world).ok());
  world.check();
  EXPECT_EQ(saved(world), before);
  for (const Entity entity : living) EXPECT_TRUE(world.valid(entity));
}

TEST(Snapshot, ANewerIncarnationGivesNewHandlesAndKeepsTheOld) {
  OddWorld world(config_of(Recycling::queue));
  open_pools(world);
  churn(world, 4, 2000);
  RegistryConfig config = config_of(Recycling::queue);
  config.entities.incarnation = 4;
  OddWorld loaded(config);
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  loaded.check();
  world.entities().each([&](Entity entity) { EXPECT_TRUE(loaded.valid(entity)); });
  EXPECT_EQ(loaded.create().generation >> config.entities.reuse_bits, 4u);
}

TEST(Snapshot, ServerOnlyComponentsAreNotSaved) {
  OddWorld world;
  const Entity entity = world.create();
  world.add<Thought>(entity);
  world.add<Health>(entity, {3});
  OddWorld loaded;
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  EXPECT_FALSE(loaded.has<Thought>(entity));
  EXPECT_EQ(loaded.get<const Health>(entity).value, 3);
}

// Effects of loading on readers ----------------------------------------------------------

TEST(Snapshot, EverythingCountsAsChangedAfterLoading) {
  OddWorld world;
  open_pools(world);
  churn(world, 1, 2000);
  for (const Tick own : {Tick{5}, Tick{40}}) {
    OddWorld loaded;
    loaded.set_tick(own);
    ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
    EXPECT_EQ(loaded.tick(), std::max(own, Tick{17})) << "time never goes back";
    for (PoolId pool = 0; pool < loaded.pool_count(); ++pool)
      for (const Tick tick : loaded.pool(pool).change_ticks()) EXPECT_EQ(tick, loaded.tick());
  }
}

TEST(Snapshot, JournalHoldsTheLivingInRuns) {
  OddWorld world;
  const EntityRange range = world.create_range(10);
  world.destroy(range.at(4));
  OddWorld loaded;
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  ASSERT_EQ(loaded.journal().size(), 2u);
  EXPECT_EQ(loaded.journal()[0].kind, JournalEntry::Kind::create);
  EXPECT_EQ(loaded.journal()[0].first, range.at(0));
  EXPECT_EQ(loaded.journal()[0].count, 4u);
  EXPECT_EQ(loaded.journal()[1].first, range.at(5));
  EXPECT_EQ(loaded.journal()[1].count, 5u);
}

TEST(Snapshot, ListenersAreCalledInSpansAfterLoading) {
  OddWorld world;
  open_pools(world);
  churn(world, 3, 1000);
  OddWorld loaded;
  std::vector<std::size_t> created;
  std::vector<std::size_t> constructed;
  loaded.created().connect([&](std::span<const Entity> entities) {
    created.push_back(entities.size());
    for (const Entity entity : entities) EXPECT_TRUE(loaded.valid(entity));
    EXPECT_EQ(loaded.pool<Health>().size(), world.pool<Health>().size());
    loaded.check();
  });
  loaded.signals<Health>().construct.connect([&](std::span<const Entity> entities) {
    constructed.push_back(entities.size());
    for (const Entity entity : entities) EXPECT_TRUE(loaded.has<Health>(entity));
  });
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  EXPECT_EQ(created, std::vector<std::size_t>{world.entities().size()});
  EXPECT_EQ(constructed, std::vector<std::size_t>{world.pool<Health>().size()});
}

TEST(Snapshot, GroupsThatExistAreFilled) {
  OddWorld world;
  open_pools(world);
  churn(world, 3, 3000);
  OddWorld loaded;
  const auto owning = loaded.group<Position, Health>(with<>, exclude<Odd>);
  const auto looking = loaded.group<>(with<Mana, Odd>);
  ASSERT_TRUE(load_snapshot(saved(world), loaded).ok());
  loaded.check();
  expect_same_entities(world, loaded);
  std::uint32_t expected = 0;
  world.view<const Position, const Health>(exclude<Odd>)
      .each([&](Entity entity, const Position& position, const Health& health) {
        ++expected;
        EXPECT_TRUE(owning.contains(entity));
        EXPECT_EQ(loaded.get<const Position>(entity).value, position.value);
        EXPECT_EQ(loaded.get<const Health>(entity).value, health.value);
      });
  EXPECT_GT(expected, 0u);
  EXPECT_EQ(owning.size(), expected);
  EXPECT_GT(looking.size(), 0u);
  churn(loaded, 8, 500);
  loaded.check();
}

// Refusals -------------------------------------------------------------------------------

TEST(Snapshot, ARegistryWithEntitiesIsRefused) {
  OddWorld world;
  OddWorld loaded;
  const Entity entity = loaded.create();
  EXPECT_EQ(reason(load_snapshot(saved(world), loaded)), "registry not empty");
  EXPECT_TRUE(loaded.valid(entity));
}

TEST(Snapshot, AnUnknownTypeIsRefused) {
  OddWorld world;
  world.add<Odd>(world.create());
  World loaded;
  const core::Status status = load_snapshot(saved(world), loaded);
  EXPECT_EQ(reason(status), "unknown component");
  EXPECT_NE(status.error().message.find("Odd"), std::string::npos);
  EXPECT_EQ(loaded.entities().index_end(), 0u);
}

TEST(Snapshot, ATypeThatDiffersIsRefused) {
  OddWorld world;
  world.add<Odd>(world.create());
  ComponentType longer = test::schema_type<Odd>();
  longer.size = 4;
  longer.default_value.resize(4);
  ComponentType renamed = test::schema_type<Odd>();
  renamed.name = "Strange";
  ComponentType local = test::schema_type<Odd>();
  local.schema = false;
  for (const ComponentType& type : {longer, renamed, local}) {
    World loaded;
    ASSERT_TRUE(loaded.register_type(type).ok());
    EXPECT_EQ(reason(load_snapshot(saved(world), loaded)), "component differs");
    EXPECT_EQ(loaded.pool_count(), 0u);
  }
}

TEST(Snapshot, AnInstanceNameWithTheHashOfAnotherIsRefused) {
  ASSERT_EQ(core::StringId32("costarring"), core::StringId32("liquid"));
  OddWorld world;
  world.pool_of<Mana>("costarring");
  OddWorld loaded;
  loaded.pool_of<Mana>("liquid");
  EXPECT_EQ(reason(load_snapshot(saved(world), loaded)), "name collision");
}

TEST(Snapshot, MorePoolsThanARegistryHoldsAreRefused) {
  OddWorld world;
  world.pool_of<Mana>("a");
  world.pool_of<Mana>("b");
  OddWorld loaded;
  loaded.pool_of<Mana>("b");
  while (loaded.pool_count() < Registry::max_pools) loaded.pool_of<Odd>("odd " + std::to_string(loaded.pool_count()));
  EXPECT_EQ(reason(load_snapshot(saved(world), loaded)), "too many pools");
}

TEST(Snapshot, OtherEntityConfigsAreRefused) {
  const RegistryConfig config = config_of(Recycling::queue);
  OddWorld world(config);
  world.create();
  const auto refusal = [&](auto differ) {
    RegistryConfig other = config;
    differ(other.entities);
    OddWorld loaded(other);
    return reason(load_snapshot(saved(world), loaded));
  };
  EXPECT_EQ(refusal([](EntityPoolConfig& entities) { entities.recycling = Recycling::lifo; }), "other recycling");
  EXPECT_EQ(refusal([](EntityPoolConfig& entities) { ++entities.reuse_bits; }), "other reuse bits");
  EXPECT_EQ(refusal([](EntityPoolConfig& entities) { --entities.incarnation; }), "later incarnation");
  EXPECT_EQ(refusal([](EntityPoolConfig& entities) { entities.entities_max = 0; }), "too many entities");
}

// Memory ---------------------------------------------------------------------------------

// Returns false if the n-th allocation failed; the registry must then be unchanged or empty.
bool loads_though_one_fails(const core::Bytes& bytes, const Registry& world, std::uint64_t nth) {
  OddWorld loaded({.entities = {}, .pools = test::small_pages});
  loaded.set_tick(2);
  const auto owning = loaded.group<Position, Health>();
  const auto looking = loaded.group<>(with<Mana, Odd>);
  loaded.created().connect([](std::span<const Entity>) {});
  loaded.signals<Mana>().construct.connect([](std::span<const Entity>) {});
  try {
    const FailingAllocation failing(nth);
    EXPECT_TRUE(load_snapshot(bytes, loaded).ok());
  } catch (const std::bad_alloc&) {
    EXPECT_EQ(loaded.entities().index_end(), 0u);
    EXPECT_EQ(loaded.tick(), 2u);
    EXPECT_TRUE(loaded.journal().empty());
    EXPECT_EQ(owning.size() + looking.size(), 0u);
    for (PoolId pool = 0; pool < loaded.pool_count(); ++pool) EXPECT_EQ(loaded.pool(pool).size(), 0u);
    loaded.check();
    return false;
  }
  loaded.check();
  expect_same_entities(world, loaded);
  return true;
}

TEST(Snapshot, AnAllocationThatFailsLeavesNoEntities) {
  OddWorld world;
  open_pools(world);
  churn(world, 6, 400);
  const core::Bytes bytes = saved(world);
  std::uint64_t nth = 1;
  while (!testing::Test::HasFailure() && !loads_though_one_fails(bytes, world, nth)) ++nth;
  EXPECT_GT(nth, 100u);
}

}  // namespace
}  // namespace mobula::ecs
