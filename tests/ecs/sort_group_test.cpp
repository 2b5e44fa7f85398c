#include <mobula/core/random.hpp>

#include "ecs/sort_fixture.hpp"

namespace mobula::ecs::sort_test {
namespace {

struct GroupSort : testing::TestWithParam<std::uint64_t> {
  Registry registry;
  std::vector<std::int32_t> key_by_index = std::vector<std::int32_t>(2000);

  // 800 entities with some of Place, Weight, Mark; Place and Weight have the same key.
  void fill() {
    register_place(registry);
    core::Random random(GetParam());
    for (int i = 0; i < 800; ++i) {
      const Entity entity = registry.create();
      const auto key = static_cast<std::int32_t>(random.below(300)) - 100;
      key_by_index[entity.index] = key;
      if (random.chance(4, 5)) registry.add<Weight>(entity, {key, entity.index});
      if (random.chance(4, 5)) registry.add<Place>(entity, {key, entity.index});
      if (random.chance(4, 5)) registry.add<Mark>(entity, {entity.index});
    }
    registry.set_tick(2);
  }
  template <class T>
  void expect_intact() {
    const Pool& pool = registry.pool<T>();
    for (std::uint32_t position = 0; position < pool.size(); ++position)
      ASSERT_EQ(pool.template typed_address<const T>(position)->id, pool.indices()[position]);
  }
  void expect_all_intact() {
    expect_intact<Place>();
    expect_intact<Weight>();
    expect_intact<Mark>();
    registry.check();
  }
  // Sorts by key, then with the inverse comparator.
  template <class T, class AnyGroup>
  void expect_sorts(const AnyGroup& group) {
    SCOPED_TRACE(component_name<T>());
    const auto members = [&] { return std::vector(group.set().indices().begin(), group.set().indices().end()); };
    std::vector<std::uint32_t> expected = sorted_model(members(), key_by_index);
    sort_by<T>(group, [](const T& component) { return component.key; });
    ASSERT_EQ(members(), expected);
    expect_all_intact();
    expected = sorted_model(members(), key_by_index, std::greater<>());
    sort<T>(group, [](const T& a, const T& b) { return a.key > b.key; });
    ASSERT_EQ(members(), expected);
    expect_all_intact();
  }
};

TEST_P(GroupSort, SortsAGroupThatOwnsAllItsPools) {
  fill();
  const auto group = registry.group<Place, Weight>();
  const Pool& pool = registry.pool<Place>();
  const std::vector<std::uint32_t> others(pool.indices().begin() + group.size(), pool.indices().end());
  expect_sorts<Place>(group);
  expect_sorts<Weight>(group);
  EXPECT_EQ(std::vector(pool.indices().begin() + group.size(), pool.indices().end()), others);
  std::vector<std::uint32_t> walked;
  group.each([&](Entity entity, const Place& place, const Weight& weight) {
    EXPECT_EQ(place.id, weight.id);
    walked.push_back(entity.index);
  });
  EXPECT_EQ(walked.size(), group.size());
}

TEST_P(GroupSort, SortsAGroupThatOwnsSomeOfItsPools) {
  fill();
  const auto group = registry.group<Place>(with<Weight>, exclude<Mark>);
  const std::vector<std::uint32_t> weights = indices_of(registry.pool<Weight>());
  expect_sorts<Place>(group);
  expect_sorts<Weight>(group);
  EXPECT_EQ(indices_of(registry.pool<Weight>()), weights) << "the group does not own it";
}

TEST_P(GroupSort, SortsAGroupThatOwnsNoPool) {
  fill();
  const auto group = registry.group<>(with<const Weight, Place>);
  const std::vector<std::uint32_t> weights = indices_of(registry.pool<Weight>());
  const std::vector<std::uint32_t> places = indices_of(registry.pool<Place>());
  expect_sorts<Place>(group);
  expect_sorts<Weight>(group);
  EXPECT_EQ(indices_of(registry.pool<Weight>()), weights);
  EXPECT_EQ(indices_of(registry.pool<Place>()), places);
  for (const Tick tick : registry.pool<Place>().change_ticks()) EXPECT_EQ(tick, 1u) << "no component has moved";
}

TEST_P(GroupSort, StaysAGroupWhenItsEntitiesChangeAfterwards) {
  fill();
  const auto group = registry.group<Place, Weight>();
  sort_by<Place>(group, [](const Place& place) { return place.key; });
  core::Random random(GetParam());
  std::vector<Entity> all;
  registry.entities().each([&](Entity entity) { all.push_back(entity); });
  for (const Entity entity : all) {
    if (random.chance(1, 3) && registry.has<Weight>(entity)) registry.remove<Weight>(entity);
    if (random.chance(1, 3)) registry.destroy(entity);
  }
  expect_all_intact();
  expect_sorts<Place>(group);
}

// The members of a group depend on all of its pools, not only on the one that holds the keys.
TEST_P(GroupSort, AKeyThatChangesTheMembersIsNamed) {
  fill();
  const auto owning = registry.group<Place>(with<Weight>, exclude<Mark>);
  const auto observing = registry.group<>(with<const Weight>, exclude<Mark>);
  Entity member;
  owning.each([&](Entity entity, const Place&, const Weight&) { member = entity; });
  const auto sort_with = [&](const auto& group, auto change) {
    sort_by<Weight>(group, [&](const Weight& weight) {
      change();
      return weight.key;
    });
  };
  const auto expect_named = [&](const auto& group) {
    EXPECT_DEATH(sort_with(group, [&] { registry.destroy(member); }), "is changed by the key or comparator");
    EXPECT_DEATH(sort_with(group, [&] { registry.remove<Weight>(member); }), "is changed by the key or comparator");
    EXPECT_DEATH(sort_with(group, [&] { registry.add<Mark>(member); }), "Mark is changed by the key or comparator");
    EXPECT_DEATH(sort_with(group, [&] { registry.create(Weight{}); }), "Weight is changed by the key or comparator");
  };
  expect_named(owning);
  expect_named(observing);
  sort_with(owning, [&] { registry.create(); });
  sort_with(observing, [&] { registry.create(); });
  registry.destroy(member);
  expect_all_intact();
}

INSTANTIATE_TEST_SUITE_P(Seeds, GroupSort, testing::Values(1, 2, 3));

}  // namespace
}  // namespace mobula::ecs::sort_test
