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
  Mirror& mirror() { return *source.mirror; }
  // Returns the delta of a tick in which the health changes. It is not applied.
  core::Bytes delta_of_health(ecs::Entity entity, std::uint16_t health) {
    registry.get<demo::Health>(entity).current = health;
    return source.delta();
  }
  void apply(const core::Bytes& delta) {
    const core::Status applied = source.apply(delta);
    ASSERT_TRUE(applied.ok()) << applied.error().message;
    mirror().check();
  }
  struct Late {
    core::Bytes gained;
    core::Bytes lost;
  };
  // Makes the entity visible, invisible and visible again under another id. Applies only the last delta, with health 7.
  // Returns the other two.
  Late gain_twice(ecs::Entity entity) {
    core::Bytes gained = source.delta();
    source.view.remove_visible({&entity.index, 1});
    core::Bytes lost = source.delta();
    source.view.add_visible(entity.index, false);
    apply(delta_of_health(entity, 7));
    return {std::move(gained), std::move(lost)};
  }
  void expect_equal() {
    EXPECT_EQ(mirror().hash(), source.published_hash());
    EXPECT_EQ(mirror().size(), source.world.publisher.published().size());
  }

  test::MirroredWorld source;
  ecs::Registry& registry = source.world.registry;
};

TEST_F(MirrorTest, ASpawnedEntityHasTheServersHandleAndValues) {
  const ecs::Entity entity = source.create();
  registry.get<demo::Health>(entity).current = 33;
  source.replicate();
  EXPECT_TRUE(mirror().registry().valid(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 33);
  EXPECT_EQ(mirror().tick(), 1u);
  EXPECT_EQ(mirror().tick_of(entity), 1u);
  expect_equal();
}

TEST_F(MirrorTest, AChangeIsWrittenAndListed) {
  const ecs::Entity entity = source.create();
  registry.add<demo::Team>(entity);
  source.replicate();
  EXPECT_THAT(mirror().changes().gained, ElementsAre(entity));
  mirror().changes().clear();
  registry.get<demo::Health>(entity).current = 5;
  source.replicate();
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 5);
  EXPECT_EQ(mirror().tick_of(entity), 2u);
  EXPECT_THAT(mirror().changes().changed, ElementsAre(entity));
  EXPECT_THAT(mirror().changes().gained, IsEmpty());
  expect_equal();
}

TEST_F(MirrorTest, OnlyChangedComponentsAreWritten) {
  const ecs::Entity entity = source.create();
  registry.add<engine::Transform>(entity);
  source.replicate();
  const ecs::PoolId still = mirror().registry().find_pool(core::StringId32("Transform"), core::StringId32("Transform"));
  const ecs::Tick tick = mirror().registry().pool(still).change_ticks().front();
  registry.get<demo::Health>(entity).current = 5;
  source.replicate();
  EXPECT_EQ(mirror().registry().pool(still).change_ticks().front(), tick);
}

TEST_F(MirrorTest, ADestroyedEntityIsDestroyed) {
  const ecs::Entity entity = source.create();
  source.replicate();
  source.world.destroy(0);
  source.replicate();
  EXPECT_FALSE(mirror().registry().valid(entity));
  EXPECT_EQ(mirror().hash(), 0u);
  EXPECT_THAT(mirror().changes().destroyed, ElementsAre(entity));
  EXPECT_THAT(mirror().changes().stale, IsEmpty());
  expect_equal();
}

TEST_F(MirrorTest, AStaleEntityKeepsItsValuesUntilItIsInViewAgain) {
  const ecs::Entity entity = source.create();
  source.replicate();
  source.view.remove_visible({&entity.index, 1});
  source.replicate();
  EXPECT_TRUE(mirror().registry().valid(entity));
  EXPECT_TRUE(mirror().is_stale(entity));
  EXPECT_EQ(mirror().tick_of(entity), 0u);
  EXPECT_EQ(mirror().size(), 0u);
  EXPECT_THAT(mirror().changes().stale, ElementsAre(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 50);
  registry.get<demo::Health>(entity).current = 7;
  source.replicate();
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 50);
  source.view.add_visible(entity.index, false);
  source.replicate();
  EXPECT_FALSE(mirror().is_stale(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 7);
  EXPECT_THAT(mirror().changes().destroyed, IsEmpty());
  expect_equal();
}

TEST_F(MirrorTest, KnowsWhichEntitiesAreRemoved) {
  const ecs::Entity entity = source.create();
  const ecs::Entity other = source.create();
  EXPECT_EQ(mirror().presence(entity, 1), Presence::unknown);
  EXPECT_EQ(mirror().presence({1u << 30, 5}, 1), Presence::unknown) << "beyond all indices";
  source.replicate();
  EXPECT_EQ(mirror().presence(entity, 1), Presence::in_view);
  source.view.remove_visible({&entity.index, 1});
  source.replicate();
  const ecs::Tick lost = mirror().tick();
  EXPECT_EQ(mirror().presence(entity, lost), Presence::removed);
  EXPECT_EQ(mirror().presence(entity, lost + 1), Presence::unknown) << "it was in view again";
  source.view.add_visible(entity.index, false);
  source.replicate();
  EXPECT_EQ(mirror().presence(entity, lost + 1), Presence::in_view);
  while (!source.world.alive.empty()) source.world.destroy(0);
  source.replicate();
  for (const ecs::Entity dead : {entity, other}) {
    EXPECT_EQ(mirror().presence(dead, 1), Presence::removed);
    EXPECT_EQ(mirror().presence(dead, 1000), Presence::removed) << "a handle does not return";
  }
  ecs::Entity heir;
  do heir = source.create();
  while (heir.index != entity.index);
  source.replicate();
  source.replicate();  // the ids are used again
  EXPECT_EQ(mirror().presence(entity, 1), Presence::removed) << "another entity has its index";
  EXPECT_EQ(mirror().presence(heir, 1), Presence::in_view);
}

TEST_F(MirrorTest, AStaleEntityKeepsItsFieldsForTheOwner) {
  const ecs::Entity entity = source.create();
  registry.add<demo::Inventory>(entity).item_count = 1;
  registry.get<demo::Inventory>(entity).items[0] = 9;
  source.replicate();
  source.view.update_owners([&](std::uint32_t index) { return index == entity.index; });
  source.replicate();
  source.view.remove_visible({&entity.index, 1});
  source.replicate();
  ASSERT_TRUE(mirror().is_stale(entity));
  EXPECT_EQ(mirrored<demo::Inventory>(entity).item_count, 1);
  EXPECT_EQ(mirrored<demo::Inventory>(entity).items[0], 9);
}

TEST_F(MirrorTest, TheOldestOfManyStaleEntitiesAreDestroyed) {
  std::vector<ecs::Entity> all;
  for (int i = 0; i < 100; ++i) all.push_back(source.create());
  for (int i = 0; i < 4; ++i) source.replicate();
  expect_equal();
  for (const ecs::Entity entity : all) {
    source.view.remove_visible({&entity.index, 1});
    source.replicate();
  }
  EXPECT_EQ(mirror().size(), 0u);
  EXPECT_EQ(mirror().registry().entities().size(), 64u);
  EXPECT_FALSE(mirror().registry().valid(all.front()));
  EXPECT_TRUE(mirror().is_stale(all.back()));
}

TEST_F(MirrorTest, AKnownEntityGetsAnotherComposition) {
  const ecs::Entity entity = source.create();
  source.replicate();
  registry.add_bytes(entity, registry.pool_of<demo::RenderData>("Fog"));
  registry.remove<demo::Health>(entity);
  source.replicate();
  expect_equal();
  EXPECT_EQ(mirrored<demo::RenderData>(entity, "Fog").tint, 0xFFFFFFu);
  EXPECT_EQ(mirror().registry().prototypes().pools(mirror().registry().prototype(entity)).size(), 1u);
  EXPECT_EQ(mirror().names().text(core::StringId32("Fog")), "Fog");
}

TEST_F(MirrorTest, ASpawnedEntityReplacesTheOneAtItsIndex) {
  const ecs::Entity entity = source.create();
  source.replicate();
  source.world.destroy(0);
  ecs::Entity heir;
  do heir = source.world.create();
  while (heir.index != entity.index);
  while (source.world.alive.size() > 1) source.world.destroy(0);
  registry.add<demo::Team>(heir);
  source.replicate();
  EXPECT_TRUE(mirror().registry().valid(heir));
  EXPECT_FALSE(mirror().registry().valid(entity));
  EXPECT_THAT(mirror().changes().destroyed, Contains(entity));
  expect_equal();
}

TEST_F(MirrorTest, OwnerOnlyFieldsAreSentToTheOwnerAlone) {
  const ecs::Entity entity = source.create();
  registry.add<demo::Inventory>(entity).item_count = 1;
  registry.get<demo::Inventory>(entity).items[0] = 9;
  source.replicate();
  EXPECT_EQ(mirrored<demo::Inventory>(entity).item_count, 0);
  expect_equal();
  source.view.update_owners([&](std::uint32_t index) { return index == entity.index; });
  source.replicate();
  EXPECT_EQ(mirrored<demo::Inventory>(entity).item_count, 1);
  EXPECT_EQ(mirrored<demo::Inventory>(entity).items[0], 9);
  registry.get<demo::Inventory>(entity).items[0] = 8;
  source.replicate();
  EXPECT_EQ(mirrored<demo::Inventory>(entity).items[0], 8);
  EXPECT_EQ(mirror().hash(), source.view.acknowledged_hash());
  source.view.update_owners([](std::uint32_t) { return false; });
  source.replicate();
  EXPECT_EQ(mirrored<demo::Inventory>(entity).item_count, 0) << "sent to owners only, and this client owns it no more";
  EXPECT_EQ(mirrored<demo::Inventory>(entity).items[0], 0);
  expect_equal();
}

// Deltas that arrive out of order
// -----------------------------------------------------------------------

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

// Announcements
// ----------------------------------------------------------------------------------------------------------

TEST_F(MirrorTest, AMessageWithOneInvalidPrototypeAddsNone) {
  source.create();
  source.world.publish();
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
  // The valid prototype in each of these messages was not added either.
  const auto twin = source.twin();
  const core::Bytes delta = [&] {
    source.world.end_tick();
    registry.get<demo::Health>(source.world.alive[0]).current = 3;
    source.view.add_visible(source.world.alive[0].index, false);
    return source.delta();  // also announces it
  }();
  const core::Status applied = test::apply_delta(*twin, delta);
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().message, "a prototype that was not announced");
  apply(delta);
}

TEST_F(MirrorTest, ARefusedPrototypeOpensNoPool) {
  ASSERT_TRUE(mirror().add_names({{"Spare"}}));
  const std::uint32_t pools = mirror().registry().pool_count();
  const core::StringId32 health("Health");
  EXPECT_FALSE(mirror().add_prototypes({{{1, 0, {{health, core::StringId32("Spare")}}}, {2, 0, {{health, {}}}}}}));
  EXPECT_EQ(mirror().registry().pool_count(), pools);
}

// Each announcement replaces the last under the same id. The mirror forgets the earlier ones.
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
