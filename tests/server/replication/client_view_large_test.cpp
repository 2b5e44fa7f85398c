// Entities that do not fit a datagram: their bodies are sent ahead, deltas announce them.
#include <gtest/gtest.h>

#include <seeds.hpp>
#include <server/replica.hpp>

namespace mobula::server {
namespace {

using test::RandomWorld;
using test::Replica;

constexpr std::size_t large_datagram_bytes = wire::delta_bytes_max;

void run_large_tick(RandomWorld& world, Replica& replica, std::uint32_t changes, std::size_t bytes_max,
                    test::PublishedHistory* history = nullptr) {
  world.changes(changes);
  const std::span<const std::uint32_t> changed = world.publish();
  if (history != nullptr) history->note(world.publisher.published(), changed, world.registry.tick());
  replica.see_all();
  replica.tick(bytes_max, large_datagram_bytes);
  world.end_tick();
}

::testing::AssertionResult settles_large(RandomWorld& world, Replica& replica, std::size_t bytes_max) {
  for (int i = 0; i < 600; ++i) {
    run_large_tick(world, replica, 0, bytes_max);
    if (replica.converged() && !replica.view.has_pending()) return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "not settled after 600 ticks without change or loss";
}

// An entity with this number of crates, each of 25 bytes.
struct Hoard {
  explicit Hoard(std::uint32_t crates) : entity(world.create()) {
    for (std::uint32_t i = 0; i < crates; ++i)
      pools.push_back(world.registry.pool_of<demo::Name>("crate " + std::to_string(i)));
    for (const ecs::PoolId pool : pools) registry_add(pool);
  }
  void registry_add(ecs::PoolId pool) {
    world.registry.add_bytes(entity, pool);
    write(pool, 'a');
  }
  void write(ecs::PoolId pool, char letter) {
    std::ranges::fill(reinterpret_cast<demo::Name*>(world.registry.try_write(entity, pool))->text, letter);
  }
  void write_all(char letter) {
    for (const ecs::PoolId pool : pools) write(pool, letter);
  }

  RandomWorld world{1};
  ecs::Entity entity;
  std::vector<ecs::PoolId> pools;
};

TEST(ClientViewLarge, AnEntityLargerThanADatagramArrivesWhole) {
  Hoard hoard(200);
  Replica replica(hoard.world, 0, 0);
  EXPECT_TRUE(settles_large(hoard.world, replica, 24 * 1024));
  EXPECT_EQ(replica.client.mirror->size(), 1u);
  EXPECT_EQ(replica.announcements, 1u);
  replica.client.mirror->check();
}

TEST(ClientViewLarge, SmallChangesOfItAreOrdinaryDeltas) {
  Hoard hoard(200);
  Replica replica(hoard.world, 0, 0);
  ASSERT_TRUE(settles_large(hoard.world, replica, 24 * 1024));
  for (int i = 0; i < 20; ++i) {
    hoard.write(hoard.pools[static_cast<std::size_t>(i)], 'b');
    run_large_tick(hoard.world, replica, 0, 24 * 1024);
  }
  EXPECT_TRUE(settles_large(hoard.world, replica, 24 * 1024));
  EXPECT_EQ(replica.announcements, 1u);
}

TEST(ClientViewLarge, ABudgetBelowItsSizeLetsItProgress) {
  Hoard hoard(200);
  Replica replica(hoard.world, 0, 0);
  EXPECT_TRUE(settles_large(hoard.world, replica, 200));
}

// It changes in each tick by more than a datagram holds: its mirror has true states, though late ones.
TEST(ClientViewLarge, AnEntityThatNeverRestsIsSentAllTheSame) {
  Hoard hoard(200);
  Replica replica(hoard.world, 10, 3);
  test::PublishedHistory history;
  ecs::Tick newest = 0;
  std::size_t states = 0;
  for (int i = 0; i < 300; ++i) {
    hoard.write_all(static_cast<char>('a' + i % 26));
    run_large_tick(hoard.world, replica, 0, 2000, &history);
    replica.expect_true(history);
    if (testing::Test::HasFatalFailure()) return;
    const ecs::Tick tick = replica.client.mirror->tick_of(hoard.entity);
    states += tick != newest ? 1 : 0;
    newest = tick;
  }
  EXPECT_GT(states, 10u);
}

TEST(ClientViewLarge, ABodyIsDroppedWhenItsEntityIsRecomposed) {
  Hoard hoard(200);
  Replica replica(hoard.world, 0, 0);
  for (int i = 0; i < 6; ++i) run_large_tick(hoard.world, replica, 0, 500);
  ASSERT_NE(replica.view.bodies(), nullptr);
  ASSERT_TRUE(replica.view.bodies()->any_unannounced());
  for (std::size_t i = 100; i < 200; ++i) hoard.world.registry.remove(hoard.entity, hoard.pools[i]);
  EXPECT_TRUE(settles_large(hoard.world, replica, 2000));
  EXPECT_EQ(replica.announcements, 1u);
}

TEST(ClientViewLarge, ABodyIsDroppedWhenItsEntityIsDestroyed) {
  Hoard hoard(200);
  Replica replica(hoard.world, 0, 0);
  for (int i = 0; i < 6; ++i) run_large_tick(hoard.world, replica, 0, 500);
  ASSERT_TRUE(replica.view.bodies()->any_unannounced());
  hoard.world.destroy(0);
  EXPECT_TRUE(settles_large(hoard.world, replica, 2000));
  EXPECT_EQ(replica.announcements, 0u);
  EXPECT_EQ(replica.client.mirror->size(), 0u);
}

TEST(ClientViewLarge, ABodyFromBeforeALongOutageHasItsOwnTick) {
  Hoard hoard(200);
  Replica replica(hoard.world, 0, 0);
  for (int i = 0; i < 6; ++i) run_large_tick(hoard.world, replica, 0, 500);
  ASSERT_TRUE(replica.view.bodies()->any_unannounced());
  const ecs::Tick frozen = hoard.world.registry.tick();
  hoard.world.registry.set_tick(frozen + 50'000);  // the low 16 bits of `frozen` are nearer to a later tick
  replica.lose_lane();
  EXPECT_TRUE(settles_large(hoard.world, replica, 500));
  EXPECT_GT(replica.announcements, 0u);
  EXPECT_LE(replica.client.mirror->tick(), hoard.world.registry.tick());
  EXPECT_LT(replica.client.mirror->tick_of(hoard.entity), frozen);
}

TEST(ClientViewLarge, ACompleteDeltaWaitsForBodies) {
  Hoard hoard(200);
  Replica replica(hoard.world, 0, 0);
  for (int i = 0; i < 6; ++i) {
    run_large_tick(hoard.world, replica, 0, 300);
    EXPECT_TRUE(replica.view.has_pending());
  }
}

// Outcomes of commands make a header longer, by more in some ticks than in others.
TEST(ClientViewLarge, AnEntityThatJustFitsArrivesBesideOutcomes) {
  for (std::uint32_t crates = 38; crates <= 46; ++crates) {
    SCOPED_TRACE(testing::Message() << crates << " crates");
    Hoard hoard(crates);
    Replica replica(hoard.world, 0, 0);
    for (std::uint32_t tick = 1; tick < 80; ++tick) {
      replica.feedback = {.done = 63 + tick, .unusual = tick % 3 == 0 ? ~std::uint64_t{0} : tick % 2};
      replica.feedback.late.fill(tick % 3 == 0 ? 7 : 0);
      hoard.write_all(static_cast<char>('a' + tick % 20));
      run_large_tick(hoard.world, replica, 0, 24 * 1024);
    }
    replica.feedback = {.done = 200, .unusual = ~std::uint64_t{0}};
    EXPECT_TRUE(settles_large(hoard.world, replica, 24 * 1024));
    EXPECT_EQ(replica.client.mirror->size(), 1u);
  }
}

// Model test: as that of ClientView, with entities of up to 2.5 KB.
TEST(ClientViewLarge, EveryMirroredEntityIsTrueDespiteLoss) {
  std::uint64_t announcements = 0;
  const std::uint64_t seeds = test::few_or_all(8, 10);
  test::for_each_seed(1, seeds, 250, [&](std::uint64_t seed) {
    RandomWorld world(seed);
    world.crates = 60 + static_cast<std::uint32_t>(seed % 4) * 15;
    world.entities_max = 12;
    test::PublishedHistory history;
    world.changes(30);
    Replica replica(world, static_cast<std::uint32_t>(seed % 4) * 10, static_cast<std::uint32_t>(seed % 7));
    const std::size_t bytes_max = 1200 + seed % 5 * 1500;
    for (int tick = 0; tick < 250; ++tick) {
      run_large_tick(world, replica, world.random.below(6), bytes_max, &history);
      replica.expect_true(history);
      if (testing::Test::HasFatalFailure()) return;
      if (world.random.chance(1, 8))
        replica.view.update_owners([&](std::uint32_t) { return world.random.chance(1, 2); });
      if (world.random.chance(1, 60) && replica.view.bodies() != nullptr) replica.lose_lane();
    }
    replica.view.update_owners([](std::uint32_t) { return false; });
    replica.end_loss();
    EXPECT_TRUE(settles_large(world, replica, bytes_max));
    replica.client.mirror->check();
    announcements += replica.announcements;
  });
  if (!test::soaks()) EXPECT_GT(announcements, 20 * seeds);
}

}  // namespace
}  // namespace mobula::server
