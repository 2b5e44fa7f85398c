#include <gtest/gtest.h>

#include <reflect/compile_schema.hpp>
#include <server/rewind/rewound_world.hpp>

namespace mobula::server {
namespace {

class ShadowMirrorTest : public testing::Test {
 protected:
  ShadowMirrorTest() : tested(5, test::load_game_schema_without_courses(), 0, 0) {}

  void ticks(int count) {
    for (int i = 0; i < count; ++i) tested.tick(3);
  }
  wire::SeenDeltas seen() {
    tested.replica->acknowledge(tested.replica->client.input());
    return tested.replica->client.seen();
  }
  const char* advance(const wire::SeenDeltas& deltas) {
    const core::Status advanced = tested.shadow().advance(deltas, tested.replica->view.settled());
    return advanced ? "advanced" : advanced.error().reason;
  }

  test::RewoundWorld tested;
};

TEST_F(ShadowMirrorTest, FollowsTheDeltasOfEachCommand) {
  ticks(5);
  const wire::SeenDeltas first = seen();
  const ecs::Tick then = tested.mirror().tick();
  ticks(5);
  const wire::SeenDeltas second = seen();
  EXPECT_STREQ(advance(first), "advanced");
  EXPECT_EQ(tested.shadow().newest_tick(), then);
  EXPECT_STREQ(advance(first), "advanced") << "two commands of one moment";
  EXPECT_STREQ(advance(second), "advanced");
  EXPECT_EQ(tested.shadow().newest_tick(), tested.mirror().tick());
}

TEST_F(ShadowMirrorTest, RefusesUnknownDeltas) {
  ticks(5);
  wire::SeenDeltas deltas = seen();
  EXPECT_STREQ(advance({}), "unknown deltas");
  deltas.newest = tested.replica->client.newest + 1;
  EXPECT_STREQ(advance(deltas), "unknown deltas");
  EXPECT_EQ(tested.shadow().newest_tick(), 0u) << "nothing was applied";
}

TEST_F(ShadowMirrorTest, RefusesToGoBack) {
  ticks(5);
  const wire::SeenDeltas first = seen();
  ticks(5);
  wire::SeenDeltas second = seen();
  EXPECT_STREQ(advance(second), "advanced");
  const ecs::Tick newest = tested.shadow().newest_tick();
  EXPECT_STREQ(advance(first), "outdated deltas");
  second.received &= ~4ull;
  EXPECT_STREQ(advance(second), "outdated deltas");
  EXPECT_EQ(tested.shadow().newest_tick(), newest);
}

// Acknowledged deltas of old ticks are applied although no command comes.
TEST_F(ShadowMirrorTest, ItsMemoryIsBoundedWithoutCommands) {
  tested.world.entities_max = 30;
  ticks(300);
  const std::size_t bytes = tested.shadow().bytes();
  const wire::SeenDeltas old = seen();
  ticks(600);
  EXPECT_LT(tested.shadow().bytes(), 2 * bytes + 4096);
  EXPECT_STREQ(advance(old), "outdated deltas");
  EXPECT_STREQ(advance(seen()), "advanced");
  EXPECT_EQ(tested.shadow().newest_tick(), tested.mirror().tick());
}

TEST_F(ShadowMirrorTest, AnEntityThatLeavesIsOutOfViewUntilItReturns) {
  tested.leaves = false;
  const ecs::Entity entity = tested.world.registry.create();
  tested.world.registry.add<engine::Transform>(entity);
  ticks(10);
  ASSERT_STREQ(advance(seen()), "advanced");
  EXPECT_EQ(tested.shadow().sight(entity), Sight::shown);
  const std::uint32_t index[] = {entity.index};
  tested.replica->view.remove_visible(index);
  tested.returns = false;
  ticks(5);
  ASSERT_STREQ(advance(seen()), "advanced");
  EXPECT_TRUE(tested.mirror().is_stale(entity));
  EXPECT_EQ(tested.shadow().sight(entity), Sight::out_of_view);
  tested.returns = true;
  ticks(20);
  ASSERT_STREQ(advance(seen()), "advanced");
  EXPECT_EQ(tested.shadow().sight(entity), Sight::shown);
  tested.world.registry.destroy(entity);
  ticks(5);
  ASSERT_STREQ(advance(seen()), "advanced");
  EXPECT_EQ(tested.shadow().sight(entity), Sight::absent);
}

// The client may have received the loss first. Then it still shows the entity that had the index before.
TEST(ShadowMirror, AnIndexIsUnknownAfterAStateAndItsLossInAnyOrder) {
  using Kind = Carried::Kind;
  const ecs::Entity former{.index = 7, .generation = 1};
  const ecs::Entity later{.index = 7, .generation = 2};
  ShadowMirror shadow;
  const auto send = [&](std::uint32_t sequence, Kind kind, ecs::Entity entity, std::uint32_t id) {
    shadow.begin_delta(sequence, 10 + sequence);
    shadow.add({.entity = entity, .id = id, .kind = kind, .kept = true});
  };
  send(1, Kind::full, former, 0);
  ASSERT_TRUE(shadow.advance({.newest = 1, .received = 0b1}, 0));
  send(2, Kind::full, later, 1);
  send(3, Kind::lost, later, 1);
  ASSERT_TRUE(shadow.advance({.newest = 3, .received = 0b111}, 0));
  EXPECT_EQ(shadow.sight(former), Sight::unknown);
  EXPECT_EQ(shadow.sight(later), Sight::unknown);
  EXPECT_EQ(shadow.sight({.index = 8, .generation = 1}), Sight::absent);
}

// Without commands, each tick settles a few deltas. Their order is known as little as if one command had all of them,
// but a client reads no delta that is late_max behind.
TEST(ShadowMirror, SettledDeltasHaveNoOrderEither) {
  using Kind = Carried::Kind;
  const ecs::Entity entity{.index = 7, .generation = 1};
  for (const auto& [between, sight] : {std::pair{0u, Sight::unknown}, {wire::late_max, Sight::absent}}) {
    ShadowMirror shadow;
    std::uint32_t sequence = 0;
    const auto send = [&](std::optional<Kind> kind) {
      ++sequence;
      shadow.begin_delta(sequence, sequence);
      if (kind) shadow.add({.entity = entity, .id = 0, .kind = *kind, .kept = true, .destroyed = true});
      shadow.note_acknowledged(sequence);
      shadow.settle(sequence + 1, sequence);
    };
    send(Kind::full);
    for (std::uint32_t i = 1; i < between; ++i) send(std::nullopt);
    send(Kind::lost);
    EXPECT_EQ(shadow.sight(entity), sight) << between;
  }
}

}  // namespace
}  // namespace mobula::server
