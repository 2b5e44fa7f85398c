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
  changes.mark(7, pools);
  changes.mark_as(7, 9, {pools.data(), 1});
  for (const std::uint32_t id : {7u, 9u})
    for (const ecs::PoolId pool : pools) changes.add({id, 1}, id, pool);
  EXPECT_EQ(changes.marked(7, 4), changes.number());
  changes.hand_out();
  EXPECT_THAT(changes.list(), ElementsAre(Change{{9, 1}, ChangeKind::changed, 4}));
  EXPECT_NE(changes.marked(7, 4), changes.number());
}

TEST(MirrorChanges, RandomOnesEqualAReferenceModel) {
  test::for_each_seed(1, test::few_or_all(5, 50), 400, [](std::uint64_t seed) {
    core::Random random(seed);
    MirrorChanges changes;
    std::vector<Change> expected;
    std::set<std::pair<std::uint32_t, ecs::PoolId>> marked;
    for (int step = 0; step < 400; ++step) {
      const std::uint32_t id = random.below(200);
      const ecs::Entity entity{id + 1000, 1};
      const ecs::PoolId pool = random.below(3);
      switch (random.below(9)) {
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
          changes.mark(id, {&pool, 1});
          marked.emplace(id, pool);
          break;
        default:
          changes.add(entity, id, pool);
          if (marked.emplace(id, pool).second) expected.push_back({entity, ChangeKind::changed, pool});
      }
    }
  });
}

}  // namespace
}  // namespace mobula::client::mirror_changes_test
