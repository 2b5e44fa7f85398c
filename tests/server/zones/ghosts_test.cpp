// Ghosts of a random world behind a bad path, compared with the mirror that they are copied from.
#include <mobula/server/zones/ghosts.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <seeds.hpp>
#include <server/rewind/rewound_world.hpp>

namespace mobula::server {
namespace {

constexpr std::uint32_t neighbour = 7;

// A registry beside a neighbour's world, with entities of its own and ghosts.
class Border {
 public:
  explicit Border(std::uint64_t seed, std::uint32_t loss = 20)
      : theirs(seed, test::game_schema(), loss, 3),
        ours({.entities = {.incarnation = 5,
                           .entities_max = test::replica_entities_max,
                           .own = {.first = 60'000, .end = test::replica_entities_max}},
              .pools = {}}),
        ghosts(ours, neighbour) {
    static_cast<void>(reflect::register_components(ours, *theirs.world.schema).value());
  }

  void tick(std::uint32_t changes = 3) {
    theirs.tick(changes);
    mirror().hand_out_changes();
    const core::Status applied = ghosts.apply(mirror());
    ASSERT_TRUE(applied.ok()) << applied.error().message;
    ours.clear_journal();
    ours.set_tick(ours.tick() + 1);
  }
  client::Mirror& mirror() { return theirs.mirror(); }

  // Changes ghosts that the mirror shows, as only their zone may. Returns them.
  std::vector<ecs::Entity> change_ghosts() {
    std::vector<ecs::Entity> changed;
    for (const std::uint32_t index : ours.pool<Ghost>().indices()) {
      const ecs::Entity ghost = ours.entities().at(index);
      auto* const transform = ours.try_get<engine::Transform>(ghost);
      if (transform == nullptr || ours.get<const Ghost>(ghost).ends != 0) continue;
      transform->position.x += 1;
      changed.push_back(ghost);
    }
    return changed;
  }

  // Compares each entity that the mirror shows with its ghost.
  void compare() {
    mirror().registry().entities().each([&](ecs::Entity entity) {
      if (mirror().is_stale(entity)) return;
      ASSERT_TRUE(ours.entities().is_ghost(entity)) << to_string(entity);
      ASSERT_EQ(ours.get<const Ghost>(entity).neighbour, neighbour);
      ASSERT_EQ(ours.get<const Ghost>(entity).ends, 0u);
      compare(entity);
    });
    for (const std::uint32_t index : ours.pool<Ghost>().indices()) {
      const ecs::Entity ghost = ours.entities().at(index);
      if (ours.get<const Ghost>(ghost).ends != 0) continue;
      ASSERT_TRUE(mirror().registry().valid(ghost) && !mirror().is_stale(ghost)) << to_string(ghost);
    }
    ours.check();
  }

  test::RewoundWorld theirs;
  ecs::Registry ours;
  Ghosts ghosts;

 private:
  void compare(ecs::Entity entity) {
    const ecs::Registry& shown = mirror().registry();
    const auto pools = shown.prototypes().pools(shown.prototype(entity));
    ASSERT_EQ(ours.prototypes().pools(ours.prototype(entity)).size(), pools.size());
    for (const ecs::PoolId id : pools) {
      const ecs::Pool& pool = shown.pool(id);
      const ecs::PoolId own = ours.find_pool(pool.type().id, core::StringId32(pool.instance_name()));
      ASSERT_NE(own, ecs::no_pool);
      const std::byte* const value = std::as_const(ours).try_read(entity, own);
      ASSERT_NE(value, nullptr);
      ASSERT_EQ(std::memcmp(value, shown.try_read(entity, id), pool.type().size), 0) << pool.instance_name();
    }
  }
};

TEST(Ghosts, EqualTheMirrorAfterEachTick) {
  mobula::test::for_each_seed(1, mobula::test::few_or_all(2, 8), 400, [](std::uint64_t seed) {
    Border border(seed);
    for (int tick = 0; tick < 300 && !testing::Test::HasFatalFailure(); ++tick) {
      border.tick();
      border.compare();
    }
    EXPECT_GT(border.ghosts.stats().gained, 50u);
    EXPECT_GT(border.ghosts.stats().lost, 20u);
    EXPECT_EQ(border.ghosts.stats().refused, 0u);
    border.ghosts.verify(border.mirror(), 1000);
    EXPECT_GT(border.ghosts.stats().checked, 5u);
    EXPECT_EQ(border.ghosts.stats().corrected, 0u);
  });
}

TEST(Ghosts, ChangesOfTheGameAreFoundAndCorrected) {
  Border border(5, 0);
  for (int tick = 0; tick < 40; ++tick) border.tick();
  const std::size_t spoiled = border.change_ghosts().size();
  ASSERT_GT(spoiled, 3u);
  border.ghosts.verify(border.mirror(), border.ours.pool<Ghost>().size());
  EXPECT_EQ(border.ghosts.stats().corrected, spoiled);
  border.compare();
}

// A still entity crosses from one neighbour to another, whose mirror has shown it before the former one's did so last.
TEST(Ghosts, AGhostThatEndsIsShownByAnotherNeighbour) {
  Border border(5, 0);
  for (int tick = 0; tick < 40; ++tick) border.tick();
  Ghosts former(border.ours, neighbour + 1);
  border.mirror().registry().entities().each([&](ecs::Entity entity) { former.show(border.mirror(), entity); });
  EXPECT_EQ(former.stats().gained, 0u) << "this world has them";
  const std::vector<std::uint32_t> all(border.ours.pool<Ghost>().indices().begin(),
                                       border.ours.pool<Ghost>().indices().end());
  for (const std::uint32_t index : all)
    border.ours.get<Ghost>(border.ours.entities().at(index)).neighbour = neighbour + 1;
  former.begin(1);
  border.ours.set_tick(border.ours.tick() + 1);
  border.mirror().hand_out_changes();  // none
  ASSERT_TRUE(former.apply(border.mirror()));
  ASSERT_GT(former.ended().size(), 3u);
  for (const ecs::Entity entity : former.ended()) border.ghosts.show(border.mirror(), entity);
  border.compare();
}

TEST(Ghosts, AChangeOfAMissingGhostMakesIt) {
  Border border(5, 0);
  for (int tick = 0; tick < 40; ++tick) border.tick();
  const std::vector<std::uint32_t> all(border.ours.pool<Ghost>().indices().begin(),
                                       border.ours.pool<Ghost>().indices().end());
  for (const std::uint32_t index : all) border.ours.destroy(border.ours.entities().at(index));
  int changed = 0;
  for (int tick = 0; tick < 10; ++tick) {
    border.tick();
    for (const client::Change& change : border.mirror().changes()) {
      if (change.kind != client::ChangeKind::changed || border.mirror().is_stale(change.entity)) continue;
      EXPECT_TRUE(border.ours.entities().is_ghost(change.entity));
      ++changed;
    }
  }
  EXPECT_GT(changed, 3);
}

// The neighbour had the entity before this world. Its loss has not arrived when the neighbour takes it over again.
TEST(Ghosts, AKeptEntityIsNotComparedWithAnEarlierStay) {
  Border border(5, 0);
  for (int tick = 0; tick < 40; ++tick) border.tick();
  const std::vector<ecs::Entity> kept = border.change_ghosts();
  ASSERT_GT(kept.size(), 3u);
  border.ghosts.keep(kept, *border.theirs.world.schema);
  border.ghosts.verify(border.mirror(), border.ours.pool<Ghost>().size());
  EXPECT_EQ(border.ghosts.stats().corrected, 0u);
  int changed = 0;
  for (int tick = 0; tick < 10; ++tick) {
    border.tick(0);
    for (const client::Change& change : border.mirror().changes()) {
      if (change.kind != client::ChangeKind::changed || std::ranges::count(kept, change.entity) == 0) continue;
      EXPECT_EQ(border.ours.get<const Ghost>(change.entity).ends, 0u) << "the mirror shows it again";
      ++changed;
    }
  }
  EXPECT_GT(changed, 3);
  border.ghosts.verify(border.mirror(), border.ours.pool<Ghost>().size());
  EXPECT_EQ(border.ghosts.stats().corrected, 0u);
}

TEST(Ghosts, OneThatLeavesTheViewLingers) {
  Border border(6, 0);
  border.theirs.leaves = false;
  for (int tick = 0; tick < 40; ++tick) border.tick(0);
  border.theirs.returns = false;
  const std::vector<std::uint32_t> all(border.theirs.replica->view.visible().begin(),
                                       border.theirs.replica->view.visible().end());
  ASSERT_GT(all.size(), 10u);
  const std::uint32_t before = border.ours.pool<Ghost>().size();
  border.theirs.replica->view.remove_visible(all);
  for (ecs::Tick tick = 0; tick < Ghosts::linger_ticks / 2; ++tick) border.tick(0);
  EXPECT_EQ(border.ours.pool<Ghost>().size(), before);
  for (ecs::Tick tick = 0; tick < 2 * Ghosts::linger_ticks; ++tick) border.tick(0);
  EXPECT_EQ(border.ours.pool<Ghost>().size(), 0u);
}

// The entity has crossed from this neighbour to another one, which shows it before this one's loss of it arrives.
TEST(Ghosts, AnotherNeighbourTakesAGhostOver) {
  Border border(7, 0);
  for (int tick = 0; tick < 40; ++tick) border.tick(0);
  const ecs::Entity ghost = border.ours.entities().at(border.ours.pool<Ghost>().indices()[0]);
  border.ours.get<Ghost>(ghost).neighbour = neighbour + 1;
  border.ghosts.begin(0);
  border.tick(0);
  EXPECT_EQ(border.ours.pool<Ghost>().size(), 1u) << "all others have ended";
  EXPECT_TRUE(border.ours.valid(ghost));
}

TEST(Ghosts, OnlyOnesOwnCount) {
  Border border(7, 0);
  for (int tick = 0; tick < 40; ++tick) border.tick(0);
  EXPECT_TRUE(border.ghosts.any());
  for (const std::uint32_t index : border.ours.pool<Ghost>().indices())
    border.ours.get<Ghost>(border.ours.entities().at(index)).neighbour = neighbour + 1;
  EXPECT_FALSE(border.ghosts.any());
}

// As of a pet that ends with its owner.
TEST(Ghosts, ListenersOfKeptEntitiesMayDestroyOthers) {
  for (const bool asks : {true, false}) {
    Border border(1);
    const ecs::Entity owner = border.ours.create();
    const ecs::Entity pet = border.ours.create();
    border.ours.add<demo::Health>(pet).current = 42;
    border.ours.destroying().connect([&](std::span<const ecs::Entity> ending) {
      if (ending.front() != owner || !border.ours.valid(pet)) return;
      EXPECT_TRUE(border.ours.entities().is_ghost(pet)) << "before the first one ends";
      if (!asks) border.ours.destroy(pet);
    });
    border.ghosts.keep(std::array{owner, pet}, *border.theirs.world.schema);
    for (const ecs::Entity each : {owner, pet}) EXPECT_TRUE(border.ours.entities().is_ghost(each));
    EXPECT_EQ(border.ours.get<const demo::Health>(pet).current, 42);
  }
}

TEST(Ghosts, AnEntityOfThisWorldIsNoGhost) {
  Border border(8, 0);
  border.theirs.leaves = false;
  for (int tick = 0; tick < 40; ++tick) border.tick(0);
  const ecs::Entity taken = border.ours.entities().at(border.ours.pool<Ghost>().indices()[0]);
  border.ours.remove<Ghost>(taken);
  ecs::Guests(border.ours).set_ghost(taken, false);
  border.ghosts.begin(0);
  for (int tick = 0; tick < 40; ++tick) border.tick();
  EXPECT_TRUE(border.ours.valid(taken));
  EXPECT_FALSE(border.ours.entities().is_ghost(taken));
}

}  // namespace
}  // namespace mobula::server
