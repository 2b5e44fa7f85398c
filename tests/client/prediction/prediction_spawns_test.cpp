// Entities that steps spawn, and effects of their commands, against the server's.
#include <gtest/gtest.h>

#include <client/prediction/court.hpp>
#include <set>

namespace mobula::client::prediction_spawns_test {
namespace {

using test::Court;
using transport::NetworkConditions;

constexpr core::Nanoseconds ms = core::millisecond;
constexpr NetworkConditions near{.latency = 50 * ms};

TEST(Prediction, ARefusedThrowVanishesAndCancelsItsEffect) {
  Court court(0, near);
  Court::Guest& guest = court.join_settled();
  // The client does not know of the cooldown yet when it throws.
  court.disturb_once(
      [&](server::World& world) { world.registry().get<court::Thrower>(guest.avatar()).cooldown = 100; });
  guest.client.input->set_command(test::court_throw(1, 0));
  court.ticks(1);
  EXPECT_EQ(guest.prediction.spawns().locals().size(), 1u);
  EXPECT_EQ(guest.effects.running(), 1u);
  court.ticks(20);
  EXPECT_TRUE(guest.prediction.spawns().locals().empty());
  EXPECT_EQ(guest.spawns[SpawnNotice::Kind::vanished], 1u);
  EXPECT_EQ(guest.spawns[SpawnNotice::Kind::matched], 0u);
  EXPECT_EQ(guest.effects.cancelled[test::throw_effect.value], 1u);
  EXPECT_EQ(guest.effects.faults, 0u);
}

TEST(Prediction, AThrownStoneContinuesAsTheServers) {
  Court court(0, near);
  Court::Guest& guest = court.join_settled();
  guest.client.input->set_command(test::court_throw(1, 0.5f));
  court.frame();
  court.frame();
  ASSERT_EQ(guest.prediction.spawns().locals().size(), 1u);
  ecs::Entity stone = guest.prediction.spawns().locals()[0].entity;
  float last = guest.shown(stone)->position.x;
  for (int i = 0; i < 45; ++i) {
    court.frame();
    for (const SpawnNotice& notice : guest.prediction.spawns().notices())
      if (notice.kind == SpawnNotice::Kind::matched) stone = notice.real;
    const std::optional<court::Body> body = guest.shown(stone);
    ASSERT_TRUE(body.has_value()) << "frame " << i;
    EXPECT_GE(body->position.x, last);
    EXPECT_LT(body->position.x - last, 0.3f);
    last = body->position.x;
  }
  EXPECT_TRUE(court.truth().valid(stone));
  EXPECT_EQ(guest.prediction.stats().remote_mispredictions, 0u);
  EXPECT_EQ(guest.effects.confirmed, 1u);
}

TEST(Prediction, ADifferenceOfASpawnedEntityHasBothValues) {
  Court court(0, near);
  Court::Guest& guest = court.join_settled();
  bool moved = false;
  court.game.disturb = [&](server::World& world) {
    world.registry().view<const court::Stone, court::Body>().each([&](const court::Stone&, court::Body& body) {
      if (!std::exchange(moved, true)) body.position.x += 1;
    });
  };
  guest.client.input->set_command(test::court_throw(1, 0));
  court.ticks(20);
  ASSERT_TRUE(moved);
  EXPECT_EQ(guest.prediction.stats().remote_mispredictions, 1u);
  const Misprediction& found = guest.prediction.last_misprediction();
  ASSERT_EQ(found.predicted.size(), sizeof(court::Body));
  ASSERT_EQ(found.authoritative.size(), sizeof(court::Body));
  EXPECT_EQ(core::load<court::Body>(found.authoritative.data()).position.x,
            core::load<court::Body>(found.predicted.data()).position.x + 1);
}

// The key of a stone that its thrower has given away has a number of the thrower's commands.
TEST(Prediction, ASpawnOfAnotherPlayersCommandIsNotMatched) {
  Court court(0, near);
  Court::Guest& thrower = court.join();
  Court::Guest& owner = court.join_settled();
  ecs::Entity stone;
  const std::uint32_t owner_number = owner.connection().player();
  court.game.disturb = [&](server::World& world) {
    world.each<const court::Stone>([&](ecs::Entity entity, const court::Stone& /*stone*/) { stone = entity; });
    if (world.registry().valid(stone)) world.registry().get<server::Relevance>(stone).owner = owner_number;
  };
  thrower.client.input->set_command(test::court_throw(1, 0));
  owner.client.input->set_command(test::court_walk(0, 0));
  court.ticks(12);
  ASSERT_TRUE(court.truth().valid(stone));
  const auto key = court.truth().get<const engine::SpawnKey>(stone);
  EXPECT_EQ(key.player, thrower.connection().player());
  ASSERT_TRUE(owner.connection().mirror()->is_owner(stone));
  EXPECT_EQ(owner.connection().mirror()->registry().get<const engine::SpawnKey>(stone), key);
  EXPECT_EQ(owner.connection().commands().next(), key.command + 1) << "both have given one command";
  EXPECT_FALSE(owner.prediction.is_predicted(stone));
}

// Gives crates of the server SpawnKeys of the client's commands that are under way. Returns how many of them the client
// takes for its own spawns. `later` is the distance of their tick from the server's, `ahead` is added to their numbers.
std::size_t count_taken(std::uint32_t later, std::uint32_t ahead) {
  constexpr std::uint32_t count = 6;
  Court court(count, near);
  Court::Guest& guest = court.join_settled();
  const auto walk = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) {
      guest.client.input->set_command(test::court_walk(0, 0));
      court.ticks(1);
    }
  };
  walk(20);
  const std::uint32_t player = guest.connection().player();
  const std::uint32_t undone = guest.connection().commands().next();
  court.game.disturb = [&](server::World& world) {
    for (std::uint32_t i = 0; i < count; ++i) {
      ecs::Registry& registry = world.registry();
      registry.add<server::Relevance>(court.game.crates[i]).owner = player;
      registry.add<engine::SpawnKey>(court.game.crates[i]) = {
          .tick = world.tick() + later, .player = player, .command = undone + ahead + i, .ordinal = 0};
    }
  };
  walk(1);
  court.game.disturb = nullptr;
  std::set<ecs::Entity> taken;
  for (int i = 0; i < 10; ++i) {
    walk(1);
    for (const ecs::Entity crate : court.game.crates)
      if (guest.prediction.is_predicted(crate)) taken.insert(crate);
  }
  return taken.size();
}

TEST(Prediction, ASpawnKeyThatCannotBeRightIsNotMatched) {
  EXPECT_GT(count_taken(0, 0), 0u) << "a key that may be right";
  EXPECT_EQ(count_taken(PredictedSet::spawn_ticks_max + 10, 0), 0u) << "its tick is too late";
  EXPECT_EQ(count_taken(0, 100), 0u) << "the client has not given its command";
}

TEST(Prediction, AStoneOfBeforeAPauseContinuesAsTheServers) {
  Court court(0, near);
  Court::Guest& guest = court.join_settled({.input_delay = {.predicted_max = 8}});
  guest.client.input->set_command(test::court_throw(1, 0));
  court.ticks(1);
  ASSERT_EQ(guest.prediction.spawns().locals().size(), 1u);
  guest.paused = true;
  court.ticks(9);
  guest.paused = false;
  for (int i = 0; i < 10 && guest.prediction.stats().restarts == 0; ++i) court.ticks(1);
  ASSERT_EQ(court.truth().pool<court::Stone>().size(), 1u);
  const ecs::Entity stone = court.truth().entities().at(court.truth().pool<court::Stone>().indices()[0]);
  EXPECT_EQ(guest.prediction.stats().restarts, 1u);
  EXPECT_EQ(guest.spawns[SpawnNotice::Kind::matched], 1u);
  EXPECT_EQ(guest.spawns[SpawnNotice::Kind::vanished], 0u);
  EXPECT_TRUE(guest.prediction.is_predicted(stone));
  court.ticks(2);
  EXPECT_TRUE(guest.prediction.is_predicted(stone)) << "it stays a member";
}

}  // namespace
}  // namespace mobula::client::prediction_spawns_test
