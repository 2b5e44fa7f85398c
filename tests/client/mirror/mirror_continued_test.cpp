// A client's second mirror, of the same entities, that continues its first one.
#include <gmock/gmock.h>

#include <client/mirror/mirror_fixture.hpp>

namespace mobula::client {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The worlds create the same handles.
class MirrorContinuedTest : public MirrorTest {
 protected:
  MirrorContinuedTest() { begin(); }
  void begin() { second.mirror = std::move(*Mirror::make(second.world.schema, source.entities_max, &mirror())); }
  ecs::Entity create() {
    const ecs::Entity entity = source.create();
    EXPECT_EQ(second.create(), entity);
    return entity;
  }
  std::span<const Change> continued() {
    EXPECT_TRUE(second.mirror->continue_from(mirror()));
    second.mirror->check();
    second.mirror->hand_out_changes();
    return second.mirror->changes();
  }
  ecs::Registry& theirs() { return second.world.registry; }

  test::MirroredWorld second;
};

TEST_F(MirrorContinuedTest, ListsNothingThatIsTheSame) {
  create();
  source.replicate();
  second.replicate();
  changes();
  EXPECT_THAT(continued(), IsEmpty());
}

TEST_F(MirrorContinuedTest, ListsTheDifferences) {
  const ecs::Entity same = create();
  const ecs::Entity hurt = create();
  const ecs::Entity other = create();
  const ecs::Entity owned = create();
  const ecs::Entity gone = create();
  source.replicate();
  changes();
  theirs().destroy(gone);
  const ecs::Entity fresh = second.create();
  theirs().get<demo::Health>(hurt).current = 3;
  theirs().add<demo::Team>(other);
  second.replicate();
  second.view.update_owners([&](std::uint32_t index) { return index == owned.index; });
  second.replicate();
  EXPECT_THAT(continued(),
              UnorderedElementsAre(Change{gone, ChangeKind::destroyed}, Change{fresh, ChangeKind::spawned},
                                   Change{hurt, ChangeKind::changed, pool_of("Health")},
                                   Change{other, ChangeKind::composed}, Change{owned, ChangeKind::composed}));
  EXPECT_TRUE(second.mirror->registry().valid(same));
}

TEST_F(MirrorContinuedTest, StaleEntitiesAreGainedAndLost) {
  const ecs::Entity gained = create();
  const ecs::Entity lost = create();
  source.replicate();
  second.replicate();
  source.view.remove_visible({&gained.index, 1});
  second.view.remove_visible({&lost.index, 1});
  source.replicate();
  second.replicate();
  changes();
  EXPECT_THAT(continued(), ElementsAre(Change{gained, ChangeKind::spawned}, Change{lost, ChangeKind::lost}));
}

TEST_F(MirrorContinuedTest, ChangesNotHandedOutComeFirst) {
  const ecs::Entity entity = create();
  source.replicate();
  second.replicate();
  theirs().get<demo::Health>(entity).current = 3;
  second.replicate();
  EXPECT_THAT(continued(),
              ElementsAre(Change{entity, ChangeKind::spawned}, Change{entity, ChangeKind::changed, pool_of("Health")}));
  theirs().get<demo::Health>(entity).current = 4;
  second.replicate();
  second.mirror->hand_out_changes();
  EXPECT_THAT(second.mirror->changes(), ElementsAre(Change{entity, ChangeKind::changed, pool_of("Health")}));
}

TEST_F(MirrorContinuedTest, ComponentsHaveTheSameIds) {
  const ecs::Entity entity = create();
  for (const char* const side : {"left", "right"}) {
    registry.add<demo::Health>(entity, {}, registry.pool_of<demo::Health>(side));
    source.replicate();
  }
  begin();
  for (const char* const side : {"right", "left"}) {
    theirs().add<demo::Health>(entity, {}, theirs().pool_of<demo::Health>(side));
    second.replicate();
  }
  changes();
  EXPECT_THAT(continued(), IsEmpty());
}

// The first mirror has learnt of a component since the second one was made.
TEST_F(MirrorContinuedTest, WithOtherIdsAllIsListedAsSpawned) {
  const ecs::Entity entity = create();
  theirs().add<demo::Health>(entity, {}, theirs().pool_of<demo::Health>("right"));
  second.replicate();
  registry.add<demo::Health>(entity, {}, registry.pool_of<demo::Health>("left"));
  source.replicate();
  EXPECT_FALSE(second.mirror->continue_from(mirror()));
  second.mirror->hand_out_changes();
  EXPECT_THAT(second.mirror->changes(), ElementsAre(Change{entity, ChangeKind::spawned}));
}

}  // namespace
}  // namespace mobula::client
