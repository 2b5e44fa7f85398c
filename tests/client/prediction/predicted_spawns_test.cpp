#include <gtest/gtest.h>

#include <court/components.hpp>
#include <mobula/client/prediction/predicted_spawns.hpp>

namespace mobula::client::predicted_spawns_test {
namespace {

constexpr std::uint32_t player = 3;
using Kind = SpawnNotice::Kind;

class Spawns : public testing::Test {
 protected:
  Spawns()
      : mirror(std::move(*Mirror::make(*reflect::Schema::load(court::schema_bytes()), 100))),
        set(std::move(*PredictedSet::make(*mirror, rules, player))) {}

  ecs::Entity spawn(std::uint32_t command, std::uint8_t ordinal = 0) {
    const ecs::Entity entity = set->stepped().next_local;
    set->registry().create_given(entity);
    set->registry().add(entity, engine::SpawnKey{.tick = 5, .player = player, .command = command, .ordinal = ordinal});
    ++set->stepped().next_local.index;
    set->stepped().alive.push_back(entity);
    return entity;
  }
  std::vector<Kind> kinds() {
    std::vector<Kind> all;
    for (const SpawnNotice& notice : spawns.notices()) all.push_back(notice.kind);
    return all;
  }

  prediction::Rules rules{.step = [](prediction::PredictedWorld&, ecs::Tick, std::span<const prediction::Command>) {}};
  std::unique_ptr<Mirror> mirror;
  std::unique_ptr<PredictedSet> set;
  PredictedSpawns spawns;
};

TEST_F(Spawns, AreNotedOnce) {
  spawn(7);
  spawns.update(*set);
  EXPECT_EQ(kinds(), (std::vector{Kind::spawned}));
  spawns.clear_notices();
  spawns.update(*set);
  EXPECT_TRUE(kinds().empty());
  EXPECT_EQ(spawns.locals().size(), 1u);
}

TEST_F(Spawns, MatchedOnesNameBothHandles) {
  const ecs::Entity local = spawn(7);
  spawns.update(*set);
  spawns.clear_notices();
  const std::array matched{
      MatchedSpawn{.local = local, .real = {3, 1}, .key = {.tick = 6, .player = player, .command = 7, .ordinal = 0}}};
  spawns.on_matched(matched);
  set->stepped().alive.clear();
  spawns.update(*set);
  ASSERT_EQ(kinds(), (std::vector{Kind::matched}));
  EXPECT_EQ(spawns.notices()[0].local, local);
  EXPECT_EQ(spawns.notices()[0].real, (ecs::Entity{3, 1}));
}

TEST_F(Spawns, AnotherCommandUnderTheSameHandleIsAnother) {
  const ecs::Entity local = spawn(7);
  spawns.update(*set);
  spawns.clear_notices();
  set->registry().get<engine::SpawnKey>(local).command = 8;
  spawns.update(*set);
  EXPECT_EQ(kinds(), (std::vector{Kind::vanished, Kind::spawned}));
}

TEST_F(Spawns, VanishWithTheirEntitiesAndInTheEnd) {
  spawn(7, 0);
  spawn(7, 1);
  spawns.update(*set);
  spawns.clear_notices();
  set->stepped().alive.pop_back();
  spawns.update(*set);
  EXPECT_EQ(kinds(), (std::vector{Kind::vanished}));
  EXPECT_EQ(spawns.notices()[0].key.ordinal, 1);
  spawns.clear_notices();
  spawns.clear();
  EXPECT_EQ(kinds(), (std::vector{Kind::vanished}));
  EXPECT_TRUE(spawns.locals().empty());
}

}  // namespace
}  // namespace mobula::client::predicted_spawns_test
