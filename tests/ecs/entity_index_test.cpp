#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/ecs/entity_index.hpp>
#include <seeds.hpp>
#include <set>

namespace mobula::ecs {
namespace {

PrototypeTable::SortKey key(std::string_view type, std::string_view name) {
  return static_cast<std::uint64_t>(core::StringId32(type).value) << 32 | core::StringId32(name).value;
}

std::vector<PoolId> listed(std::span<const PoolId> pools) { return {pools.begin(), pools.end()}; }

// Three entities with components of two types, as in the example of the source text:
//
//   P0                            {}
//   P1  P0 + Light "key"          the first has two lights,
//   P2  P1 + Light "fill"
//   P3  P2 + Sound "hum"          the second also a sound,
//   P4  P1 + Light "flame"        the third got a light,
//   P5  P1 + Sound "flame"        then a sound of that name instead: another type makes another prototype
struct EntityIndexExample : testing::Test {
  EntityIndex index;
  static constexpr PoolId key_light = 0, fill_light = 1, hum = 2, flame_light = 3, flame_sound = 4;
  EntityIndexExample() {
    for (const auto& [type, name] : {std::pair("Light", "key"), std::pair("Light", "fill"), std::pair("Sound", "hum"),
                                     std::pair("Light", "flame"), std::pair("Sound", "flame")})
      index.add_pool(key(type, name));
  }
  PrototypeId prototype(Entity entity) { return index.entities().prototype(entity.index); }
  PoolId find(Entity entity, std::string_view name) { return index.find(entity, core::StringId32(name)); }
};

TEST_F(EntityIndexExample, EntitiesOfOneHistorySharePrototypes) {
  const Entity first = index.create();
  const Entity second = index.create();
  const Entity third = index.create();
  EXPECT_EQ(prototype(first), empty_prototype) << "P0";
  for (const Entity entity : {first, second, third}) index.add(entity, key_light);
  const PrototypeId p1 = prototype(first);
  EXPECT_EQ(prototype(second), p1);
  EXPECT_EQ(prototype(third), p1);
  EXPECT_EQ(listed(index.prototypes().pools(p1)), std::vector{key_light}) << "P1";

  index.add(first, fill_light);
  index.add(second, fill_light);
  const PrototypeId p2 = prototype(first);
  EXPECT_EQ(prototype(second), p2);
  EXPECT_EQ(listed(index.pools(first)), (std::vector{key_light, fill_light})) << "P2";

  index.add(second, hum);
  const PrototypeId p3 = prototype(second);
  EXPECT_EQ(listed(index.pools(second)), (std::vector{key_light, fill_light, hum})) << "P3";

  index.add(third, flame_light);
  const PrototypeId p4 = prototype(third);
  EXPECT_EQ(listed(index.pools(third)), (std::vector{key_light, flame_light})) << "P4";
  EXPECT_EQ(find(third, "flame"), flame_light);

  index.remove(third, flame_light);
  EXPECT_EQ(prototype(third), p1);
  index.add(third, flame_sound);
  const PrototypeId p5 = prototype(third);
  EXPECT_EQ(listed(index.pools(third)), (std::vector{key_light, flame_sound})) << "P5";
  EXPECT_EQ(find(third, "flame"), flame_sound);
  EXPECT_NE(p4, p5);
  EXPECT_EQ(std::set<PrototypeId>({empty_prototype, p1, p2, p3, p4, p5}).size(), 6u);

  EXPECT_EQ(find(first, "hum"), no_pool);
  EXPECT_EQ(find(second, "hum"), hum);
  index.destroy(second);
  EXPECT_EQ(find(second, "hum"), no_pool) << "a stale handle never answers";
  EXPECT_TRUE(index.pools(second).empty());
  while (!index.prototypes().reclaim(100).empty()) continue;
  EXPECT_FALSE(index.prototypes().exists(p3));
  EXPECT_FALSE(index.prototypes().exists(p4));
  for (const PrototypeId needed : {p1, p2, p5}) EXPECT_TRUE(index.prototypes().exists(needed));
}

TEST(EntityIndex, RandomHistoriesAgreeWithAMap) {
  constexpr std::uint64_t seed = 21;
  constexpr std::uint32_t pools = 30;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  EntityIndex index;
  for (PoolId pool = 0; pool < pools; ++pool) index.add_pool(static_cast<std::uint64_t>(pool % 3) << 32 | pool * 77);
  std::vector<std::pair<Entity, std::vector<PoolId>>> model;
  std::vector<Entity> dead;
  for (int step = 0; step < 60000; ++step) {
    if (model.empty() || random.chance(1, 10)) model.push_back({index.create(), {}});
    auto& [entity, has] = model[random.below(static_cast<std::uint32_t>(model.size()))];
    const PoolId pool = random.below(pools);
    const auto found = std::find(has.begin(), has.end(), pool);
    if (random.chance(1, 12)) {
      index.destroy(entity);
      dead.push_back(entity);
      std::swap(model.back(),
                *std::find_if(model.begin(), model.end(), [&](auto& e) { return e.first == dead.back(); }));
      model.pop_back();
      continue;
    }
    if (random.chance(1, 10)) {
      const auto& [other, same] = model[random.below(static_cast<std::uint32_t>(model.size()))];
      index.assign(entity, index.entities().prototype(other.index));
      has = std::vector(same);
    } else if (found == has.end() && random.chance(1, 4)) {
      std::vector<PoolId> list{pool};
      for (PoolId more = random.below(pools); more < pools; more += 7)
        if (more != pool && std::find(has.begin(), has.end(), more) == has.end()) list.push_back(more);
      index.add(entity, list);
      has.insert(has.end(), list.begin(), list.end());
    } else if (found == has.end()) {
      index.add(std::span(&entity, 1), pool);
      has.push_back(pool);
    } else {
      index.remove(entity, pool);
      has.erase(found);
    }
    index.prototypes().reclaim(random.below(4));
    ASSERT_EQ(listed(index.pools(entity)), has);
    for (PoolId asked = 0; asked < pools; ++asked) {
      const bool there = std::find(has.begin(), has.end(), asked) != has.end();
      ASSERT_EQ(index.find(entity, index.prototypes().name(asked)), there ? asked : no_pool);
    }
    if (!dead.empty()) {
      const Entity stale = dead[random.below(static_cast<std::uint32_t>(dead.size()))];
      ASSERT_EQ(index.find(stale, index.prototypes().name(pool)), no_pool);
    }
  }
  index.prototypes().check();
  std::map<PrototypeId, std::uint32_t> uses;
  for (const auto& [entity, has] : model) ++uses[index.entities().prototype(entity.index)];
  for (PrototypeId prototype = 0; prototype < index.prototypes().size(); ++prototype)
    ASSERT_EQ(index.prototypes().uses(prototype), uses.contains(prototype) ? uses[prototype] : 0);
}

TEST(EntityIndex, ManyNewCompositionsTakeBoundedMemory) {
  constexpr std::uint64_t seed = 22;
  constexpr std::uint32_t pools = 400;  // 63 million chains of three
  SCOPED_TRACE(seed);
  core::Random random(seed);
  EntityIndex index;
  for (PoolId pool = 0; pool < pools; ++pool) index.add_pool(pool);
  std::deque<Entity> living;
  for (std::uint64_t made = 0; made < mobula::test::few_or_all(200'000, 1'000'000); ++made) {
    const Entity entity = index.create();
    const PoolId first = random.below(pools - 2);
    index.add(entity, first);
    index.add(entity, first + 1 + random.below(pools - first - 2));
    index.add(entity, pools - 1);
    living.push_back(entity);
    if (living.size() > 1000) {
      index.destroy(living.front());
      living.pop_front();
    }
    index.prototypes().reclaim(8);
  }
  EXPECT_LT(index.prototypes().size(), 20000u);
  EXPECT_EQ(index.entities().size(), 1000u);
  index.prototypes().check();
}

}  // namespace
}  // namespace mobula::ecs
