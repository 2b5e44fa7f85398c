#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <client/mirror_tamper.hpp>
#include <client/mirrored_world.hpp>

namespace mobula::client {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class MirrorTest : public testing::Test {
 protected:
  template <class T>
  T mirrored(ecs::Entity entity, std::string_view instance = T::component_name) {
    const ecs::Registry& mirrored = mirror().registry();
    const ecs::PoolId pool = mirrored.find_pool(core::StringId32(T::component_name), core::StringId32(instance));
    const std::byte* bytes = mirrored.try_read(entity, pool);
    return bytes == nullptr ? T{} : core::load<T>(bytes);
  }
  Mirror& mirror() { return *told.mirror; }
  // A delta that the mirror takes when the test says so.
  core::Bytes delta_of_health(ecs::Entity entity, std::uint16_t health) {
    registry.get<demo::Health>(entity).current = health;
    return told.delta();
  }
  void take(const core::Bytes& delta) {
    const core::Status applied = told.take(delta);
    ASSERT_TRUE(applied.ok()) << applied.error().message;
    mirror().check();
  }
  struct Late {
    core::Bytes first;  // it appears
    core::Bytes gone;
  };
  // Comes into view, goes, and comes again, by another id; only that is taken, with 7 of health.
  Late come_twice(ecs::Entity entity) {
    core::Bytes first = told.delta();
    told.view.remove_visible({&entity.index, 1});
    core::Bytes gone = told.delta();
    told.view.add_visible(entity.index, false);
    take(delta_of_health(entity, 7));
    return {std::move(first), std::move(gone)};
  }
  void expect_equal() {
    EXPECT_EQ(mirror().hash(), told.published_hash());
    EXPECT_EQ(mirror().size(), told.world.publisher.published().size());
  }

  test::MirroredWorld told;
  ecs::Registry& registry = told.world.registry;
};

TEST_F(MirrorTest, WhatAppearsHasTheSameHandleAndTheSameValues) {
  const ecs::Entity entity = told.create();
  registry.get<demo::Health>(entity).current = 33;
  told.tell();
  EXPECT_TRUE(mirror().registry().valid(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 33);
  EXPECT_EQ(mirror().tick(), 1u);
  EXPECT_EQ(mirror().tick_of(entity), 1u);
  expect_equal();
}

TEST_F(MirrorTest, AChangeWritesWhatIsNewerAndIsListed) {
  const ecs::Entity entity = told.create();
  registry.add<demo::Team>(entity);
  told.tell();
  EXPECT_THAT(mirror().changes().appeared, ElementsAre(entity));
  mirror().changes().clear();
  registry.get<demo::Health>(entity).current = 5;
  told.tell();
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 5);
  EXPECT_EQ(mirror().tick_of(entity), 2u);
  EXPECT_THAT(mirror().changes().changed, ElementsAre(entity));
  EXPECT_THAT(mirror().changes().appeared, IsEmpty());
  expect_equal();
}

TEST_F(MirrorTest, ComponentsThatAChangeDoesNotTouchAreNotWritten) {
  const ecs::Entity entity = told.create();
  registry.add<engine::Transform>(entity);
  told.tell();
  const ecs::PoolId still = mirror().registry().find_pool(core::StringId32("Transform"), core::StringId32("Transform"));
  const ecs::Tick tick = mirror().registry().pool(still).change_ticks().front();
  registry.get<demo::Health>(entity).current = 5;
  told.tell();
  EXPECT_EQ(mirror().registry().pool(still).change_ticks().front(), tick);
}

TEST_F(MirrorTest, WhatTheServerDestroysIsDestroyed) {
  const ecs::Entity entity = told.create();
  told.tell();
  told.world.destroy(0);
  told.tell();
  EXPECT_FALSE(mirror().registry().valid(entity));
  EXPECT_EQ(mirror().hash(), 0u);
  EXPECT_THAT(mirror().changes().destroyed, ElementsAre(entity));
  EXPECT_THAT(mirror().changes().stale, IsEmpty());
  expect_equal();
}

TEST_F(MirrorTest, WhatGoesOutOfViewStaysAsItWasAndComesBackAsItIs) {
  const ecs::Entity entity = told.create();
  told.tell();
  told.view.remove_visible({&entity.index, 1});
  told.tell();
  EXPECT_TRUE(mirror().registry().valid(entity));
  EXPECT_TRUE(mirror().is_stale(entity));
  EXPECT_EQ(mirror().tick_of(entity), 0u);
  EXPECT_EQ(mirror().size(), 0u);
  EXPECT_THAT(mirror().changes().stale, ElementsAre(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 50);
  registry.get<demo::Health>(entity).current = 7;
  told.tell();
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 50);
  told.view.add_visible(entity.index, false);
  told.tell();
  EXPECT_FALSE(mirror().is_stale(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 7);
  EXPECT_THAT(mirror().changes().destroyed, IsEmpty());
  expect_equal();
}

TEST_F(MirrorTest, WhatGoesOutOfViewKeepsWhatIsItsOwnersAlone) {
  const ecs::Entity entity = told.create();
  registry.add<demo::Inventory>(entity).item_count = 1;
  registry.get<demo::Inventory>(entity).items[0] = 9;
  told.tell();
  told.view.update_owners([&](std::uint32_t index) { return index == entity.index; });
  told.tell();
  told.view.remove_visible({&entity.index, 1});
  told.tell();
  ASSERT_TRUE(mirror().is_stale(entity));
  EXPECT_EQ(mirrored<demo::Inventory>(entity).item_count, 1);
  EXPECT_EQ(mirrored<demo::Inventory>(entity).items[0], 9);
}

TEST_F(MirrorTest, OfMuchThatWentOutOfViewTheOldestIsDestroyed) {
  std::vector<ecs::Entity> all;
  for (int i = 0; i < 100; ++i) all.push_back(told.create());
  for (int i = 0; i < 4; ++i) told.tell();
  expect_equal();
  for (const ecs::Entity entity : all) {
    told.view.remove_visible({&entity.index, 1});
    told.tell();
  }
  EXPECT_EQ(mirror().size(), 0u);
  EXPECT_EQ(mirror().registry().entities().size(), 64u);
  EXPECT_FALSE(mirror().registry().valid(all.front()));
  EXPECT_TRUE(mirror().is_stale(all.back()));
}

TEST_F(MirrorTest, AKnownEntityGetsAnotherComposition) {
  const ecs::Entity entity = told.create();
  told.tell();
  registry.add_bytes(entity, registry.pool_of<demo::RenderData>("Fog"));
  registry.remove<demo::Health>(entity);
  told.tell();
  expect_equal();
  EXPECT_EQ(mirrored<demo::RenderData>(entity, "Fog").tint, 0xFFFFFFu);
  EXPECT_EQ(mirror().registry().prototypes().pools(mirror().registry().prototype(entity)).size(), 1u);
  EXPECT_EQ(mirror().names().text(core::StringId32("Fog")), "Fog");
}

TEST_F(MirrorTest, WhatAppearsReplacesWhateverHadItsIndex) {
  const ecs::Entity entity = told.create();
  told.tell();
  told.world.destroy(0);
  ecs::Entity heir;
  do heir = told.world.create();
  while (heir.index != entity.index);
  while (told.world.alive.size() > 1) told.world.destroy(0);
  registry.add<demo::Team>(heir);
  told.tell();
  EXPECT_TRUE(mirror().registry().valid(heir));
  EXPECT_FALSE(mirror().registry().valid(entity));
  EXPECT_THAT(mirror().changes().destroyed, Contains(entity));
  expect_equal();
}

TEST_F(MirrorTest, OwnerOnlyFieldsComeToTheOwnerAlone) {
  const ecs::Entity entity = told.create();
  registry.add<demo::Inventory>(entity).item_count = 1;
  registry.get<demo::Inventory>(entity).items[0] = 9;
  told.tell();
  EXPECT_EQ(mirrored<demo::Inventory>(entity).item_count, 0);
  expect_equal();
  told.view.update_owners([&](std::uint32_t index) { return index == entity.index; });
  told.tell();
  EXPECT_EQ(mirrored<demo::Inventory>(entity).item_count, 1);
  EXPECT_EQ(mirrored<demo::Inventory>(entity).items[0], 9);
  registry.get<demo::Inventory>(entity).items[0] = 8;
  told.tell();
  EXPECT_EQ(mirrored<demo::Inventory>(entity).items[0], 8);
  EXPECT_EQ(mirror().hash(), told.view.acknowledged_hash());
  told.view.update_owners([](std::uint32_t) { return false; });
  told.tell();
  EXPECT_EQ(mirrored<demo::Inventory>(entity).item_count, 0) << "no longer the owner, and no longer told";
  EXPECT_EQ(mirrored<demo::Inventory>(entity).items[0], 0);
  expect_equal();
}

// Deltas that come in another order than they went
// -----------------------------------------------------------------------

TEST_F(MirrorTest, ALateDeltaIsABaselineAndNotShown) {
  const ecs::Entity entity = told.create();
  told.tell();
  const core::Bytes older = delta_of_health(entity, 6);
  const core::Bytes newer = delta_of_health(entity, 7);
  take(newer);
  take(older);
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 7);
  EXPECT_EQ(mirror().tick_of(entity), 3u);
  expect_equal();
  told.acknowledge();
  const core::Bytes next = delta_of_health(entity, 8);  // rests on both
  take(next);
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 8);
  EXPECT_EQ(mirror().verify(*wire::read_delta_header(next)), true);
}

TEST_F(MirrorTest, ALateDeltaShowsWhatNothingNewerToldOf) {
  const ecs::Entity a = told.create();
  const ecs::Entity b = told.create();
  told.tell();
  const core::Bytes of_a = delta_of_health(a, 6);
  const core::Bytes of_b = delta_of_health(b, 7);
  take(of_b);
  take(of_a);
  EXPECT_EQ(mirrored<demo::Health>(a).current, 6);
  EXPECT_EQ(mirror().tick_of(a), 2u);
  EXPECT_EQ(mirror().tick_of(b), 3u);
  EXPECT_EQ(mirror().tick(), 3u);
  expect_equal();
}

TEST_F(MirrorTest, WhatWentOutOfViewIsNotShownAsItWasBefore) {
  const ecs::Entity entity = told.create();
  const auto [first, gone] = come_twice(entity);
  told.view.remove_visible({&entity.index, 1});
  take(told.delta());
  ASSERT_TRUE(mirror().is_stale(entity));
  take(first);
  EXPECT_TRUE(mirror().is_stale(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 7);
  take(gone);
  EXPECT_EQ(mirror().size(), 0u);
  EXPECT_TRUE(mirror().is_stale(entity));
}

TEST_F(MirrorTest, WhatWasDestroyedIsNotShownAsItWasBefore) {
  const ecs::Entity entity = told.create();
  const auto [first, gone] = come_twice(entity);
  told.world.destroy(0);
  take(told.delta());
  for (const core::Bytes& late : {first, gone}) {
    take(late);
    EXPECT_FALSE(mirror().registry().valid(entity));
  }
  expect_equal();
}

// Who is gone from an id may be in view again under another, by a delta that comes late too.
TEST_F(MirrorTest, WhatCameBackIntoViewIsShownThoughItIsToldLate) {
  const ecs::Entity entity = told.create();
  const ecs::Entity other = told.create();
  told.tell();
  told.view.remove_visible({&entity.index, 1});
  const core::Bytes gone = told.delta();
  told.view.add_visible(entity.index, false);
  const core::Bytes back = delta_of_health(entity, 7);
  take(gone);
  take(delta_of_health(other, 8));
  ASSERT_TRUE(mirror().is_stale(entity));
  take(back);
  EXPECT_FALSE(mirror().is_stale(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 7);
  expect_equal();
}

TEST_F(MirrorTest, WhatWasDroppedForItsHashIsShownWhenItIsToldLate) {
  const ecs::Entity entity = told.create();
  const ecs::Entity other = told.create();
  told.tell();
  MirrorTamper::lose(mirror(), entity);
  std::vector<wire::MirrorCorrection> corrections;
  told.view.compare({.of_level = false, .first = 0, .end = ~0u, .tick = 1000, .hashes = {}}, corrections);
  const core::Bytes again = told.delta();
  take(delta_of_health(other, 8));
  take(again);
  EXPECT_TRUE(mirror().registry().valid(entity));
  expect_equal();
}

TEST_F(MirrorTest, WhatIsGoneStaysGoneWhateverComesLate) {
  const ecs::Entity entity = told.create();
  told.tell();
  const core::Bytes change = delta_of_health(entity, 6);
  told.world.destroy(0);
  const core::Bytes gone = told.delta();
  take(gone);
  EXPECT_FALSE(mirror().registry().valid(entity));
  static_cast<void>(told.take(change).ok());
  mirror().check();
  EXPECT_FALSE(mirror().registry().valid(entity));
  expect_equal();
}

TEST_F(MirrorTest, WhatComesLateIsNotTakenForWhoeverHasItsIdNow) {
  for (const bool heard_of : {false, true}) {
    SCOPED_TRACE(heard_of);
    test::MirroredWorld other;
    other.create();
    const core::Bytes whole = other.delta();
    if (heard_of) {
      ASSERT_TRUE(other.take(whole).ok());
    }
    other.world.destroy(0);
    const core::Bytes gone = other.delta();
    ASSERT_TRUE(other.take(gone).ok());
    other.acknowledge();
    const ecs::Entity heir = other.create();
    other.tell();
    ASSERT_TRUE(other.mirror->registry().valid(heir));
    for (const core::Bytes& late : {whole, gone}) {
      const core::Status applied = test::apply_delta(*other.mirror, late);
      ASSERT_FALSE(applied.ok());
      EXPECT_STREQ(applied.error().reason, "too late");
    }
    other.mirror->check();
    EXPECT_EQ(other.mirror->hash(), other.published_hash());
  }
}

TEST_F(MirrorTest, ADeltaThatRestsOnWhatIsLongForgottenComesTooLate) {
  const ecs::Entity entity = told.create();
  told.tell();
  const core::Bytes late = delta_of_health(entity, 6);
  for (int i = 0; i < 30; ++i) {
    registry.get<demo::Health>(entity).current = static_cast<std::uint16_t>(i);
    told.tell();
  }
  const std::uint64_t hash = mirror().hash();
  const core::Status applied = told.take(late);
  ASSERT_FALSE(applied.ok());
  EXPECT_STREQ(applied.error().reason, "too late");
  EXPECT_EQ(mirror().hash(), hash);
  mirror().check();
}

// With four acknowledgements in each tick, and as many deltas under way as there may be.
TEST_F(MirrorTest, ADeltaMayRestOnWhatWasAcknowledgedLongAgo) {
  const ecs::Entity entity = told.create();
  told.tell();
  const core::Bytes change = delta_of_health(entity, 6);
  for (std::uint32_t i = 0; i < 4 * wire::ack_history - 1; ++i) told.acknowledge();
  take(change);
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 6);
}

TEST_F(MirrorTest, AHashIsComparedWithWhatWasThereWhenTheAcknowledgementWentOut) {
  const ecs::Entity entity = told.create();
  told.tell();
  const core::Bytes first = delta_of_health(entity, 6);
  take(first);
  EXPECT_NE(mirror().hash(), wire::read_delta_header(first)->hash);
  EXPECT_EQ(mirror().verify(*wire::read_delta_header(first)), true);
  wire::DeltaHeader header = *wire::read_delta_header(first);
  header.hash ^= 1;
  EXPECT_EQ(mirror().verify(header), false);
  header.verifies = false;
  EXPECT_EQ(mirror().verify(header), std::nullopt);
  for (std::size_t i = 0; i <= Mirror::acknowledged_kept; ++i) told.acknowledge();
  EXPECT_EQ(mirror().verify(*wire::read_delta_header(first)), std::nullopt) << "that is long ago";
}

// Announcements
// ----------------------------------------------------------------------------------------------------------

TEST_F(MirrorTest, PrototypesAreRefusedWhole) {
  told.create();
  told.world.publish();
  const std::uint32_t id = 1;
  const std::vector<index::ComponentRef> good{{core::StringId32("Health"), core::StringId32("Health")}};
  const auto refused = [&](std::uint32_t bad_id, std::vector<index::ComponentRef> components) {
    const core::Status added = mirror().add_prototypes({{{id, 0, good}, {bad_id, 0, std::move(components)}}});
    return added ? std::string() : std::string(added.error().reason);
  };
  const core::StringId32 health("Health");
  EXPECT_EQ(refused(9, {{core::StringId32("Nonsense"), core::StringId32("Nonsense")}}), "unknown component");
  EXPECT_EQ(refused(9, {{health, core::StringId32("never announced")}}), "bad prototype");
  EXPECT_EQ(refused(9, {{core::StringId32("Wander"), core::StringId32("Wander")}}), "bad prototype");
  EXPECT_EQ(refused(9, {{core::StringId32("RenderData"), health}, {health, health}}), "bad prototype")
      << "one instance name, two components";
  EXPECT_EQ(refused(0, good), "too many prototypes");
  EXPECT_EQ(refused(~0u, good), "too many prototypes");
  // The good one that came with each of them was not taken either.
  const auto ignorant = told.twin();
  const core::Bytes delta = [&] {
    told.world.end_tick();
    registry.get<demo::Health>(told.world.alive[0]).current = 3;
    told.view.add_visible(told.world.alive[0].index, false);
    return told.delta();  // which announces it
  }();
  const core::Status applied = test::apply_delta(*ignorant, delta);
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().message, "a prototype that was not announced");
  take(delta);
}

TEST_F(MirrorTest, ARefusedPrototypeOpensNoPool) {
  ASSERT_TRUE(mirror().add_names({{"Spare"}}));
  const std::uint32_t pools = mirror().registry().pool_count();
  const core::StringId32 health("Health");
  EXPECT_FALSE(mirror().add_prototypes({{{1, 0, {{health, core::StringId32("Spare")}}}, {2, 0, {{health, {}}}}}}));
  EXPECT_EQ(mirror().registry().pool_count(), pools);
}

// Each announcement replaces the last under one id: the mirror keeps what it was told last.
TEST_F(MirrorTest, AFloodOfAnnouncementsIsForgotten) {
  const std::vector<reflect::Component>& all = mirror().schema().components();
  core::Random random(5);
  for (int i = 0; i < 20000; ++i) {
    std::vector<index::ComponentRef> components;
    for (const reflect::Component& component : all)
      if (!component.not_sent && random.below(2) == 0) components.push_back({component.id, component.id});
    std::sort(components.begin(), components.end());
    ASSERT_TRUE(mirror().add_prototypes({{{1, 0, components}}}));
  }
  EXPECT_LT(mirror().registry().prototypes().size(), 1000u);
  mirror().check();
}

}  // namespace
}  // namespace mobula::client
