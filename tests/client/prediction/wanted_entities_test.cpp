#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <client/prediction/court.hpp>
#include <mobula/client/prediction/wanted_entities.hpp>

namespace mobula::client::wanted_entities_test {
namespace {

using testing::ElementsAre;

constexpr std::uint32_t mirror_number = 1;

class Wanted : public testing::Test {
 protected:
  Wanted() : mirror(std::move(*Mirror::make(test::court_schema(), 10'000))) {}
  std::vector<ecs::Entity> list(ecs::Entity own = {}) {
    std::vector<ecs::Entity> found;
    wanted.list(*mirror, own, found);
    return found;
  }
  ecs::Entity show(std::uint32_t index, std::uint32_t generation = 1) {
    mirror->registry().create_given({index, generation});
    return {index, generation};
  }

  std::unique_ptr<Mirror> mirror;
  WantedEntities wanted;
};

TEST_F(Wanted, ListsOwnThenSpawnedThenChosenEntities) {
  const ecs::Entity own = show(9);
  const ecs::Entity crate = show(1);
  const ecs::Entity stone = show(5);
  for (const ecs::Entity each : {crate, own, crate}) wanted.choose(each, true, mirror_number);
  wanted.add_spawned(stone);
  wanted.add_spawned(stone);
  EXPECT_THAT(list(own), ElementsAre(own, stone, crate));
  EXPECT_THAT(list(), ElementsAre(stone, own, crate));
  wanted.choose(crate, false, mirror_number);
  wanted.choose(stone, false, mirror_number);
  EXPECT_THAT(list(own), ElementsAre(own));
}

TEST_F(Wanted, KeepsAnEntityThatIsNotInTheMirrorYet) {
  wanted.choose({7, 2}, true, mirror_number);
  show(7, 1);
  EXPECT_THAT(list(), ElementsAre(ecs::Entity{7, 2}));
}

TEST_F(Wanted, ForgetsAnEntityWhoseIndexALaterOneHas) {
  wanted.choose({7, 2}, true, mirror_number);
  show(7, 3);
  EXPECT_TRUE(list().empty());
  EXPECT_EQ(wanted.chosen(), 0u);
}

TEST_F(Wanted, ForgetsTheOldestOfTooManyAbsentEntities) {
  const ecs::Entity here = show(0);
  wanted.choose(here, true, mirror_number);
  for (std::uint32_t i = 1; i <= WantedEntities::absent_max + 5; ++i) wanted.choose({i, 1}, true, mirror_number);
  const std::vector<ecs::Entity> kept = list();
  ASSERT_EQ(kept.size(), WantedEntities::absent_max + 1);
  EXPECT_EQ(kept[0], here);
  EXPECT_EQ(kept[1].index, 6u);
}

TEST_F(Wanted, ForgetsEntitiesOfAnotherMirror) {
  wanted.choose(show(1), true, mirror_number);
  wanted.begin_mirror(mirror_number);
  EXPECT_EQ(list().size(), 1u);
  wanted.begin_mirror(mirror_number + 1);
  EXPECT_TRUE(list().empty());
}

TEST(WantedEntities, ForgetADestroyedEntity) {
  test::Court court(2, {});
  test::Court::Guest& guest = court.join_settled();
  const Mirror& mirror = *guest.connection().mirror();
  WantedEntities wanted;
  for (const ecs::Entity crate : court.game.crates) wanted.choose(crate, true, mirror_number);
  court.disturb_once([&](server::World& world) { world.destroy(court.game.crates[0]); });
  court.ticks(10);
  ASSERT_FALSE(mirror.registry().valid(court.game.crates[0]));
  std::vector<ecs::Entity> found;
  wanted.list(mirror, {}, found);
  EXPECT_THAT(found, ElementsAre(court.game.crates[1]));
}

}  // namespace
}  // namespace mobula::client::wanted_entities_test
