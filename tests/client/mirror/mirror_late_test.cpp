// Deltas that arrive out of order.
#include <client/mirror/mirror_fixture.hpp>
#include <client/mirror_tamper.hpp>

namespace mobula::client {
namespace {

TEST_F(MirrorTest, ALateDeltaIsABaselineAndNotShown) {
  const ecs::Entity entity = source.create();
  source.replicate();
  const core::Bytes older = delta_of_health(entity, 6);
  const core::Bytes newer = delta_of_health(entity, 7);
  apply(newer);
  apply(older);
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 7);
  EXPECT_EQ(mirror().tick_of(entity), 3u);
  expect_equal();
  source.acknowledge();
  const core::Bytes next = delta_of_health(entity, 8);  // is encoded against both
  apply(next);
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 8);
  EXPECT_EQ(mirror().verify(*wire::read_delta_header(next)), true);
}

TEST_F(MirrorTest, ALateDeltaShowsEntitiesThatNewerOnesDoNotHold) {
  const ecs::Entity a = source.create();
  const ecs::Entity b = source.create();
  source.replicate();
  const core::Bytes of_a = delta_of_health(a, 6);
  const core::Bytes of_b = delta_of_health(b, 7);
  apply(of_b);
  apply(of_a);
  EXPECT_EQ(mirrored<demo::Health>(a).current, 6);
  EXPECT_EQ(mirror().tick_of(a), 2u);
  EXPECT_EQ(mirror().tick_of(b), 3u);
  EXPECT_EQ(mirror().tick(), 3u);
  expect_equal();
}

TEST_F(MirrorTest, ALateDeltaDoesNotRevertAStaleEntity) {
  const ecs::Entity entity = source.create();
  const auto [gained, lost] = gain_twice(entity);
  source.view.remove_visible({&entity.index, 1});
  apply(source.delta());
  ASSERT_TRUE(mirror().is_stale(entity));
  apply(gained);
  EXPECT_TRUE(mirror().is_stale(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 7);
  apply(lost);
  EXPECT_EQ(mirror().size(), 0u);
  EXPECT_TRUE(mirror().is_stale(entity));
}

TEST_F(MirrorTest, ALateDeltaDoesNotReviveADestroyedEntity) {
  const ecs::Entity entity = source.create();
  const auto [gained, lost] = gain_twice(entity);
  source.world.destroy(0);
  apply(source.delta());
  for (const core::Bytes& late : {gained, lost}) {
    apply(late);
    EXPECT_FALSE(mirror().registry().valid(entity));
  }
  expect_equal();
}

// Visibility of an entity may be lost under one id and gained under another by a delta that arrives late.
TEST_F(MirrorTest, ALateDeltaShowsAnEntityThatIsInViewAgain) {
  const ecs::Entity entity = source.create();
  const ecs::Entity other = source.create();
  source.replicate();
  source.view.remove_visible({&entity.index, 1});
  const core::Bytes lost = source.delta();
  source.view.add_visible(entity.index, false);
  const core::Bytes back = delta_of_health(entity, 7);
  apply(lost);
  apply(delta_of_health(other, 8));
  ASSERT_TRUE(mirror().is_stale(entity));
  apply(back);
  EXPECT_FALSE(mirror().is_stale(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 7);
  expect_equal();
}

TEST_F(MirrorTest, ALateDeltaShowsAnEntityAfterItsCorrection) {
  const ecs::Entity entity = source.create();
  const ecs::Entity other = source.create();
  source.replicate();
  MirrorTamper::lose(mirror(), entity);
  std::vector<wire::MirrorCorrection> corrections;
  source.view.compare({.of_level = false, .first = 0, .end = ~0u, .tick = 1000, .hashes = {}}, corrections);
  const core::Bytes again = source.delta();
  apply(delta_of_health(other, 8));
  apply(again);
  EXPECT_TRUE(mirror().registry().valid(entity));
  expect_equal();
}

TEST_F(MirrorTest, ALateChangeOfADestroyedEntityIsIgnored) {
  const ecs::Entity entity = source.create();
  source.replicate();
  const core::Bytes change = delta_of_health(entity, 6);
  source.world.destroy(0);
  const core::Bytes destroyed = source.delta();
  apply(destroyed);
  EXPECT_FALSE(mirror().registry().valid(entity));
  static_cast<void>(source.apply(change).ok());
  mirror().check();
  EXPECT_FALSE(mirror().registry().valid(entity));
  expect_equal();
}

TEST_F(MirrorTest, ALateDeltaIsRefusedIfItsIdWasReused) {
  for (const bool first_arrives : {false, true}) {
    SCOPED_TRACE(first_arrives);
    test::MirroredWorld other;
    other.create();
    const core::Bytes spawned = other.delta();
    if (first_arrives) {
      ASSERT_TRUE(other.apply(spawned).ok());
    }
    other.world.destroy(0);
    const core::Bytes destroyed = other.delta();
    ASSERT_TRUE(other.apply(destroyed).ok());
    other.acknowledge();
    const ecs::Entity heir = other.create();
    other.replicate();
    ASSERT_TRUE(other.mirror->registry().valid(heir));
    for (const core::Bytes& late : {spawned, destroyed}) {
      const core::Status applied = test::apply_delta(*other.mirror, late);
      ASSERT_FALSE(applied.ok());
      EXPECT_STREQ(applied.error().reason, "too late");
    }
    other.mirror->check();
    EXPECT_EQ(other.mirror->hash(), other.published_hash());
  }
}

TEST_F(MirrorTest, ALateDeltaWithoutItsBaselineIsTooLate) {
  const ecs::Entity entity = source.create();
  source.replicate();
  const core::Bytes late = delta_of_health(entity, 6);
  for (int i = 0; i < 30; ++i) {
    registry.get<demo::Health>(entity).current = static_cast<std::uint16_t>(i);
    source.replicate();
  }
  const std::uint64_t hash = mirror().hash();
  const core::Status applied = source.apply(late);
  ASSERT_FALSE(applied.ok());
  EXPECT_STREQ(applied.error().reason, "too late");
  EXPECT_EQ(mirror().hash(), hash);
  mirror().check();
}

// A client may send four acknowledgements per tick, with the maximum number of deltas in flight.
TEST_F(MirrorTest, ADeltaMayUseAnOldAcknowledgementAsBaseline) {
  const ecs::Entity entity = source.create();
  source.replicate();
  const core::Bytes change = delta_of_health(entity, 6);
  for (std::uint32_t i = 0; i < 4 * wire::ack_history - 1; ++i) source.acknowledge();
  apply(change);
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 6);
}

TEST_F(MirrorTest, AHashIsComparedWithThatOfTheAcknowledgement) {
  const ecs::Entity entity = source.create();
  source.replicate();
  const core::Bytes first = delta_of_health(entity, 6);
  apply(first);
  EXPECT_NE(mirror().hash(), wire::read_delta_header(first)->hash);
  EXPECT_EQ(mirror().verify(*wire::read_delta_header(first)), true);
  wire::DeltaHeader header = *wire::read_delta_header(first);
  header.hash ^= 1;
  EXPECT_EQ(mirror().verify(header), false);
  header.verifies = false;
  EXPECT_EQ(mirror().verify(header), std::nullopt);
  for (std::size_t i = 0; i <= Mirror::acknowledged_kept; ++i) source.acknowledge();
  EXPECT_EQ(mirror().verify(*wire::read_delta_header(first)), std::nullopt) << "the acknowledgement is forgotten";
}

}  // namespace
}  // namespace mobula::client
