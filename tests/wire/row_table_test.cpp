#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <wire/delta_world.hpp>

namespace mobula::wire {
namespace {

using test::World;

struct NaiveRow {
  core::Bytes bytes;
  std::uint32_t bits = 0;
  ecs::Tick tick = 0;
};
struct NaiveEntity {
  ecs::Entity entity;
  ecs::PrototypeId prototype = ecs::empty_prototype;
  ecs::Tick structure_tick = 0;
  ecs::Tick tick = 0;
  std::map<ecs::PoolId, NaiveRow> rows;
};
using Naive = std::map<std::uint32_t, NaiveEntity>;

NaiveRow encoded(RowTable& table, ecs::PoolId pool, const core::Bytes& value, ecs::Tick tick) {
  const ComponentCodec& codec = *table.codec(pool);
  NaiveRow row{core::Bytes((codec.max_bits() + 7) / 8), 0, tick};
  core::BitWriter writer(row.bytes);
  codec.encode(value.data(), writer);
  row.bits = static_cast<std::uint32_t>(writer.bits());
  row.bytes.resize(writer.bytes());
  return row;
}

void expect_same(const RowTable& table, const Naive& naive) {
  ASSERT_EQ(table.size(), naive.size());
  for (std::uint32_t index = 0; index < table.index_end(); ++index)
    ASSERT_EQ(static_cast<bool>(table.entity(index).entity), naive.contains(index));
  for (const auto& [index, entity] : naive) {
    const EntityRow& row = table.entity(index);
    ASSERT_EQ(row.entity, entity.entity);
    ASSERT_EQ(row.prototype, entity.prototype);
    ASSERT_EQ(row.structure_tick, entity.structure_tick);
    ASSERT_EQ(row.tick, entity.tick);
    for (const auto& [pool, expected] : entity.rows) {
      const Row found = table.row(index, pool);
      ASSERT_EQ(found.bits, expected.bits);
      ASSERT_EQ(found.tick, expected.tick);
      ASSERT_TRUE(std::equal(expected.bytes.begin(), expected.bytes.end(), found.data));
    }
  }
}

// Tables that hear of the same things: one from components, one from bits that arrive at odd places.
struct Tables {
  World world{ecs::Recycling::queue};
  RowTable updated{world.registry, test::demo_schema()};
  RowTable assigned{world.registry, test::demo_schema()};
  Naive naive;
  core::Random random;
  ecs::Tick tick = 1;

  explicit Tables(std::uint64_t seed) : random(seed) { world.pools.pop_back(); }  // without Wander, which is not sent

  ecs::PrototypeId random_prototype() {
    std::vector<ecs::PoolId> pools;
    for (const ecs::PoolId pool : world.pools)
      if (random.chance(1, 2)) pools.push_back(pool);
    return world.registry.prototypes().intern(pools);
  }
  core::Bytes random_value(ecs::PoolId pool) {
    return test::random_component(world.registry.pool(pool).type(), random);
  }

  void set(std::uint32_t index, ecs::PoolId pool, const core::Bytes& value) {
    NaiveEntity& entity = naive.at(index);
    const NaiveRow row = encoded(updated, pool, value, tick);
    const auto known = entity.rows.find(pool);
    const bool changes = known == entity.rows.end() || known->second.bytes != row.bytes;
    EXPECT_EQ(updated.update(index, pool, value.data(), tick), changes);
    const std::uint32_t offset = random.below(70);
    core::Bytes arrived((offset + row.bits + 7) / 8);
    core::BitWriter writer(arrived);
    for (std::uint32_t i = 0; i < offset; ++i) writer.write_bool(random.chance(1, 2));
    writer.write_bits(row.bytes.data(), row.bits);
    core::BitReader reader(arrived);
    reader.skip(offset);
    assigned.assign(index, pool, reader, row.bits, tick);
    if (!changes) return;
    entity.rows[pool] = row;
    entity.tick = tick;
  }

  void place(ecs::Entity handle, ecs::PrototypeId prototype) {
    const auto pools = world.registry.prototypes().pools(prototype);
    NaiveEntity& entity = naive[handle.index];
    if (entity.entity != handle) entity = {};
    std::erase_if(entity.rows,
                  [&](const auto& row) { return std::find(pools.begin(), pools.end(), row.first) == pools.end(); });
    entity = {handle, prototype, tick, tick, std::move(entity.rows)};
    updated.place(handle, prototype, tick);
    assigned.place(handle, prototype, tick);
    for (const ecs::PoolId pool : pools)
      if (!entity.rows.contains(pool) || random.chance(1, 2)) set(handle.index, pool, random_value(pool));
  }

  void erase(std::uint32_t index) {
    naive.erase(index);
    updated.erase(index);
    assigned.erase(index);
  }

  void step() {
    const std::uint32_t index = random.below(30);
    const auto found = naive.find(index);
    if (found == naive.end() || random.chance(1, 6)) {
      const bool same = found != naive.end() && random.chance(1, 2);
      place({index, same ? found->second.entity.generation : 1 + random.below(3)}, random_prototype());
    } else if (random.chance(1, 5)) {
      erase(random.chance(1, 4) ? 1000 : index);
    } else {
      for (const ecs::PoolId pool : world.registry.prototypes().pools(found->second.prototype))
        if (random.chance(1, 2)) set(index, pool, random_value(pool));
    }
  }

  // As if it had never heard of anything but the end.
  [[nodiscard]] std::uint64_t hash_without_history() {
    RowTable fresh(world.registry, test::demo_schema());
    for (auto entity = naive.rbegin(); entity != naive.rend(); ++entity) {
      fresh.place(entity->second.entity, entity->second.prototype, 1);
      for (const auto& [pool, row] : entity->second.rows)
        fresh.assign(entity->first, pool, core::BitReader(row.bytes), row.bits, 1);
    }
    fresh.check();
    return fresh.hash();
  }
};

TEST(RowTable, RandomHistoriesAreWhatAMapHoldsWhetherUpdatedOrAssigned) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Tables tables(seed);
    for (int step = 0; step < 500; ++step, tables.tick += tables.random.below(2)) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", step " << step);
      tables.step();
      ASSERT_EQ(tables.updated.hash(), tables.assigned.hash());
      if (step % 10 != 0) continue;
      expect_same(tables.updated, tables.naive);
      expect_same(tables.assigned, tables.naive);
      if (testing::Test::HasFailure()) return;
      tables.updated.check();
      tables.assigned.check();
    }
    EXPECT_EQ(tables.updated.hash(), tables.hash_without_history());
    while (!tables.naive.empty()) tables.erase(tables.naive.begin()->first);
    EXPECT_EQ(tables.updated.hash(), 0u);
    EXPECT_EQ(tables.assigned.size(), 0u);
  }
}

struct OneEntity : testing::Test {
  World world{ecs::Recycling::queue};
  RowTable& table = world.rows;
  ecs::Entity entity = world.registry.create();
  ecs::PoolId velocity = world.registry.pool_of<demo::Velocity>();
  demo::Velocity value{.linear = {1, 2, 3}};

  OneEntity() {
    world.registry.add<demo::Velocity>(entity);
    table.place(entity, world.sent_prototype(entity), 5);
  }
  bool update(ecs::Tick tick) {
    return table.update(entity.index, velocity, reinterpret_cast<const std::byte*>(&value), tick);
  }
};

TEST_F(OneEntity, AnUpdateIsToldFromNoUpdate) {
  EXPECT_TRUE(update(5));
  const std::uint64_t hash = table.hash();
  EXPECT_FALSE(update(6));
  EXPECT_EQ(table.entity(entity.index).tick, 5u) << "and leaves the tick of the last change";
  EXPECT_EQ(table.row(entity.index, velocity).tick, 5u);
  value.linear.x += 0.001f;
  EXPECT_FALSE(update(7)) << "a change below the step is none";
  value.linear.x += 0.01f;
  EXPECT_TRUE(update(8));
  EXPECT_EQ(table.entity(entity.index).tick, 8u);
  EXPECT_EQ(table.entity(entity.index).structure_tick, 5u);
  EXPECT_NE(table.hash(), hash);
  value.linear.x -= 0.01f;
  EXPECT_TRUE(update(9));
  EXPECT_EQ(table.hash(), hash) << "ticks are no part of the hash";
  table.check();
}

TEST_F(OneEntity, TheHashKnowsHandlePrototypeInstanceAndValue) {
  update(5);
  const std::uint64_t hash = table.hash();
  const EntityRow row = table.entity(entity.index);
  EXPECT_EQ(row.hash, hash);

  table.place({entity.index, entity.generation + 1}, row.prototype, 6);
  update(6);
  EXPECT_NE(table.hash(), hash) << "another generation";
  table.erase(entity.index);
  EXPECT_EQ(table.hash(), 0u);

  std::map<std::uint64_t, std::string_view> hashes;
  const demo::RenderData look{};
  for (const std::string_view name : {"Body", "Fog"}) {
    const ecs::PoolId pool = world.registry.pool_of<demo::RenderData>(name);
    RowTable one(world.registry, test::demo_schema());
    one.place(entity, ecs::empty_prototype, 1);
    hashes[one.hash()] = "nothing";
    one.place(entity, world.registry.prototypes().intern({&pool, 1}), 1);
    one.update(entity.index, pool, reinterpret_cast<const std::byte*>(&look), 1);
    hashes[one.hash()] = name;
  }
  EXPECT_EQ(hashes.size(), 3u) << "the same value under two names is two things";
}

TEST_F(OneEntity, WhatIsNeverSentHasNoCodec) {
  EXPECT_NE(table.codec(velocity), nullptr);
  EXPECT_EQ(table.codec(world.registry.pool_of<demo::Wander>()), nullptr);
  struct Thought {};
  EXPECT_EQ(table.codec(world.registry.pool_of<Thought>()), nullptr) << "a local component";
}

TEST_F(OneEntity, ErasingNobodyDoesNothing) {
  update(5);
  const std::uint64_t hash = table.hash();
  table.erase(entity.index + 1);
  table.erase(0xffffffffu);
  EXPECT_EQ(table.hash(), hash);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_FALSE(table.entity(0xffffffffu).entity);
}

#ifdef MOBULA_ASSERTS
TEST_F(OneEntity, PlacingNoEntityIsAMistake) {
  EXPECT_DEATH(table.place(ecs::null_entity, ecs::empty_prototype, 1), "null_entity has no rows");
}
#endif

}  // namespace
}  // namespace mobula::wire
