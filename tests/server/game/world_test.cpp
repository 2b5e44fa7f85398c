#include <gtest/gtest.h>

#include <mobula/core/log.hpp>
#include <mobula/resource/draft.hpp>
#include <mobula/resource/pack.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/game/world.hpp>
#include <reflect/compile_schema.hpp>
#include <server/hamlet.hpp>

namespace mobula::server {
namespace {

std::unique_ptr<World> make_world() {
  return std::move(
      *World::make({.schema = test::game_schema(), .level = test::hamlet(), .ticks_per_second = 20, .seed = 3}));
}

TEST(World, SpawnsItsLevelInTickOne) {
  const auto world = make_world();
  EXPECT_EQ(world->registry().entities().size(), 0u);
  ASSERT_TRUE(world->spawn_level().ok());
  EXPECT_EQ(world->registry().entities().size(), test::hamlet()->level().num_entities);
  EXPECT_EQ(world->tick(), 1u);
  EXPECT_FALSE(world->registry().journal().empty());
  world->registry().check();
  world->end_tick();
  EXPECT_EQ(world->tick(), 2u);
  EXPECT_TRUE(world->registry().journal().empty());
}

#ifdef MOBULA_ASSERTS
TEST(WorldDeathTest, AssertsThatNothingIsWrittenPastTheChangeMarks) {
  const auto world = make_world();
  ASSERT_TRUE(world->spawn_level().ok());
  const ecs::Entity coin = *world->spawn("coin");
  demo::Pickup& kept = world->registry().get<demo::Pickup>(coin);
  world->end_tick();
  world->end_tick();
  ++kept.amount;
  EXPECT_DEATH(world->end_tick(), "a kept reference was written through: .*Pickup");
}
#endif

TEST(WorldDeathTest, TheServersFunctionsAreNotForHooks) {
  const auto world = make_world();
  const core::LogScope hook({.running = "Game::tick"});
  EXPECT_DEATH((void)world->spawn_level(), "World::spawn_level is called by the server");
  EXPECT_DEATH(world->add_viewer(1), "World::add_viewer is called by the server");
  EXPECT_DEATH(world->remove_viewer(1), "World::remove_viewer is called by the server");
  EXPECT_DEATH(world->end_tick(), "World::end_tick is called by the server, after the code of the game");
}

TEST(WorldDeathTest, TheViewerOfAnUnknownPlayerIsNamed) {
  const auto world = make_world();
  world->add_viewer(7);
  EXPECT_EQ(&world->viewer(7), world->try_viewer(7));
  EXPECT_EQ(world->try_viewer(8), nullptr);
  EXPECT_DEATH(static_cast<void>(world->viewer(8)), "number 8 is no player or spectator: it has no viewer");
}

TEST(World, ASpawnedEntityIsDeadIfAListenerDestroysIt) {
  const auto world = make_world();
  ASSERT_TRUE(world->spawn_level().ok());
  const std::uint32_t before = world->registry().entities().size();
  world->registry().created().connect([&](std::span<const ecs::Entity> all) { world->registry().destroy(all); });
  const core::Result<ecs::Entity> coin = world->spawn("coin");
  ASSERT_TRUE(coin.ok());
  EXPECT_FALSE(world->registry().valid(*coin));
  EXPECT_EQ(world->registry().entities().size(), before);
  world->hierarchy().update();
  world->end_tick();
  world->registry().check();
}

TEST(World, ThePredictionSeedFollowsFromTheSeed) {
  const auto seed_of = [](std::uint64_t seed) {
    return (*World::make({.schema = test::game_schema(), .level = nullptr, .seed = seed}))->prediction_seed();
  };
  EXPECT_EQ(make_world()->prediction_seed(), seed_of(3));
  EXPECT_NE(seed_of(3), seed_of(4));
  EXPECT_NE(seed_of(3), 3u);
}

TEST(World, IsEmptyWithoutALevel) {
  const auto world = std::move(*World::make({.schema = test::game_schema(), .level = nullptr}));
  EXPECT_TRUE(world->spawn_level().ok());
  EXPECT_EQ(world->registry().entities().size(), 0u);
  EXPECT_EQ(world->level(), nullptr);
  const auto spawned = world->spawn("coin");
  ASSERT_FALSE(spawned.ok());
  EXPECT_STREQ(spawned.error().reason, "unknown prefab");
}

TEST(World, KnowsTheTextsOfTheSchemaAndOfItsLevel) {
  const auto world = make_world();
  for (const char* name : {"Transform", "Wander", "Fog"}) EXPECT_EQ(world->names().text(core::StringId32(name)), name);
  for (const std::string_view name : world->level()->names())
    EXPECT_EQ(world->names().text(core::StringId32(name)), name);
}

TEST(World, SpawnsPrefabsByName) {
  const auto world = make_world();
  const auto coin = world->spawn("coin");
  ASSERT_TRUE(coin.ok());
  EXPECT_EQ(world->registry().get<const demo::Pickup>(*coin).kind, demo::PickupKind::coin);
  EXPECT_EQ(world->registry().entities().size(), 1u);
  const auto boar = world->spawn("boar");  // is a prefab, but not spawnable
  ASSERT_FALSE(boar.ok());
  EXPECT_STREQ(boar.error().reason, "unknown prefab");
  EXPECT_EQ(boar.error().message, "the level has no spawnable prefab 'boar'");
  EXPECT_EQ(world->registry().entities().size(), 1u);
}

struct Tree {
  ecs::Entity root;
  ecs::Entity child;
};

Tree add_tree(World& world) {
  const ecs::Entity root = *world.create(engine::Transform{.position = {1, 2, 3}}, demo::Health{.current = 7});
  const ecs::Entity child = *world.create(engine::Transform{.position = {0, 1, 0}}, demo::Target{root});
  EXPECT_TRUE(world.hierarchy().set_parent(child, root).ok());
  return {root, child};
}

TEST(World, ATreeIsTheSameInAnotherWorld) {
  const auto home = make_world();
  ASSERT_TRUE(home->spawn_level().ok());
  const Tree tree = add_tree(*home);
  const ecs::Entity carrier = *home->create(engine::Transform{});
  ASSERT_TRUE(home->hierarchy().set_parent(tree.root, carrier).ok());
  const core::Result<core::Bytes> packed = home->pack(tree.root);
  ASSERT_TRUE(packed.ok());
  EXPECT_TRUE(home->registry().valid(tree.root)) << "packing removes nothing";

  const auto other = make_world();
  const core::Result<ecs::Entity> root = other->unpack(*packed);
  ASSERT_TRUE(root.ok()) << root.error().message;
  EXPECT_EQ(other->registry().get<const demo::Health>(*root).current, 7);
  EXPECT_EQ(other->registry().get<const engine::Parent>(*root).entity, ecs::null_entity);
  const std::vector<ecs::Entity> children = other->hierarchy().children(*root);
  ASSERT_EQ(children.size(), 1u);
  EXPECT_EQ(other->registry().get<const demo::Target>(children[0]).entity, *root);
  EXPECT_EQ(other->registry().get<const engine::Transform>(children[0]).position.y, 1);
  other->registry().check();
}

// Returns a pack of one entity for each instance name of Health. World::pack makes none of many kinds.
core::Bytes pack_of(std::span<const std::string> instances) {
  resource::DraftPart part;
  resource::Draft& level = part.level;
  for (const std::string& instance : instances) {
    const auto i = static_cast<std::uint32_t>(level.prototypes.size());
    const resource::ComponentKey key{core::StringId32("Health"), core::StringId32(instance)};
    part.names.emplace(key.type, "Health");
    part.names.emplace(key.instance, instance);
    resource::DraftColumn& column = level.columns[{0, key}];
    column.entity_index.push_back(i);
    column.data.resize(sizeof(demo::Health));
    level.parent_index.push_back(resource::no_parent);
    level.prototype_of.push_back(i);
    level.prototypes.push_back({key});
  }
  return resource::write_clients_part(test::game_schema()->bytes(), part);
}

TEST(World, AListenerMayUnpackWhileAPackIsUnpacked) {
  const core::Bytes outer = pack_of(std::array{std::string("shield")});
  const core::Bytes inner = pack_of(std::array{std::string("armour")});
  const auto world = make_world();
  bool listened = false;
  world->registry().created().connect([&](std::span<const ecs::Entity>) {
    if (!std::exchange(listened, true)) EXPECT_TRUE(world->unpack(inner).ok());
  });
  ASSERT_TRUE(world->unpack(outer).ok());
  EXPECT_EQ(world->registry().entities().size(), 2u);
  EXPECT_TRUE(world->names().contains(core::StringId32("shield")));
  EXPECT_TRUE(world->names().contains(core::StringId32("armour")));
}

// Players carry trees of many sizes.
TEST(World, TreesOfAllSizesUseNoIndicesUp) {
  const auto world = std::move(*World::make({.schema = test::game_schema(), .level = nullptr, .entities_max = 256}));
  for (int size = 1; size < 120; ++size) {
    const ecs::Entity root = *world->create(engine::Transform{});
    for (int child = 1; child < size; ++child)
      ASSERT_TRUE(world->hierarchy().set_parent(*world->create(engine::Transform{}), root).ok());
    const core::Bytes packed = *world->pack(root);
    world->destroy_tree(root);
    const core::Result<ecs::Entity> made = world->unpack(packed);
    ASSERT_TRUE(made.ok()) << size << ": " << made.error().message;
    EXPECT_EQ(world->hierarchy().subtree(*made).size(), static_cast<std::size_t>(size));
    world->destroy_tree(*made);
    world->end_tick();
  }
  EXPECT_EQ(world->registry().entities().size(), 0u);
}

TEST(World, APackOfManyKindsOfComponentsOpensNone) {
  std::vector<std::string> instances;
  for (int i = 0; i < 300; ++i) instances.push_back("health" + std::to_string(i));
  const auto world = make_world();
  const std::size_t pools = world->registry().pool_count();
  const auto refused = world->unpack(pack_of(instances));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "the pack has 300 kinds of components; the maximum is 256");
  EXPECT_EQ(world->registry().pool_count(), pools);
  EXPECT_FALSE(world->names().contains(core::StringId32("health7")));
}

TEST(World, APackThatIsRefusedChangesNothing) {
  const auto home = make_world();
  const core::Bytes packed = *home->pack(add_tree(*home).root);
  const auto small = std::move(*World::make({.schema = test::game_schema(), .level = nullptr, .entities_max = 1}));
  const auto full = small->unpack(packed);
  ASSERT_FALSE(full.ok());
  EXPECT_STREQ(full.error().reason, "too many entities");
  EXPECT_EQ(small->registry().entities().size(), 0u);

  const auto other = make_world();
  const auto refusal = [&](core::ByteView bytes) {
    const auto made = other->unpack(bytes);
    return made ? "" : made.error().reason;
  };
  EXPECT_STREQ(refusal({}), "truncated");
  EXPECT_STREQ(refusal(core::as_bytes("JSON", 4)), "foreign");
  for (std::size_t size = 4; size < packed.size(); size += 97)
    ASSERT_STREQ(refusal(core::ByteView(packed).first(size)), "truncated") << size;
  core::Bytes damaged = packed;
  damaged.back() ^= std::byte{1};
  EXPECT_STREQ(refusal(damaged), "damaged");
  const core::Bytes nobody = *resource::pack(home->registry(), *test::game_schema(), {});
  EXPECT_STREQ(refusal(nobody), "invalid");
  EXPECT_STREQ(refusal(test::hamlet()->bytes()), "invalid") << "its prefabs would open pools";
  EXPECT_EQ(other->registry().entities().size(), 0u);
}

TEST(World, IsFullAtItsEntitiesMax) {
  const auto world =
      std::move(*World::make({.schema = test::game_schema(), .level = test::hamlet(), .entities_max = 10}));
  EXPECT_FALSE(world->spawn_level().ok());
  EXPECT_EQ(world->registry().entities().size(), 0u);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(world->spawn("coin").ok());
  const auto eleventh = world->spawn("coin");
  ASSERT_FALSE(eleventh.ok());
  EXPECT_STREQ(eleventh.error().reason, "too many entities");
  world->registry().check();
}

// 100,000 lives at 64 indices use a tenth of a percent of their generations.
TEST(World, ASmallWorldServesManyShortLives) {
  const auto world = std::move(*World::make({.schema = test::game_schema(), .level = nullptr, .entities_max = 64}));
  std::vector<ecs::Entity> living;
  ecs::Entity last;
  for (int i = 0; i < 100'000; ++i) {
    const core::Result<ecs::Entity> made = world->create(demo::Health{});
    ASSERT_TRUE(made.ok()) << i;
    EXPECT_NE(*made, last);
    last = *made;
    living.push_back(*made);
    if (living.size() < 64) continue;
    for (const ecs::Entity entity : living) world->destroy(entity);
    living.clear();
    world->end_tick();
  }
  EXPECT_EQ(world->registry().entities().retired(), 0u);
  while (living.size() < 64) living.push_back(world->create(demo::Health{}).value());
  EXPECT_STREQ(world->create(demo::Health{}).error().reason, "too many entities");
}

TEST(World, AGameCannotEndATick) {
  const auto world = std::move(*World::make({.schema = test::game_schema(), .level = nullptr}));
  const core::LogScope about({.running = "Game::tick"});
  EXPECT_DEATH(world->end_tick(), "World::end_tick is called by the server");
}

TEST(World, ATickInTheFutureDoesNotWrap) {
  const auto world = std::move(*World::make({.schema = test::game_schema(), .level = nullptr}));
  EXPECT_EQ(world->tick_after(0), 1u);
  EXPECT_EQ(world->tick_after(20), 21u);
  world->registry().set_tick(ecs::ticks_max);
  EXPECT_EQ(world->tick_after(0xffff), ~0u);
  EXPECT_EQ(world->tick_after(0xfffe), ~0u - 1);
  EXPECT_EQ(world->tick_after(86'400 * 20), ~0u);
}

TEST(World, DestroysAnEntityWithItsDescendants) {
  const auto world = make_world();
  ecs::Registry& registry = world->registry();
  std::vector<ecs::Entity> chain;
  for (int i = 0; i < 5; ++i) {
    chain.push_back(registry.create());
    if (i == 0) continue;
    const ecs::Entity above = chain[static_cast<std::size_t>(i) - 1];
    registry.add<engine::Parent>(chain.back()).entity = {above.index, above.generation};
  }
  const ecs::Entity bystander = registry.create();
  world->destroy_tree(chain[1]);
  EXPECT_TRUE(registry.valid(chain[0]));
  EXPECT_TRUE(registry.valid(bystander));
  for (std::size_t i = 1; i < chain.size(); ++i) EXPECT_FALSE(registry.valid(chain[i])) << i;
  registry.check();
}

TEST(World, DestroyingNullDoesNothing) {
  const auto world = make_world();
  ASSERT_TRUE(world->spawn("coin").ok());
  world->destroy(ecs::null_entity);
  world->destroy_tree(ecs::null_entity);
  EXPECT_EQ(world->registry().entities().size(), 1u);
}

TEST(World, KnowsTheLivingEntityOfAPlayer) {
  const auto world = make_world();
  const ecs::Entity first = *world->create(engine::Transform{});
  world->add_viewer(4, first);
  EXPECT_EQ(world->player_entity(4), first);
  EXPECT_EQ(world->player_entity(5), ecs::null_entity) << "no such player";
  const ecs::Entity second = *world->create(engine::Transform{});
  world->set_player_entity(4, second);
  EXPECT_EQ(world->player_entity(4), second);
  EXPECT_TRUE(world->registry().valid(first)) << "the game's to destroy";
  world->destroy(second);
  EXPECT_EQ(world->player_entity(4), ecs::null_entity);
  world->set_player_entity(4, first);
  world->set_player_entity(4, ecs::null_entity);
  EXPECT_EQ(world->player_entity(4), ecs::null_entity);
  world->remove_viewer(4);
  EXPECT_EQ(world->player_entity(4), ecs::null_entity);
}

TEST(WorldDeathTest, OnlyAGhostHasAnAge) {
  const auto world = make_world();
  const ecs::Entity entity = *world->create(engine::Transform{});
  EXPECT_DEATH(static_cast<void>(world->ghost_age(entity)), "entity 0.1 is no ghost");
}

TEST(WorldDeathTest, OnlyAPlayerIsGivenALivingEntity) {
  const auto world = make_world();
  const ecs::Entity living = *world->create(engine::Transform{});
  const ecs::Entity dead = *world->create(engine::Transform{});
  world->destroy(dead);
  world->add_viewer(4);
  world->add_viewer(5, {}, true);
  EXPECT_DEATH(world->set_player_entity(4, dead), "of a player is dead");
  EXPECT_DEATH(world->set_player_entity(5, living), "number 5 is no player") << "a spectator";
  EXPECT_DEATH(world->set_player_entity(6, living), "number 6 is no player");
}

TEST(World, DestroysACyclicHierarchy) {
  const auto world = make_world();
  ecs::Registry& registry = world->registry();
  const ecs::Entity a = registry.create();
  const ecs::Entity b = registry.create();
  registry.add<engine::Parent>(a).entity = {b.index, b.generation};
  registry.add<engine::Parent>(b).entity = {a.index, a.generation};
  world->destroy_tree(a);
  EXPECT_EQ(registry.entities().size(), 0u);
}

TEST(World, ASpawnedLevelHasWorldTransforms) {
  const auto world = make_world();
  ASSERT_TRUE(world->spawn_level().ok());
  ecs::Registry& registry = world->registry();
  EXPECT_EQ(registry.pool<hierarchy::WorldTransform>().size(), registry.pool<engine::Transform>().size());
  std::uint32_t below = 0;
  registry.view<const engine::Parent, const engine::Transform, const hierarchy::WorldTransform>().each(
      [&](const engine::Parent& parent, const engine::Transform& local, const hierarchy::WorldTransform& place) {
        EXPECT_EQ(place, compose(registry.get<const hierarchy::WorldTransform>(parent.entity), local));
        ++below;
      });
  EXPECT_GT(below, 0u);
  EXPECT_TRUE(world->hierarchy().refused().empty());
}

TEST(World, APrefabIsDestroyedWithItsParts) {
  const auto world = make_world();
  ASSERT_TRUE(world->spawn_level().ok());
  ecs::Registry& registry = world->registry();
  ecs::Entity root;
  registry.view<const engine::Parent>().each([&](ecs::Entity, const engine::Parent& parent) {
    const ecs::Entity above{parent.entity.index, parent.entity.generation};
    if (!registry.has<engine::Parent>(above)) root = above;
  });
  ASSERT_TRUE(registry.valid(root));
  const std::uint32_t before = registry.entities().size();
  world->destroy_tree(root);
  EXPECT_GE(before - registry.entities().size(), 5u);
  registry.view<const engine::Parent>().each([&](ecs::Entity, const engine::Parent& parent) {
    EXPECT_TRUE(registry.valid({parent.entity.index, parent.entity.generation})) << "an orphan is left";
  });
  registry.check();
}

}  // namespace
}  // namespace mobula::server
