// The indices of the text that the table compares with, against a reference model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "entity_index/chain_index.hpp"
#include "entity_index/legacy_index.hpp"
#include "entity_index/memory.hpp"

namespace mobula::bench {
namespace {

Component component(std::uint32_t manager, std::string_view name) { return {manager, core::StringId32(name)}; }

TEST(TextHandles, AreReusedLongestFreeFirstInANewGeneration) {
  TextHandles handles;
  std::vector<TextHandle> first;
  for (int i = 0; i < 1100; ++i) first.push_back(handles.create());
  for (const TextHandle handle : first) handles.destroy(handle);
  for (std::uint32_t i = 0; i < 76; ++i) EXPECT_EQ(handles.create().id, (1u << 22 | i)) << "1024 stay free";
  EXPECT_EQ(handles.create().id, 1100u);
}

TEST(TextHandles, AreDistinctAmongTheLivingAndDoNotComeBackSoon) {
  TextHandles handles;
  std::vector<TextHandle> living;
  std::set<std::uint32_t> seen;
  core::Random random(3);
  for (int i = 0; i < 100'000; ++i) {
    if (living.size() < 500 || (living.size() < 3000 && random.chance(1, 2))) {
      living.push_back(handles.create());
      ASSERT_TRUE(seen.insert(living.back().id).second) << "handle " << i;
    } else {
      std::swap(living[random.below(static_cast<std::uint32_t>(living.size()))], living.back());
      handles.destroy(living.back());
      living.pop_back();
    }
  }
}

template <class Index>
struct TextIndex : testing::Test {};
using TextIndices = testing::Types<LegacyIndex, ChainIndex<ChainLookup::as_written>, ChainIndex<ChainLookup::by_name>>;
TYPED_TEST_SUITE(TextIndex, TextIndices);

// The text's example: three entities, one of whose render data is another manager's.
TYPED_TEST(TextIndex, AnswersTheTextsExample) {
  TypeParam index{Workload()};
  const auto first = index.create();
  const auto second = index.create();
  const auto third = index.create();
  for (const auto& [entity, render_data] : {std::pair(first, 2u), std::pair(second, 2u), std::pair(third, 3u)}) {
    index.add(entity, component(1, "Transform"));
    index.add(entity, component(render_data, "Fog"));
    index.add(entity, component(render_data, "Vignette"));
  }
  for (const auto& [entity, render_data] : {std::pair(first, 2u), std::pair(second, 2u), std::pair(third, 3u)}) {
    EXPECT_EQ(index.find(entity, core::StringId32("Transform")), 1u);
    EXPECT_EQ(index.find(entity, core::StringId32("Fog")), render_data);
    EXPECT_EQ(index.find(entity, core::StringId32("Vignette")), render_data);
    EXPECT_EQ(index.find(entity, core::StringId32("Light")), no_component);
  }
}

// Entities that grow and die at different times, in an index and in a map of maps.
template <class Index>
struct History {
  using Handle = typename Index::Handle;

  explicit History(std::uint64_t seed) : random(seed) {}

  void create() {
    living.push_back(index.create());
    ASSERT_TRUE(model.emplace(living.back().id, std::map<std::uint32_t, std::uint32_t>()).second);
  }
  void add() {
    const Handle entity = any(living);
    const Component added{random.below(6), any(names.components()).name};  // one name in several managers
    if (model[entity.id].emplace(added.name.value, added.manager).second) index.add(entity, added);
  }
  void look_up() {
    const Handle entity = any(living);
    const core::StringId32 name = any(names.components()).name;
    const auto& components = model[entity.id];
    const auto found = components.find(name.value);
    ASSERT_EQ(index.find(entity, name), found != components.end() ? found->second : no_component);
    if (!dead.empty()) {
      ASSERT_EQ(index.find(any(dead), name), no_component);
    }
  }
  void destroy_some() {
    std::vector<std::uint32_t> deaths(1 + random.below(static_cast<std::uint32_t>(living.size() / 2)));
    auto left = static_cast<std::uint32_t>(living.size());
    for (std::uint32_t& place : deaths) place = random.below(left--);
    const std::span<Handle> dying = to_the_back(living, deaths);
    index.destroy(dying);
    index.clean_up();
    for (const Handle entity : dying) model.erase(entity.id);
    dead.assign(dying.begin(), dying.end());
    living.resize(left);
  }

  template <class All>
  const auto& any(const All& all) {
    return all[random.below(static_cast<std::uint32_t>(all.size()))];
  }

  core::Random random;
  Workload names{{.names = 20, .compositions = 1, .components_max = 1}};
  Index index{names};
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> model;  // manager by name, by handle
  std::vector<Handle> living;
  std::vector<Handle> dead;  // those who died last
};

TYPED_TEST(TextIndex, AnswersAsAReferenceMapDoes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    History<TypeParam> history(seed);
    for (int i = 0; i < 20'000 && !this->HasFatalFailure(); ++i) {
      const std::uint32_t what = history.random.below(100);
      if (history.living.size() < 10 || what < 5) {
        history.create();
      } else if (what < 50) {
        history.add();
      } else if (what < 99) {
        history.look_up();
      } else {
        history.destroy_some();
      }
    }
  }
}

// Each round makes compositions that were not there before, and its entities die in the end.
TYPED_TEST(TextIndex, TakesNoMoreMemoryHoweverManyCompositionsThereWere) {
  TypeParam index{Workload()};
  std::vector<typename TypeParam::Handle> entities(2000);  // more than the handles that stay free
  MemoryMeter meter;
  std::ptrdiff_t bytes_max_early = 0;
  for (std::uint32_t round = 0; round < 60; ++round) {
    const MemoryScope scope(meter);
    for (auto& entity : entities) {
      entity = index.create();
      const auto number = static_cast<std::uint32_t>(&entity - entities.data());
      for (std::uint32_t i = 0; i < 4; ++i) index.add(entity, {round * 2000 + number, core::StringId32(i)});
    }
    index.destroy(entities);
    index.clean_up();
    if (round == 5) bytes_max_early = meter.bytes_max;
  }
  EXPECT_GT(bytes_max_early, 0);
  EXPECT_LE(meter.bytes_max, 2 * bytes_max_early);
}

template <class Index>
struct ChainLookups : testing::Test {};
using Chains = testing::Types<ChainIndex<ChainLookup::as_written>, ChainIndex<ChainLookup::by_name>>;
TYPED_TEST_SUITE(ChainLookups, Chains);

TYPED_TEST(ChainLookups, EqualHistoriesSharePrototypesWhileNeeded) {
  TypeParam index{Workload()};
  const Component transform = component(1, "Transform"), fog = component(2, "Fog"), other_fog = component(3, "Fog");
  std::vector<TextHandle> entities{index.create(), index.create(), index.create()};
  for (const TextHandle entity : entities) index.add(entity, transform);
  EXPECT_EQ(index.prototypes(), 1u);
  index.add(entities[0], fog);
  index.add(entities[1], fog);
  index.add(entities[2], other_fog);
  EXPECT_EQ(index.prototypes(), 3u);

  index.clean_up();
  EXPECT_EQ(index.prototypes(), 3u) << "all are needed, the first as a base";
  index.destroy(std::span(entities).last(1));
  EXPECT_EQ(index.prototypes(), 3u);
  index.clean_up();
  EXPECT_EQ(index.prototypes(), 2u);
  EXPECT_EQ(index.find(entities[0], fog.name), fog.manager);
  index.destroy(std::span(entities).first(2));
  index.clean_up();
  EXPECT_EQ(index.prototypes(), 0u);

  const TextHandle again = index.create();
  index.add(again, fog);
  index.add(again, transform);
  EXPECT_EQ(index.prototypes(), 2u) << "another order, other prototypes";
  EXPECT_EQ(index.find(again, fog.name), fog.manager);
  EXPECT_EQ(index.find(again, transform.name), transform.manager);
}

}  // namespace
}  // namespace mobula::bench
