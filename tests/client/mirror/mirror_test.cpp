#include <gmock/gmock.h>

#include <client/mirror/mirror_fixture.hpp>

namespace mobula::client {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

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
  EXPECT_THAT(changes(), ElementsAre(Change{entity, ChangeKind::spawned}));
  registry.get<demo::Health>(entity).current = 5;
  source.replicate();
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 5);
  EXPECT_EQ(mirror().tick_of(entity), 2u);
  EXPECT_THAT(changes(), ElementsAre(Change{entity, ChangeKind::changed, pool_of("Health")})) << "Team is the same";
  expect_equal();
}

TEST_F(MirrorTest, ASecondFullStateListsWhatDiffers) {
  const ecs::Entity entity = source.create();
  registry.add<demo::Team>(entity);
  const core::Bytes first = source.delta();
  registry.get<demo::Health>(entity).current = 5;
  const core::Bytes second = source.delta();  // nothing is acknowledged, so it is a full state
  apply(first);
  EXPECT_THAT(changes(), ElementsAre(Change{entity, ChangeKind::spawned}));
  apply(second);
  EXPECT_THAT(changes(), ElementsAre(Change{entity, ChangeKind::changed, pool_of("Health")}));
}

TEST_F(MirrorTest, OtherComponentsAndOwnersAreListed) {
  const ecs::Entity entity = source.create();
  source.replicate();
  changes();
  registry.add<demo::Team>(entity);
  source.replicate();
  EXPECT_THAT(changes(), ElementsAre(Change{entity, ChangeKind::composed}));
  source.view.update_owners([&](std::uint32_t index) { return index == entity.index; });
  source.replicate();
  EXPECT_THAT(changes(), ElementsAre(Change{entity, ChangeKind::composed}));
  source.replicate();
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(MirrorTest, AnEntityUnderAnotherIdIsListedOnce) {
  const ecs::Entity entity = source.create();
  source.replicate();
  changes();
  apply(delta_of_health(entity, 9));
  source.view.remove_visible({&entity.index, 1});
  source.delta();  // is lost
  source.view.add_visible(entity.index, false);
  apply(delta_of_health(entity, 7));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 7);
  EXPECT_THAT(changes(), ElementsAre(Change{entity, ChangeKind::changed, pool_of("Health")}));
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
  changes();
  source.world.destroy(0);
  source.replicate();
  EXPECT_FALSE(mirror().registry().valid(entity));
  EXPECT_EQ(mirror().hash(), 0u);
  EXPECT_THAT(changes(), ElementsAre(Change{entity, ChangeKind::destroyed}));
  expect_equal();
}

TEST_F(MirrorTest, AStaleEntityKeepsItsValuesUntilItIsInViewAgain) {
  const ecs::Entity entity = source.create();
  source.replicate();
  changes();
  source.view.remove_visible({&entity.index, 1});
  source.replicate();
  EXPECT_TRUE(mirror().registry().valid(entity));
  EXPECT_TRUE(mirror().is_stale(entity));
  EXPECT_EQ(mirror().tick_of(entity), 0u);
  EXPECT_EQ(mirror().size(), 0u);
  EXPECT_THAT(changes(), ElementsAre(Change{entity, ChangeKind::lost}));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 50);
  registry.get<demo::Health>(entity).current = 7;
  source.replicate();
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 50);
  source.view.add_visible(entity.index, false);
  source.replicate();
  EXPECT_FALSE(mirror().is_stale(entity));
  EXPECT_EQ(mirrored<demo::Health>(entity).current, 7);
  EXPECT_THAT(changes(), ElementsAre(Change{entity, ChangeKind::spawned}));
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
  EXPECT_THAT(changes(), Contains(Change{entity, ChangeKind::destroyed}));
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
