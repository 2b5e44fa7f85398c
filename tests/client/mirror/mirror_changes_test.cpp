#include <mobula/client/mirror/mirror_changes.hpp>

#include <gmock/gmock.h>

#include <array>
#include <mobula/core/random.hpp>
#include <seeds.hpp>
#include <set>

namespace mobula::client::mirror_changes_test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

constexpr ecs::Entity one{.index = 5, .generation = 1};
constexpr ecs::Entity other{.index = 900, .generation = 7};

TEST(MirrorChanges, ListsNothingBeforeItIsHandedOut) {
  MirrorChanges changes;
  changes.add(one, ChangeKind::spawned);
  EXPECT_THAT(changes.list(), IsEmpty());
  changes.hand_out();
  EXPECT_THAT(changes.list(), ElementsAre(Change{one, ChangeKind::spawned, ecs::no_pool}));
  changes.add(one, 0, 3);
  EXPECT_THAT(changes.list(), ElementsAre(Change{one, ChangeKind::spawned, ecs::no_pool}));
  changes.hand_out();
  EXPECT_THAT(changes.list(), ElementsAre(Change{one, ChangeKind::changed, 3}));
  changes.hand_out();
  EXPECT_THAT(changes.list(), IsEmpty());
}

TEST(MirrorChanges, ListsAComponentOncePerHandOut) {
  MirrorChanges changes;
  for (int hand_outs = 0; hand_outs < 2; ++hand_outs) {
    changes.add(std::array{one, other, one}, std::array{3u, 8u, 3u}, 0);
    changes.add(one, 3, 1);
    changes.add(other, 8, 0);
    changes.hand_out();
    EXPECT_THAT(changes.list(), ElementsAre(Change{one, ChangeKind::changed, 0}, Change{other, ChangeKind::changed, 0},
                                            Change{one, ChangeKind::changed, 1}));
  }
}

TEST(MirrorChanges, ListsNoMarkedComponent) {
  MirrorChanges changes;
  const std::array<ecs::PoolId, 2> pools{2, 4};
  changes.mark(7);
  changes.mark_as(7, 9, pools);
  changes.add(one, 5, 2);
  changes.mark_as(5, 6, pools);
  for (const std::uint32_t id : {7u, 9u, 6u})
    for (const ecs::PoolId pool : pools) changes.add({id, 1}, id, pool);
  EXPECT_TRUE(changes.is_marked(7, 4));
  EXPECT_FALSE(changes.is_marked(5, 4));
  changes.hand_out();
  EXPECT_THAT(changes.list(), ElementsAre(Change{one, ChangeKind::changed, 2}, Change{{6, 1}, ChangeKind::changed, 4}));
  EXPECT_FALSE(changes.is_marked(7, 4));
  EXPECT_FALSE(changes.is_marked(5, 2));
}

// A server may declare thousands of components, and use the greatest ids.
TEST(MirrorChanges, PagesAreDroppedAtAHandOut) {
  constexpr std::uint32_t pools = 4096;
  constexpr std::uint32_t last_id = (1u << 18) - 1;
  MirrorChanges changes;
  for (int hand_outs = 0; hand_outs < 20; ++hand_outs) {
    changes.mark(last_id);
    for (ecs::PoolId pool = 0; pool < pools; ++pool) changes.add(one, last_id - 1, pool);
    EXPECT_LE(changes.mark_bytes(), std::size_t{40} << 20);
    changes.hand_out();
    EXPECT_EQ(changes.list().size(), pools);
  }
  EXPECT_LE(changes.mark_bytes(), 4 * (last_id + 1) + MirrorChanges::pages_kept_max);
}

TEST(MirrorChanges, RandomOnesEqualAReferenceModel) {
  test::for_each_seed(1, test::few_or_all(5, 50), 400, [](std::uint64_t seed) {
    core::Random random(seed);
    MirrorChanges changes;
    std::vector<Change> expected;
    std::set<std::pair<std::uint32_t, ecs::PoolId>> marked;
    constexpr ecs::PoolId pools = 3;
    constexpr std::array<ecs::PoolId, pools> all_pools{0, 1, 2};
    for (int step = 0; step < 400; ++step) {
      const std::uint32_t id = random.below(200);
      const ecs::Entity entity{id + 1000, 1};
      const ecs::PoolId pool = random.below(pools);
      switch (random.below(20)) {
        case 0:
          changes.add(entity, ChangeKind::lost);
          expected.push_back({entity, ChangeKind::lost, ecs::no_pool});
          break;
        case 1:
          changes.hand_out();
          ASSERT_THAT(changes.list(), ElementsAreArray(expected));
          expected.clear();
          marked.clear();
          break;
        case 2:
          changes.mark(id);
          for (ecs::PoolId each = 0; each < pools; ++each) marked.emplace(id, each);
          break;
        case 3: {
          const std::uint32_t other_id = random.below(200);
          changes.mark_as(other_id, id, all_pools);
          for (ecs::PoolId each = 0; each < pools; ++each)
            if (marked.contains({other_id, each})) marked.emplace(id, each);
          break;
        }
        default:
          changes.add(entity, id, pool);
          if (marked.emplace(id, pool).second) expected.push_back({entity, ChangeKind::changed, pool});
      }
    }
  });
}

}  // namespace
}  // namespace mobula::client::mirror_changes_test
