// Keys and comparators that change what they sort, or are inconsistent.
#include <mobula/core/random.hpp>

#include "ecs/sort_fixture.hpp"

namespace mobula::ecs::sort_test {
namespace {

// Pools of 100 Weights with descending keys and 100 Names, on the same entities.
struct SortMisuse : testing::Test {
  Registry registry;
  std::vector<Entity> entities;

  SortMisuse() {
    for (std::uint32_t i = 0; i < 100; ++i) {
      entities.push_back(registry.create(Weight{100 - static_cast<std::int32_t>(i), i}));
      registry.add<Name>(entities[i], {"a name that needs an allocation " + std::to_string(100 - i)});
    }
  }
  // Sorts both ways; `change` is called by the key and by the comparator.
  template <class Change>
  void sort_with(Change change) {
    sort_by<Weight>(registry, [&](const Weight& weight) {
      change();
      return weight.key;
    });
  }
  template <class Change>
  void compare_with(Change change) {
    sort<Name>(registry, [&](const Name& a, const Name& b) {
      change();
      return a.text < b.text;
    });
  }
};

TEST_F(SortMisuse, AKeyOrComparatorThatRemovesIsNamed) {
  const auto destroy_next = [this] {
    registry.destroy(entities.back());
    entities.pop_back();
  };
  EXPECT_DEATH(sort_with(destroy_next), "pool .*Weight is changed by the key or comparator that sorts it");
  EXPECT_DEATH(compare_with(destroy_next), "pool .*Name is changed by the key or comparator that sorts it");
  EXPECT_DEATH(sort_with([this] { registry.remove<Weight>(entities[7]); }), "Weight is changed by the key");
  EXPECT_DEATH(compare_with([this] { registry.remove<Name>(std::span(entities)); }), "Name is changed by the key");
}

TEST_F(SortMisuse, AKeyOrComparatorThatAddsIsNamed) {
  EXPECT_DEATH(sort_with([this] { registry.create(Weight{}); }), "Weight is changed by the key or comparator");
  EXPECT_DEATH(compare_with([this] { registry.add<Name>(registry.create()); }), "Name is changed by the key");
}

TEST_F(SortMisuse, AKeyOrComparatorThatSortsIsNamed) {
  const auto by_id = [](const Weight& weight) { return weight.id; };
  EXPECT_DEATH(sort_with([&] { sort_by<Weight>(registry, by_id); }),
               "Weight is reordered while it is iterated or sorted");
  SortScratch scratch;
  const auto sort_again = [&](const Weight& weight) {
    sort_by<Name>(registry, [](const Name&) { return 0; }, scratch);
    return weight.key;
  };
  EXPECT_DEATH(sort_by<Weight>(registry, sort_again, scratch), "one SortScratch is used by a sort and by the sort");
}

TEST_F(SortMisuse, AKeyThatChangesOtherPoolsIsAllowed) {
  int iterated = 0;
  sort_with([&] {
    registry.destroy(registry.create(Mark{}));
    registry.view<const Weight>().each([&](const Weight&) { ++iterated; });
  });
  EXPECT_EQ(iterated, 100 * 100);
  compare_with([&] { registry.create(Mark{}); });
  for (std::uint32_t i = 1; i < 100; ++i) EXPECT_LT(registry.get<const Weight>(entities[i]).key, 100);
  EXPECT_EQ(registry.pool<Weight>().indices()[0], entities.back().index);
  registry.check();
}

TEST_F(SortMisuse, APoolMayChangeAfterItsSort) {
  try {
    compare_with([] { throw 1; });
    FAIL();
  } catch (int) {
  }
  sort_with([] {});
  EXPECT_FALSE(registry.pool<Weight>().is_iterated());
  EXPECT_FALSE(registry.pool<Name>().is_iterated());
  for (int i = 0; i < 1000; ++i) registry.add<Name>(registry.create(Weight{i, 0}), {"one more"});
  for (const Entity entity : entities) registry.destroy(entity);
  EXPECT_EQ(registry.pool<Name>().size(), 1000u);
  registry.check();
}

TEST_F(SortMisuse, AnInconsistentComparatorKeepsEveryComponent) {
  core::Random random(1);
  for (int round = 0; round < 50; ++round) {
    for (const std::uint32_t chance : {2u, 20u, 200u})  // the rarer, the more is kept in its order
      sort<Weight>(registry,
                   [&](const Weight& a, const Weight& b) { return random.chance(1, chance) || a.key < b.key; });
    for (const Entity entity : entities) EXPECT_EQ(registry.get<const Weight>(entity).id, entity.index);
  }
  registry.check();
}

}  // namespace
}  // namespace mobula::ecs::sort_test
