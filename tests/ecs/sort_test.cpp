#include <cmath>
#include <limits>
#include <mobula/core/random.hpp>
#include <numeric>
#include <stdexcept>

#include "ecs/allocations.hpp"
#include "ecs/sort_fixture.hpp"

namespace mobula::ecs::sort_test {
namespace {

template <class Key>
void expect_sorted_by_key(const std::vector<Key>& keys) {
  Registry registry;
  std::vector<Key> key_by_index;
  for (const Key key : keys) {
    const Entity entity = registry.create();
    key_by_index.resize(entity.index + 1);
    key_by_index[entity.index] = key;
    Raw raw{.bits = 0, .id = entity.index};
    core::store(&raw.bits, key);
    registry.add<Raw>(entity, raw);
  }
  const auto before = [](Key a, Key b) {
    if constexpr (std::is_floating_point_v<Key>) {
      return std::strong_order(a, b) < 0;
    } else {
      return a < b;
    }
  };
  const Pool& pool = registry.pool<Raw>();
  const std::vector<std::uint32_t> expected = sorted_model(pool.indices(), key_by_index, before);
  sort_by<Raw>(registry, [](const Raw& raw) { return core::load<Key>(&raw.bits); });
  ASSERT_EQ(indices_of(pool), expected);
  for (std::uint32_t position = 0; position < pool.size(); ++position)
    ASSERT_EQ(pool.typed_address<const Raw>(position)->id, expected[position]) << "components move with their entities";
  registry.check();
}

template <class Key>
void expect_sorted_keys(core::Random& random, std::vector<Key> chosen) {
  SCOPED_TRACE(testing::PrintToString(chosen));
  for (const std::uint32_t size : {0u, 1u, 2u, 63u, 300u, 2000u}) {
    SCOPED_TRACE(size);
    std::vector<Key> keys;
    while (keys.size() < size) keys.push_back(chosen[random.below(static_cast<std::uint32_t>(chosen.size()))]);
    expect_sorted_by_key<Key>(keys);
  }
}

template <class Key>
void expect_sorted_numbers(core::Random& random) {
  using Limits = std::numeric_limits<Key>;
  std::vector<Key> chosen{Limits::lowest(), Limits::max(), Key(0), Key(1), Key(Limits::lowest() + 1)};
  for (int i = 0; i < 200; ++i) chosen.push_back(static_cast<Key>(random.next()));
  expect_sorted_keys<Key>(random, chosen);
}

template <class Key>
void expect_sorted_reals(core::Random& random) {
  using Limits = std::numeric_limits<Key>;
  std::vector<Key> chosen{Limits::lowest(),
                          Limits::max(),
                          Key(0),
                          -Key(0),
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::denorm_min(),
                          -Limits::denorm_min(),
                          Limits::quiet_NaN(),
                          -Limits::quiet_NaN(),
                          Limits::min(),
                          Key(1)};
  for (int i = 0; i < 200; ++i) chosen.push_back(static_cast<Key>(random.uniform(-1e9f, 1e9f)) * Key(1.1));
  expect_sorted_keys<Key>(random, chosen);
}

TEST(Sort, KeysOfAnyNumberTypeAgreeWithAStableSort) {
  constexpr std::uint64_t seed = 3;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  expect_sorted_keys<bool>(random, {false, true});
  expect_sorted_numbers<char>(random);
  expect_sorted_numbers<std::int8_t>(random);
  expect_sorted_numbers<std::uint8_t>(random);
  expect_sorted_numbers<std::int16_t>(random);
  expect_sorted_numbers<std::uint16_t>(random);
  expect_sorted_numbers<std::int32_t>(random);
  expect_sorted_numbers<std::uint32_t>(random);
  expect_sorted_numbers<std::int64_t>(random);
  expect_sorted_numbers<std::uint64_t>(random);
  expect_sorted_reals<float>(random);
  expect_sorted_reals<double>(random);
}

// Typical input orders, from sorted to random: the incremental paths of the sort must not show.
std::vector<std::int32_t> disordered(core::Random& random, std::uint32_t size) {
  std::vector<std::int32_t> keys(size);
  std::iota(keys.begin(), keys.end(), -300);
  if (random.chance(1, 2)) {
    const auto step = static_cast<std::int32_t>(1 + random.below(10));
    for (std::int32_t& key : keys) key /= step;
  }
  const auto any = [&] { return random.below(size); };
  switch (random.below(8)) {
    case 0: break;
    case 1:  // some at random places
      for (std::uint32_t i = random.below(size / 8 + 1); i > 0; --i) keys[any()] = static_cast<std::int32_t>(any());
      break;
    case 2:  // an unsorted tail
      for (std::uint32_t i = size - random.below(size / 4 + 1); i < size; ++i)
        keys[i] = static_cast<std::int32_t>(any());
      break;
    case 3: {  // a run out of place
      const std::uint32_t first = any();
      const auto offset = static_cast<std::int32_t>(any()) - static_cast<std::int32_t>(size / 2);
      for (std::uint32_t i = first; i < std::min(size, first + size / 16 + 1); ++i) keys[i] += offset;
      break;
    }
    case 4: std::rotate(keys.begin(), keys.begin() + any(), keys.end()); break;
    case 5: std::reverse(keys.begin(), keys.end()); break;
    case 6:  // swapped neighbours
      for (std::uint32_t i = random.below(size); i > 0; --i) {
        const std::uint32_t at = any();
        if (at > 0) std::swap(keys[at], keys[at - 1]);
      }
      break;
    default:
      for (std::int32_t& key : keys) key = static_cast<std::int32_t>(random.below(1 + 2 * size));
  }
  return keys;
}

TEST(Sort, AnyDisorderAgreesWithAStableSort) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    const std::vector<std::int32_t> keys = disordered(random, 1 + random.below(1500));
    Registry registry;
    register_place(registry);
    for (const std::int32_t key : keys) {
      const Entity entity = registry.create();
      registry.add<Place>(entity, {key, entity.index});
      registry.add<Weight>(entity, {key, entity.index});
    }
    std::vector<std::int32_t> by_index(keys.size() + registry.pool<Place>().indices()[0]);
    for (std::size_t i = 0; i < keys.size(); ++i) by_index[registry.pool<Place>().indices()[i]] = keys[i];
    const std::vector<std::uint32_t> expected = sorted_model(registry.pool<Place>().indices(), by_index);
    sort_by<Place>(registry, [](const Place& place) { return place.key; });
    ASSERT_EQ(indices_of(registry.pool<Place>()), expected);
    sort<Weight>(registry, [](const Weight& a, const Weight& b) { return a.key < b.key; });
    ASSERT_EQ(indices_of(registry.pool<Weight>()), expected);
    for (std::uint32_t position = 0; position < expected.size(); ++position) {
      ASSERT_EQ(registry.pool<Place>().typed_address<Place>(position)->id, expected[position]);
      ASSERT_EQ(registry.pool<Weight>().typed_address<Weight>(position)->id, expected[position]);
    }
    sort<Weight>(registry, [](const Weight& a, const Weight& b) { return a.key > b.key; });
    ASSERT_EQ(indices_of(registry.pool<Weight>()), sorted_model(expected, by_index, std::greater<>()));
    registry.check();
  }
}

TEST(Sort, RepeatedSortsAgreeWithAStableSort) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    Registry registry;
    register_place(registry);
    SortScratch scratch;
    std::vector<Entity> entities;
    for (int round = 0; round < 60; ++round) {
      for (std::uint32_t i = random.below(80); i > 0; --i) {
        const Entity entity = entities.emplace_back(registry.create());
        registry.add<Place>(entity, {static_cast<std::int32_t>(random.below(5000)), entity.index});
      }
      for (std::uint32_t i = random.below(20); i > 0 && !entities.empty(); --i) {
        const std::uint32_t at = random.below(static_cast<std::uint32_t>(entities.size()));
        if (random.chance(1, 2)) {
          registry.get<Place>(entities[at]).key += static_cast<std::int32_t>(random.below(100));
        } else {
          registry.destroy(entities[at]);
          entities.erase(entities.begin() + at);
        }
      }
      const Pool& pool = registry.pool<Place>();
      std::vector<std::int32_t> by_index(10000);
      for (const Entity entity : entities) by_index[entity.index] = registry.get<const Place>(entity).key;
      const std::vector<std::uint32_t> expected = sorted_model(pool.indices(), by_index);
      if (round % 2 == 0) {
        sort_by<Place>(registry, [](const Place& place) { return place.key; }, scratch);
      } else {
        sort<Place>(registry, [](const Place& a, const Place& b) { return a.key < b.key; }, scratch);
      }
      ASSERT_EQ(indices_of(pool), expected);
      registry.check();
    }
  }
}

TEST(Sort, MovesComponentsThatAreNotPlainBytes) {
  constexpr std::uint64_t seed = 5;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  Registry registry;
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i < 700; ++i) {
    const Entity entity = registry.create();
    const auto key = static_cast<std::int32_t>(random.below(400));
    texts.resize(entity.index + 1);
    texts[entity.index] = "a text that is too long to be kept in place " + std::to_string(key);
    registry.emplace<Deed>(entity, std::make_unique<std::int32_t>(key));
    registry.emplace<Name>(entity, texts[entity.index]);
  }
  Pool& deeds = registry.pool<Deed>();
  Pool& names = registry.pool<Name>();
  sort<Name>(registry, [](const Name& a, const Name& b) { return a.text < b.text; });
  EXPECT_EQ(indices_of(names), sorted_model(deeds.indices(), texts));
  for (std::uint32_t position = 0; position < names.size(); ++position)
    ASSERT_EQ(names.typed_address<Name>(position)->text, texts[names.indices()[position]]);

  std::vector<std::int32_t> keys(texts.size());
  for (std::uint32_t position = 0; position < deeds.size(); ++position)
    keys[deeds.indices()[position]] = *deeds.typed_address<Deed>(position)->key;
  const std::vector<std::uint32_t> expected = sorted_model(deeds.indices(), keys);
  sort_by<Deed>(registry, [](const Deed& deed) { return *deed.key; });
  EXPECT_EQ(indices_of(deeds), expected);
  for (std::uint32_t position = 0; position < deeds.size(); ++position)
    ASSERT_EQ(*deeds.typed_address<Deed>(position)->key, keys[expected[position]]);
  registry.check();
}

TEST(Sort, TakesAPoolOfAnyInstanceName) {
  Registry registry;
  const PoolId fog = registry.pool_of<Weight>("Fog");
  const Entity a = registry.create();
  const Entity b = registry.create();
  registry.add<Weight>(a, {2, 0}, fog);
  registry.add<Weight>(b, {1, 0}, fog);
  sort_by<Weight>(registry.pool(fog), [](const Weight& weight) { return weight.key; });
  EXPECT_EQ(indices_of(registry.pool(fog)), (std::vector{b.index, a.index}));
}

TEST(SortAs, PutsTheLeadsEntitiesFirstThenTheOthers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    Registry registry;
    register_place(registry);
    for (int i = 0; i < 900; ++i) {
      const Entity entity = registry.create();
      if (random.chance(2, 3)) registry.add<Weight>(entity, {static_cast<std::int32_t>(random.below(50)), 0});
      if (random.chance(2, 3)) registry.add<Place>(entity, {0, entity.index});
    }
    Pool& pool = registry.pool<Place>();
    const Pool& lead = registry.pool<Weight>();
    sort_by<Weight>(registry, [](const Weight& weight) { return weight.key; });
    std::vector<std::uint32_t> expected;
    for (const std::uint32_t index : lead.indices())
      if (pool.contains(index)) expected.push_back(index);
    for (const std::uint32_t index : pool.indices())
      if (!lead.contains(index)) expected.push_back(index);
    sort_as(pool, lead);
    EXPECT_EQ(indices_of(pool), expected);
    for (std::uint32_t position = 0; position < pool.size(); ++position)
      ASSERT_EQ(pool.typed_address<Place>(position)->id, expected[position]);
    registry.check();

    registry.set_tick(9);
    sort_as(pool, lead);
    for (const Tick tick : pool.change_ticks()) ASSERT_EQ(tick, 1u) << "it was in that order";
  }
}

struct Marks : testing::Test {
  Registry registry;
  std::vector<Entity> entities;

  Marks() {
    register_place(registry);
    for (std::int32_t i = 0; i < 1000; ++i) {
      const Entity entity = entities.emplace_back(registry.create());
      registry.add<Place>(entity, {i, entity.index});
    }
    registry.clear_journal();
    registry.set_tick(2);
  }
  void set_key(std::size_t i, std::int32_t key) {  // without marking the block
    const Pool& pool = registry.pool<Place>();
    pool.typed_address<Place>(pool.find(entities[i].index))->key = key;
  }
  std::vector<std::uint32_t> changed_blocks() {
    std::vector<std::uint32_t> blocks;
    const std::span<const Tick> change_ticks = registry.pool<Place>().change_ticks();
    for (std::uint32_t block = 0; block < change_ticks.size(); ++block)
      if (change_ticks[block] == 2) blocks.push_back(block);
    return blocks;
  }
  void sort_by_key() {
    sort_by<Place>(registry, [](const Place& place) { return place.key; });
  }
  void sort_by_comparing() {
    sort<Place>(registry, [](const Place& a, const Place& b) { return a.key < b.key; });
  }
};

TEST_F(Marks, ASortThatMovesNothingMarksNothing) {
  const std::uint64_t version = registry.pool<Place>().version();
  sort_by_key();
  sort_by_comparing();
  EXPECT_EQ(changed_blocks(), std::vector<std::uint32_t>());
  EXPECT_EQ(registry.pool<Place>().version(), version);
}

TEST_F(Marks, OnlyBlocksWithMovesAreMarked) {
  set_key(130, 132);  // block 2: after 131 and before the other 132
  set_key(702, 320);  // from block 10 to block 5: entries between move up
  set_key(900, 897);
  sort_by_key();
  EXPECT_EQ(changed_blocks(), (std::vector<std::uint32_t>{2, 5, 6, 7, 8, 9, 10, 14}));
  registry.check();
}

TEST_F(Marks, AnOrderIsNoStructuralChange) {
  set_key(0, 5000);
  sort_by_comparing();
  EXPECT_EQ(changed_blocks().size(), registry.pool<Place>().change_ticks().size());
  EXPECT_TRUE(registry.journal().empty());
  registry.check();
}

TEST_F(Marks, AComparatorThatThrowsChangesNothing) {
  for (std::size_t i = 0; i < 1000; i += 3) set_key(i, static_cast<std::int32_t>(i * 7919 % 1000));
  const std::vector<std::uint32_t> before = indices_of(registry.pool<Place>());
  for (const int calls : {1, 500, 4000}) {
    int left = calls;
    const auto compare = [&](const Place& a, const Place& b) {
      if (left-- == 0) throw std::runtime_error("enough");
      return a.key < b.key;
    };
    EXPECT_THROW(sort<Place>(registry, compare), std::runtime_error);
    EXPECT_EQ(indices_of(registry.pool<Place>()), before);
    EXPECT_EQ(registry.pool<Place>().order_owner(), OrderOwner::nobody);
    registry.check();
  }
  EXPECT_EQ(changed_blocks(), std::vector<std::uint32_t>());
}

TEST_F(Marks, WithAKeptScratchASortAllocatesNothing) {
  SortScratch scratch;
  const auto reverse = [](const Place& place) { return -place.key; };
  const auto sort_all_ways = [&] {
    sort_by<Place>(registry, reverse, scratch);
    sort<Place>(registry, [](const Place& a, const Place& b) { return a.key < b.key; }, scratch);
    sort_as(registry.pool<Place>(), registry.pool<Place>(), scratch);
  };
  sort_all_ways();
  const std::uint64_t before = test::allocations();
  sort_all_ways();
  EXPECT_EQ(test::allocations(), before);
}

TEST_F(Marks, AnAllocationThatFailsChangesNothing) {
  const auto group = registry.group<Place>();
  const std::vector<std::uint32_t> before = indices_of(registry.pool<Place>());
  bool done = false;
  for (std::uint64_t nth = 1; !done; ++nth) {
    const test::FailingAllocation failing(nth);
    try {
      sort_by<Place>(group, [](const Place& place) { return -place.key; });
      done = true;
    } catch (const std::bad_alloc&) {
      ASSERT_EQ(indices_of(registry.pool<Place>()), before);
    }
  }
  EXPECT_EQ(changed_blocks().size(), registry.pool<Place>().change_ticks().size());
  registry.check();
}

TEST(Sort, APoolWithAnOrderOwnerAsserts) {
  Registry registry;
  const Entity entity = registry.create();
  registry.add<Weight>(entity, {1, 0});
  static_cast<void>(registry.group<Weight>());
  const auto key = [](const Weight& weight) { return weight.key; };
  EXPECT_DEATH(sort_by<Weight>(registry, key), "the order of pool .*Weight already has an owner");
  EXPECT_DEATH(sort_as(registry.pool<Weight>(), registry.pool<Mark>()), "already has an owner");
  registry.pool<Mark>().claim_order(OrderOwner::hierarchy);
  EXPECT_DEATH(sort_by<Mark>(registry, [](const Mark& mark) { return mark.id; }), "already has an owner");
  EXPECT_DEATH(sort_by<Mark>(registry.pool<Weight>(), [](const Mark& mark) { return mark.id; }), "by its own type");
}

TEST(Sort, SortingDuringIterationAsserts) {
  Registry registry;
  registry.add<Weight>(registry.create(), {1, 0});
  const auto key = [](const Weight& weight) { return weight.key; };
  const auto group = registry.group<>(with<Weight>);
  EXPECT_DEATH(registry.view<Weight>().each([&](Weight&) { sort_by<Weight>(registry, key); }), "is iterated");
  EXPECT_DEATH(group.each([&](Weight&) { sort_by<Weight>(group, key); }), "is iterated");
}

}  // namespace
}  // namespace mobula::ecs::sort_test
