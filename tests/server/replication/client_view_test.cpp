#include <gtest/gtest.h>

#include <fstream>
#include <mobula/core/hex.hpp>
#include <reflect/compile_schema.hpp>
#include <seeds.hpp>
#include <server/replica.hpp>
#include <sstream>

namespace mobula::server {
namespace {

using test::RandomWorld;
using test::Replica;

// Runs a tick of a changing world with these clients.
void run_tick(RandomWorld& world, std::vector<Replica*> replicas, std::uint32_t changes,
              test::PublishedHistory* history = nullptr) {
  world.changes(changes);
  const std::span<const std::uint32_t> changed = world.publish();
  if (history != nullptr) history->note(world.publisher.published(), changed, world.registry.tick());
  for (Replica* replica : replicas) {
    replica->see_all();
    replica->tick();
  }
  world.end_tick();
}

::testing::AssertionResult settles(RandomWorld& world, Replica& replica, int ticks) {
  for (int i = 0; i < ticks; ++i) {
    if (replica.converged() && !replica.view.has_pending()) return ::testing::AssertionSuccess();
    run_tick(world, {&replica}, 0);
  }
  return ::testing::AssertionFailure() << "after " << ticks << " ticks without change or loss";
}

TEST(ClientView, SendsEntitiesPublishedBeforeItWasMade) {
  RandomWorld world(1);
  world.changes(50);
  world.publish();
  world.end_tick();
  Replica replica(world, 0, 0);
  EXPECT_TRUE(settles(world, replica, 50));
  EXPECT_EQ(replica.client.mirror->size(), world.alive.size());
}

TEST(ClientView, WithoutLossACompleteDeltaMakesTheMirrorEqual) {
  RandomWorld world(2);
  Replica replica(world, 0, 0);
  int complete = 0;
  for (int tick = 0; tick < 200; ++tick) {
    run_tick(world, {&replica}, world.random.below(10));
    if (!replica.view.has_pending()) {
      // The world has not changed since the deltas of this tick.
      ASSERT_TRUE(replica.converged()) << "tick " << tick;
      ++complete;
    }
  }
  EXPECT_GT(complete, 50);
}

// Model test: random changes, loss, duplicates, reordering and budgets. At every tick every mirrored entity equals the
// server's state at that entity's own tick. When changes stop the mirror becomes equal.
TEST(ClientView, EveryMirroredEntityIsTrueDespiteLossAndReordering) {
  const std::uint64_t seeds = test::few_or_all(8, 24);
  std::uint64_t late = 0;
  std::uint64_t verified = 0;
  test::for_each_seed(1, seeds, 250, [&](std::uint64_t seed) {
    RandomWorld world(seed);
    test::PublishedHistory history;
    world.changes(60);
    Replica replica(world, static_cast<std::uint32_t>(seed % 4) * 15, static_cast<std::uint32_t>(seed % 7));
    for (int tick = 0; tick < 250; ++tick) {
      run_tick(world, {&replica}, world.random.below(20), &history);
      replica.expect_true(history);
      if (testing::Test::HasFatalFailure()) return;
    }
    replica.end_loss();
    EXPECT_TRUE(settles(world, replica, 100));
    for (int i = 0; i < 3; ++i) run_tick(world, {&replica}, 0);
    EXPECT_EQ(replica.view.acknowledged_hash(), world.publisher.published().hash());
    replica.client.mirror->check();
    late += replica.client.late_ones;
    verified += replica.client.verified_times;
  });
  if (test::soaks()) return;
  EXPECT_GT(late, 12 * seeds);
  EXPECT_GT(verified, 125 * seeds);
}

TEST(ClientView, EntitiesThatLeaveAndReturnAreTrueToo) {
  test::for_each_seed(1, test::few_or_all(6, 16), 250, [](std::uint64_t seed) {
    RandomWorld world(seed);
    test::PublishedHistory history;
    // Some deltas are as late as the last accepted ones, so that ids have been reused meanwhile.
    const auto delay = static_cast<std::uint32_t>(seed % 2 == 0 ? seed % 5 : 2 * (seed % 17));
    Replica replica(world, static_cast<std::uint32_t>(seed % 3) * 20, delay);
    const auto tick = [&](std::uint32_t changes, bool look) {
      world.changes(changes);
      history.note(world.publisher.published(), world.publish(), world.registry.tick());
      replica.view.note_published();
      std::set<std::uint32_t> seen;
      std::vector<std::uint32_t> leaving;
      for (const std::uint32_t index : replica.view.visible()) {
        seen.insert(index);
        if (look && world.random.chance(1, 8)) leaving.push_back(index);
      }
      replica.view.remove_visible(leaving);
      if (world.random.chance(1, 4))
        replica.view.update_owners([&](std::uint32_t) { return world.random.chance(1, 4); });
      for (std::uint32_t index = 0; look && index < world.publisher.published().index_end(); ++index) {
        if (!seen.contains(index) && world.publisher.published().entity(index).entity && world.random.chance(1, 8))
          replica.view.add_visible(index, world.random.chance(1, 4));
      }
      replica.tick();
      world.end_tick();
    };
    for (int i = 0; i < 250; ++i) {
      tick(world.random.below(20), true);
      replica.expect_true(history);
      if (testing::Test::HasFatalFailure()) return;
    }
    replica.end_loss();
    for (int i = 0; i < 100; ++i) tick(0, false);
    EXPECT_FALSE(replica.view.has_pending());
    EXPECT_EQ(replica.client.mirror->hash(), replica.view.acknowledged_hash());
    std::size_t there = 0;
    for (const std::uint32_t index : replica.view.visible())
      there += replica.client.mirror->tick_of(world.publisher.published().entity(index).entity) != 0 ? 1 : 0;
    EXPECT_EQ(there, replica.view.visible().size());
    EXPECT_EQ(there, replica.client.mirror->size());
  });
}

TEST(ClientView, SurvivesAnOutageThatSwallowsAWholeWindowOfDeltas) {
  for (const bool only_one_way : {false, true}) {
    SCOPED_TRACE(only_one_way);
    RandomWorld world(5);
    Replica replica(world, 0, 1);
    for (int tick = 0; tick < 30; ++tick) run_tick(world, {&replica}, 10);
    (only_one_way ? replica.inputs.loss_percent : replica.deltas.loss_percent) = 100;
    for (int tick = 0; tick < 300; ++tick) run_tick(world, {&replica}, 10);
    EXPECT_EQ(replica.view.unsettled(), SentDeltas::window_max);
    replica.deltas.loss_percent = replica.inputs.loss_percent = 0;
    for (int tick = 0; tick < 60; ++tick) run_tick(world, {&replica}, 10);
    EXPECT_LT(replica.view.unsettled(), 50u);
    EXPECT_TRUE(settles(world, replica, 100));
  }
}

TEST(ClientView, NothingStarvesWhenChangesExceedTheBudget) {
  RandomWorld world(3);
  std::vector<ecs::Entity> busy;
  for (int i = 0; i < 60; ++i) {
    const ecs::Entity entity = world.create();
    world.registry.add<engine::Transform>(entity);
    busy.push_back(entity);
  }
  Replica replica(world, 20, 2);
  for (int tick = 1; tick <= 400; ++tick) {
    for (const ecs::Entity entity : busy)
      world.registry.get<engine::Transform>(entity).position.x = world.random.uniform(-500, 500);
    world.publish();
    replica.see_all();
    replica.tick(60, 200);  // ten entities or so
    if (tick > 100) {
      for (const ecs::Entity entity : busy)
        ASSERT_LT(world.registry.tick() - replica.client.mirror->tick_of(entity), 60u)
            << "tick " << tick << ", entity " << to_string(entity);
    }
    world.end_tick();
  }
}

TEST(ClientView, NothingStarvesWhileMoreIsGainedThanFits) {
  RandomWorld world(3);
  std::vector<ecs::Entity> busy;
  const auto create = [&] {
    const ecs::Entity entity = world.create();
    world.registry.add<engine::Transform>(entity);
    return entity;
  };
  for (int i = 0; i < 20; ++i) busy.push_back(create());
  Replica replica(world, 0, 1);
  for (int tick = 1; tick <= 400; ++tick) {
    for (const ecs::Entity entity : busy)
      world.registry.get<engine::Transform>(entity).position.x = world.random.uniform(-500, 500);
    if (tick > 50) {
      for (int i = 0; i < 20; ++i) create();
    }
    world.publish();
    replica.see_all();
    replica.tick(60, 200);  // ten entities or so
    if (tick > 100) {
      for (const ecs::Entity entity : busy)
        ASSERT_LT(world.registry.tick() - replica.client.mirror->tick_of(entity), 80u)
            << "tick " << tick << ", entity " << to_string(entity);
    }
    world.end_tick();
  }
  EXPECT_GT(replica.client.mirror->size(), 1000u);
}

TEST(ClientView, ImportantEntitiesAreSentMoreOften) {
  RandomWorld world(3);
  std::vector<ecs::Entity> busy;
  for (int i = 0; i < 60; ++i) {
    busy.push_back(world.create());
    world.registry.add<engine::Transform>(busy.back());
  }
  EncodedDeltaCache encoded(world.publisher.published());
  ViewWorkspace workspace;
  ClientView view(world.publisher.published(), encoded, workspace, false);
  std::map<ecs::Tick, std::uint32_t> sizes;
  std::size_t bytes = 0;
  for (int tick = 1; tick <= 50; ++tick) {
    for (const ecs::Entity entity : busy)
      world.registry.get<engine::Transform>(entity).position.x = world.random.uniform(-500, 500);
    world.publish();
    encoded.begin_tick(world.registry.tick());
    for (const std::uint32_t index : world.publisher.spawned()) view.add_visible(index, false);
    view.note_published();
    view.choose(world.registry.tick(), 60, [](std::uint32_t index) { return index < 5 ? 1000.0f : 1.0f; });
    for (const auto& [prototype, id] : view.prototypes().wanted()) view.prototypes().delivered(id);
    view.prototypes().clear_wanted();
    core::Bytes delta(400);
    bytes += view.write_delta(delta, world.registry.tick(), {});
    world.end_tick();
  }
  EXPECT_GT(bytes, 0u);
  // Unimportant entities wait longest; the five important ones are sent in each tick.
  for (std::uint32_t index = 0; index < 5; ++index)
    EXPECT_EQ(view.sent_tick(index), world.registry.tick() - 1) << index;
}

TEST(ClientView, AChangeBackIsSentToo) {
  RandomWorld world(4);
  const ecs::Entity entity = world.create();
  world.registry.add<demo::Health>(entity).current = 1;
  Replica replica(world, 0, 0);
  for (int tick = 0; tick < 100; ++tick) {
    world.registry.get<demo::Health>(entity).current = static_cast<std::uint16_t>(1 + tick % 2);
    replica.deltas.loss_percent = tick % 3 == 0 ? 100 : 0;
    run_tick(world, {&replica}, 0);
    if (testing::Test::HasFatalFailure()) return;
  }
  replica.deltas.loss_percent = 0;
  EXPECT_TRUE(settles(world, replica, 10));
}

const std::size_t empty_delta = wire::header_size({}) + 2;

TEST(ClientView, AnEntityThatWasNeverSentIsNotRemoved) {
  RandomWorld world(6);
  const ecs::Entity entity = world.create();
  world.publish();
  EncodedDeltaCache encoded(world.publisher.published());
  ViewWorkspace workspace;
  ClientView view(world.publisher.published(), encoded, workspace, false);
  view.add_visible(entity.index, false);
  world.end_tick();
  world.registry.destroy(entity);
  world.publish();
  EXPECT_EQ(test::next_delta(view, encoded, world).size(), empty_delta);
  EXPECT_FALSE(view.has_pending());
  EXPECT_TRUE(view.visible().empty());
}

TEST(ClientView, NothingIsSentTwiceWhileItMayBeArriving) {
  RandomWorld world(7);
  world.registry.add<demo::Health>(world.create());
  Replica replica(world, 0, 0);
  for (int tick = 0; tick < 10; ++tick) run_tick(world, {&replica}, 0);
  world.registry.get<demo::Health>(world.alive[0]).current = 5;
  world.publish();
  core::Bytes delta(400);
  replica.encoded.begin_tick(world.registry.tick());
  for (const bool first : {true, false}) {
    replica.view.note_published();
    replica.view.choose(world.registry.tick(), 400, [](std::uint32_t) { return 1.0f; });
    EXPECT_EQ(replica.view.has_chosen(), first);
    replica.view.write_delta(delta, world.registry.tick(), {});
  }
}

// Returns the deltas of docs/protocol.md: the lines "delta NUMBER bytes in hex" of section "Deltas".
std::vector<core::Bytes> specified_deltas() {
  std::ifstream file(MOBULA_SOURCE_DIR "/docs/protocol.md");
  std::vector<core::Bytes> deltas;
  std::string line;
  while (std::getline(file, line) && !line.starts_with("## Deltas")) continue;
  while (std::getline(file, line) && !line.starts_with("## ")) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word != "delta") continue;
    std::string hex;
    for (words >> word; words >> word;) hex += word;
    deltas.push_back(core::from_hex(hex).value());
  }
  return deltas;
}

TEST(ClientView, ItsDeltasAreThoseOfTheSpecification) {
  RandomWorld world(1);
  EncodedDeltaCache encoded(world.publisher.published());
  ViewWorkspace workspace;
  ClientView view(world.publisher.published(), encoded, workspace, false);
  std::vector<core::Bytes> deltas;
  const auto tell = [&] {
    world.publish();
    encoded.begin_tick(world.registry.tick());
    view.note_published();
    if (deltas.empty()) view.add_visible(0, false);
    view.choose(world.registry.tick(), 400, [](std::uint32_t) { return 1.0f; });
    core::Bytes delta(400);
    delta.resize(view.write_delta(delta, world.registry.tick(), {}));
    deltas.push_back(std::move(delta));
    world.end_tick();
  };
  const ecs::Entity entity = world.create();
  world.registry.add<demo::Team>(entity).color = demo::TeamColor::blue;
  view.prototypes().find_or_want(world.registry.prototype(entity));
  view.prototypes().delivered(1);
  tell();
  ASSERT_TRUE(view.acknowledge({.ack = 1, .newest = 1, .words = 1, .received = {1}}).ok());
  world.registry.get<demo::Team>(entity).color = demo::TeamColor::red;
  tell();
  for (int pause = 0; pause < 3; ++pause) world.publish(), world.end_tick();
  ASSERT_TRUE(view.acknowledge({.ack = 2, .newest = 2, .words = 1, .received = {3}}).ok());
  world.registry.destroy(entity);
  tell();
  const std::vector<core::Bytes> specified = specified_deltas();
  ASSERT_EQ(specified.size(), deltas.size());
  for (std::size_t i = 0; i < deltas.size(); ++i) EXPECT_EQ(core::to_hex(deltas[i]), core::to_hex(specified[i]));
}

TEST(ClientView, WithoutFreeIdsAnEntityWaitsForOne) {
  RandomWorld world(4);
  constexpr std::uint32_t ids = 262'144;
  const ecs::EntityRange range = world.create_many(ids + 1);
  world.publish();
  EncodedDeltaCache encoded(world.publisher.published());
  ViewWorkspace workspace;
  ClientView view(world.publisher.published(), encoded, workspace, false);
  for (std::uint32_t i = 0; i < ids; ++i) ASSERT_TRUE(view.add_visible(range.first + i, false));
  EXPECT_FALSE(view.add_visible(range.first + ids, false));
  EXPECT_EQ(view.visible().size(), ids);
  const std::uint32_t gone[] = {range.first + 77};
  view.remove_visible(gone);
  EXPECT_TRUE(view.add_visible(range.first + ids, false));
  view.check();
}

TEST(ClientView, RefusesToHaveTheFutureAcknowledged) {
  RandomWorld world(8);
  world.changes(20);
  world.publish();
  EncodedDeltaCache encoded(world.publisher.published());
  ViewWorkspace workspace;
  ClientView view(world.publisher.published(), encoded, workspace, true);
  const core::Status acknowledged = view.acknowledge({.ack = 1, .newest = 1, .words = 4});
  ASSERT_FALSE(acknowledged.ok());
  EXPECT_STREQ(acknowledged.error().reason, "acknowledges the future");
  test::next_delta(view, encoded, world);
  wire::InputDatagram input{.ack = 1, .newest = 1, .words = 4};
  input.received[0] = 1;
  EXPECT_TRUE(view.acknowledge(input).ok());
  EXPECT_EQ(view.unsettled(), 0u);
  EXPECT_FALSE(view.acknowledge({.ack = 2, .newest = 2, .words = 4}).ok());
}

TEST(ClientView, LateAcknowledgementsChangeNothing) {
  RandomWorld world(9);
  const ecs::Entity entity = world.create();
  world.publish();
  EncodedDeltaCache encoded(world.publisher.published());
  ViewWorkspace workspace;
  ClientView view(world.publisher.published(), encoded, workspace, true);
  view.add_visible(entity.index, false);
  test::next_delta(view, encoded, world);
  wire::InputDatagram all{.ack = 5, .newest = 1, .words = 4};
  all.received[0] = 1;
  EXPECT_TRUE(view.acknowledge(all).ok());
  const std::uint64_t hash = view.acknowledged_hash();
  EXPECT_NE(hash, 0u);
  EXPECT_TRUE(view.acknowledge({.ack = 4, .newest = 1, .words = 4}).ok());
  EXPECT_TRUE(view.acknowledge({.ack = 6, .newest = 1, .words = 4}).ok());  // an acknowledgement cannot be revoked
  EXPECT_EQ(view.acknowledged_hash(), hash);
}

TEST(ClientView, AClientThatLiesHarmsNobodyElse) {
  test::for_each_seed(1, test::few_or_all(3, 6), 300, [](std::uint64_t seed) {
    RandomWorld world(seed);
    world.changes(40);
    Replica honest(world, 10, 2);
    EncodedDeltaCache encoded(world.publisher.published());
    ViewWorkspace workspace;
    ClientView lied_to(world.publisher.published(), encoded, workspace, true);
    for (int tick = 0; tick < 300; ++tick) {
      world.changes(world.random.below(10));
      world.publish();
      encoded.begin_tick(world.registry.tick());
      for (const std::uint32_t index : world.publisher.spawned()) lied_to.add_visible(index, false);
      lied_to.forget(world.reclaimed);
      core::Bytes delta(400);
      for (int i = 0; i < 3; ++i) {
        lied_to.note_published();
        lied_to.choose(world.registry.tick(), 400, [](std::uint32_t) { return 1.0f; });
        ASSERT_LE(lied_to.write_delta(delta, world.registry.tick(), {}), delta.size());
        ASSERT_LE(lied_to.unsettled(), SentDeltas::window_max);
        lied_to.check();
      }
      for (const auto& [prototype, id] : lied_to.prototypes().wanted()) lied_to.prototypes().delivered(id);
      lied_to.prototypes().clear_wanted();
      wire::InputDatagram lie{.ack = world.random.below(1000),
                              .newest = world.random.chance(1, 50) ? ~0u : world.random.below(900),
                              .words = static_cast<std::uint8_t>(1 + world.random.below(4))};
      for (std::uint64_t& word : lie.received) word = world.random.next();
      static_cast<void>(lied_to.acknowledge(lie).ok());
      lied_to.check();
      honest.see_all();
      honest.tick();
      world.end_tick();
      if (testing::Test::HasFatalFailure()) return;
    }
    honest.end_loss();
    EXPECT_TRUE(settles(world, honest, 100));
  });
}

}  // namespace
}  // namespace mobula::server
