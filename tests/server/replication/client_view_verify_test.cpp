#include <gtest/gtest.h>

#include <client/mirror_tamper.hpp>
#include <client/mirrored_world.hpp>
#include <mobula/client/mirror/mirror_check.hpp>
#include <server/replica.hpp>

namespace mobula::server {
namespace {

using test::RandomWorld;
using test::Replica;

// Runs a tick of a changing world with a client.
void run_tick(RandomWorld& world, Replica& replica, std::uint32_t changes) {
  world.changes(changes);
  world.publish();
  replica.see_all();
  replica.tick();
  world.end_tick();
}

// Returns all hashes of a mirror at once.
std::vector<wire::MirrorHashes> all_of(client::Mirror& mirror) {
  client::MirrorCheck check;
  check.suspect(0);
  std::vector<wire::MirrorHashes> parts;
  core::Nanoseconds now = 0;
  while (auto part = check.next(mirror, now)) {
    parts.push_back(std::move(*part));
    now += client::MirrorCheck::part_interval;
  }
  check.next(mirror, now + client::MirrorCheck::pause);  // forgets
  return parts;
}

// The hashes of an honest client may arrive any number of ticks late, and are never taken for an error.
TEST(ClientViewVerify, TrueHashesAreAcceptedHoweverLate) {
  std::uint64_t said = 0;
  std::uint64_t unknown = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWorld world(seed);
    world.changes(60);
    Replica replica(world, static_cast<std::uint32_t>(seed % 4) * 10, static_cast<std::uint32_t>(seed % 5));
    std::multimap<int, wire::MirrorHashes> under_way;
    for (int tick = 0; tick < 300; ++tick) {
      run_tick(world, replica, world.random.below(12));
      if (testing::Test::HasFatalFailure()) return;
      if (world.random.chance(1, 4))
        for (wire::MirrorHashes& part : all_of(*replica.client.mirror))
          under_way.emplace(tick + static_cast<int>(world.random.below(20)), std::move(part));
      for (; !under_way.empty() && under_way.begin()->first <= tick; under_way.erase(under_way.begin())) {
        std::vector<wire::MirrorCorrection> corrections;
        said += under_way.begin()->second.hashes.size();
        replica.view.compare(under_way.begin()->second, corrections);
        replica.view.check();
        for (const wire::MirrorCorrection& correction : corrections) {
          // Despawned meanwhile: the mirror has newer information.
          ASSERT_EQ(correction.fault, wire::MirrorFault::unknown) << to_string(correction.entity);
          ++unknown;
          client::MirrorCheck check;
          EXPECT_TRUE(check.on_correction(*replica.client.mirror, correction)->empty());
        }
        replica.client.mirror->check();
      }
    }
  }
  EXPECT_GT(said, 10'000u);
  EXPECT_GT(unknown, 10u);
}

TEST(ClientViewVerify, WrongEntitiesAreSentAgain) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomWorld world(seed);
    world.changes(60);
    Replica replica(world, 0, 0);
    for (int tick = 0; tick < 60; ++tick) run_tick(world, replica, 3);
    for (int tick = 0; tick < 10; ++tick) run_tick(world, replica, 0);
    ASSERT_TRUE(replica.converged());
    client::Mirror& mirror = *replica.client.mirror;
    std::vector<ecs::Entity> all = client::MirrorTamper::with_id(mirror);
    std::set<ecs::Entity> wrong;
    for (int i = 0; i < 5; ++i) {
      const ecs::Entity entity = all[world.random.below(static_cast<std::uint32_t>(all.size()))];
      if (!wrong.insert(entity).second || mirror.registry().prototype(entity) == ecs::empty_prototype) continue;
      client::MirrorTamper::lose(mirror, entity);
    }
    for (int tick = 0; tick < 40; ++tick) {  // late ones can have come no more
      world.publish();
      world.end_tick();
    }
    std::vector<wire::MirrorHashes> parts = all_of(mirror);
    std::vector<wire::MirrorCorrection> corrections;
    for (wire::MirrorHashes& part : parts) {
      part.tick = world.registry.tick();
      replica.view.compare(part, corrections);
    }
    for (const wire::MirrorCorrection& correction : corrections) {
      EXPECT_EQ(correction.fault, wire::MirrorFault::missing);
      EXPECT_TRUE(wrong.contains(correction.entity));
    }
    EXPECT_FALSE(mirror.size() != all.size() && corrections.empty());
    // Deltas contain their full states; hashes are compared from the next acknowledgement on.
    for (int tick = 0; tick < 6; ++tick) {
      world.publish();
      replica.encoded.begin_tick(world.registry.tick());
      replica.view.note_published();
      replica.view.choose(world.registry.tick(), 4000, [](std::uint32_t) { return 1.0f; });
      core::Bytes delta(1100);
      delta.resize(replica.view.write_delta(delta, world.registry.tick(), {}));
      ASSERT_TRUE(test::apply_delta(mirror, delta).ok());
      replica.client.newest = wire::read_delta_header(delta)->sequence;
      world.end_tick();
    }
    EXPECT_TRUE(replica.converged());
    mirror.check();
  }
}

TEST(ClientViewVerify, AHostileClientLearnsNoFormerValues) {
  test::MirroredWorld told;
  const ecs::Entity entity = told.create();
  told.replicate();
  told.view.remove_visible({&entity.index, 1});
  told.replicate();
  told.world.registry.get<demo::Health>(entity).current = 99;
  told.replicate();
  const ecs::Tick unseen = told.world.registry.tick() - 1;
  told.world.registry.get<demo::Health>(entity).current = 50;
  told.view.add_visible(entity.index, true);
  for (int i = 0; i < 3; ++i) told.replicate();
  wire::MirrorHashes said = all_of(*told.mirror).front();
  ASSERT_EQ(said.hashes.size(), 1u);
  std::vector<wire::MirrorCorrection> corrections;
  said.hashes[0].hash = 0;
  const ecs::Tick seen = std::exchange(said.hashes[0].tick, unseen);
  told.view.compare(said, corrections);
  EXPECT_TRUE(corrections.empty());
  said.hashes[0].tick = seen;
  told.view.compare(said, corrections);
  EXPECT_EQ(corrections.size(), 1u) << "of what it has seen it is told";
}

TEST(ClientViewVerify, AHostileClientGainsNothingItMayNotSee) {
  RandomWorld world(4);
  const ecs::Entity mine = world.create();
  world.registry.add<demo::Inventory>(mine).items[0] = 9;
  world.registry.get<demo::Inventory>(mine).item_count = 1;
  const ecs::Entity hidden = world.create();
  world.registry.add<demo::Health>(hidden);
  world.publish();
  EncodedDeltaCache encoded(world.publisher.published());
  ViewWorkspace workspace;
  ClientView view(world.publisher.published(), encoded, workspace, true);
  view.add_visible(mine.index, false);
  for (int round = 0; round < 2000; ++round) {
    wire::MirrorHashes lie{.of_level = world.random.chance(1, 4),
                           .first = world.random.below(4),
                           .end = world.random.chance(1, 2) ? ~0u : world.random.below(2000),
                           .tick = world.random.chance(1, 2) ? world.registry.tick() : world.random.below(1u << 31),
                           .hashes = {}};
    std::uint32_t place = lie.first;
    for (std::uint32_t i = world.random.below(6); i-- > 0 && place < lie.end; place += 1 + world.random.below(2)) {
      const ecs::Entity entity = world.random.chance(1, 2) ? mine
                                 : world.random.chance(1, 2)
                                     ? hidden
                                     : ecs::Entity{world.random.below(9), 1 + world.random.below(3)};
      lie.hashes.push_back({place, entity, world.random.below(2 * world.registry.tick() + 2), world.random.next()});
    }
    std::vector<wire::MirrorCorrection> corrections;
    view.compare(lie, corrections);
    view.check();
    EXPECT_LE(corrections.size(), lie.hashes.size() + 1);
    for (const wire::MirrorCorrection& correction : corrections) {
      if (correction.fault == wire::MirrorFault::unknown) {
        EXPECT_EQ(correction.words.size() + correction.prototype, 0u);
        continue;
      }
      EXPECT_EQ(correction.entity, mine);
      for (const std::uint32_t word : correction.words) EXPECT_EQ(word, 0u);  // it is not the owner
    }
    if (!world.random.chance(1, 4)) continue;
    const core::Bytes delta = test::next_delta(view, encoded, world);
    for (const auto& [prototype, id] : view.prototypes().wanted()) view.prototypes().delivered(id);
    view.prototypes().clear_wanted();
    wire::InputDatagram input{.ack = static_cast<std::uint32_t>(round + 1), .newest = 0, .words = 4};
    input.newest = wire::read_delta_header(delta)->sequence;
    input.received.fill(~0ull);
    ASSERT_TRUE(view.acknowledge(input).ok());
    world.end_tick();
    world.publish();
  }
}

// The level may still be on its way when a client sends its first inputs, which it does before its first delta.
TEST(ClientViewVerify, NoHashIsOfAnAcknowledgementWithoutDeltas) {
  RandomWorld world(10);
  const ecs::Entity entity = world.create();
  world.publish();
  EncodedDeltaCache encoded(world.publisher.published());
  ViewWorkspace workspace;
  ClientView view(world.publisher.published(), encoded, workspace, true);
  view.add_visible(entity.index, false);
  const auto next_has_hash = [&] {
    const core::Bytes delta = test::next_delta(view, encoded, world);
    world.end_tick();
    world.publish();
    return wire::read_delta_header(delta)->verifies;
  };
  EXPECT_TRUE(view.acknowledge({.ack = 1, .newest = 0, .words = 1}).ok());
  EXPECT_FALSE(next_has_hash());
  EXPECT_TRUE(view.acknowledge({.ack = 2, .newest = 1, .words = 1, .received = {1}}).ok());
  EXPECT_TRUE(next_has_hash());
}

}  // namespace
}  // namespace mobula::server
