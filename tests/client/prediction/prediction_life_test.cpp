// A prediction through what happens to it: pauses, refusals, remote changes, reconnects.
#include <gtest/gtest.h>

#include <client/prediction/court.hpp>
#include <cmath>
#include <ecs/allocations.hpp>

namespace mobula::client::prediction_life_test {
namespace {

using test::Court;
using transport::NetworkConditions;

constexpr core::Nanoseconds ms = core::millisecond;
constexpr NetworkConditions near{.latency = 50 * ms};

Court::Guest& settled_guest(Court& court, const PredictionConfig& config = {}) {
  Court::Guest& guest = court.join(config);
  court.ticks(100);
  EXPECT_TRUE(guest.prediction.is_predicted(guest.avatar()));
  return guest;
}

std::optional<court::Body> shown(const Court::Guest& guest, ecs::Entity entity) {
  return sample<court::Body>(guest.prediction, *guest.connection().mirror(), entity, guest.prediction.moment());
}

// Stops the disturbance after this tick.
void disturb_once(Court& court, std::function<void(server::World&)> change) {
  court.game.disturb = std::move(change);
  court.ticks(1);
  court.game.disturb = nullptr;
}

TEST(Prediction, ACommandTakesEffectInTheFrameAfterIt) {
  Court court(0, near);
  Court::Guest& guest = settled_guest(court);
  const float before = shown(guest, guest.avatar())->position.x;
  guest.client.input->set_command(test::court_walk(1, 0));
  court.frame();
  court.frame();
  EXPECT_GT(shown(guest, guest.avatar())->position.x, before);
  EXPECT_EQ(court.truth().get<const court::Body>(guest.avatar()).velocity.x, 0);
}

TEST(Prediction, ARemoteChangeIsCountedAndShownSmoothly) {
  Court court(0, near);
  Court::Guest& guest = settled_guest(court, {.position_component = "Body"});
  disturb_once(court, [&](server::World& world) { world.registry().get<court::Body>(guest.avatar()).position.x += 1; });
  float last = shown(guest, guest.avatar())->position.x;
  float greatest = 0;
  for (int i = 0; i < 60; ++i) {
    court.frame();
    const float now = shown(guest, guest.avatar())->position.x;
    greatest = std::max(greatest, std::abs(now - last));
    last = now;
  }
  EXPECT_EQ(last, 1);
  EXPECT_LT(greatest, 0.3f) << "with each half-life of 40 ms half of the error is left";
  const PredictionStats& stats = guest.prediction.stats();
  EXPECT_EQ(stats.remote_mispredictions, 1u);
  EXPECT_NEAR(stats.greatest_correction, 1, 1e-5);
  const Misprediction& found = guest.prediction.last_misprediction();
  EXPECT_TRUE(found.remote);
  EXPECT_EQ(found.entity, guest.avatar());
  ASSERT_EQ(found.predicted.size(), sizeof(court::Body));
  EXPECT_EQ(core::load<court::Body>(found.predicted.data()).position.x, 0);
  EXPECT_EQ(core::load<court::Body>(found.authoritative.data()).position.x, 1);
}

TEST(Prediction, NothingIsCorrectedWhereAllGoesAsPredicted) {
  for (const NetworkConditions& conditions : {NetworkConditions{}, near}) {
    Court court(2, conditions);
    Court::Guest& guest = settled_guest(court, {.position_component = "Body"});
    for (const ecs::Entity crate : court.game.crates) guest.prediction.set_predicted(crate, true);
    court.play(400);  // the clock learns how early commands must be given
    const PredictionStats before = guest.prediction.stats();
    court.play(200);
    const PredictionStats& after = guest.prediction.stats();
    EXPECT_EQ(after.late_mispredictions + after.remote_mispredictions,
              before.late_mispredictions + before.remote_mispredictions);
    EXPECT_EQ(after.corrections, before.corrections);
    EXPECT_GT(guest.spawns[SpawnNotice::Kind::matched], 10u);
  }
}

TEST(Prediction, ARefusedThrowVanishesAndCancelsItsEffect) {
  Court court(0, near);
  Court::Guest& guest = settled_guest(court);
  // The client does not know of the cooldown yet when it throws.
  disturb_once(court,
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
  Court::Guest& guest = settled_guest(court);
  guest.client.input->set_command(test::court_throw(1, 0.5f));
  court.frame();
  court.frame();
  ASSERT_EQ(guest.prediction.spawns().locals().size(), 1u);
  ecs::Entity stone = guest.prediction.spawns().locals()[0].entity;
  float last = shown(guest, stone)->position.x;
  for (int i = 0; i < 45; ++i) {
    court.frame();
    for (const SpawnNotice& notice : guest.prediction.spawns().notices())
      if (notice.kind == SpawnNotice::Kind::matched) stone = notice.real;
    const std::optional<court::Body> body = shown(guest, stone);
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
  Court::Guest& guest = settled_guest(court);
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

TEST(Prediction, ADestructionThatTheServerDoesNotShareIsUndone) {
  Court court(0, near);
  Court::Guest& guest = settled_guest(court);
  guest.client.input->set_command(test::court_throw(1, 0));
  court.ticks(15);
  ASSERT_EQ(court.truth().pool<court::Stone>().size(), 1u);
  const ecs::Entity stone = court.truth().entities().at(court.truth().pool<court::Stone>().indices()[0]);
  ASSERT_TRUE(guest.prediction.is_predicted(stone));
  bool was_destroyed = false;
  for (int i = 0; i < 30; ++i) {
    // The server keeps the stone when it is about to end.
    court.game.disturb = [&](server::World& world) {
      auto& left = world.registry().get<court::Stone>(stone).left;
      if (left == 1) left = 40;
    };
    court.ticks(1);
    was_destroyed = was_destroyed || guest.prediction.is_destroyed(stone);
    if (guest.prediction.is_destroyed(stone)) EXPECT_FALSE(shown(guest, stone).has_value());
  }
  court.game.disturb = nullptr;
  EXPECT_TRUE(was_destroyed);
  EXPECT_TRUE(guest.prediction.is_predicted(stone));
  EXPECT_TRUE(shown(guest, stone).has_value());
  court.ticks(100);
  EXPECT_FALSE(court.truth().valid(stone));
  EXPECT_FALSE(guest.prediction.is_predicted(stone));
}

TEST(Prediction, APauseEndsInOneRestart) {
  Court court(2, near);
  Court::Guest& guest = settled_guest(court);
  court.play(40);
  guest.paused = true;
  court.ticks(100);
  guest.paused = false;
  const std::uint64_t computed = guest.prediction.stats().ticks + guest.prediction.stats().ticks_replayed;
  court.ticks(40);
  const PredictionStats& stats = guest.prediction.stats();
  EXPECT_EQ(stats.restarts, 1u);
  EXPECT_LT(stats.ticks + stats.ticks_replayed - computed, 200u);
  EXPECT_TRUE(court.agrees<court::Body>(guest, guest.avatar()));
  EXPECT_EQ(guest.effects.faults, 0u);
  EXPECT_EQ(guest.effects.running(), 0u);
}

TEST(Prediction, AStoneOfBeforeAPauseContinuesAsTheServers) {
  Court court(0, near);
  Court::Guest& guest = settled_guest(court, {.input_delay = {.predicted_max = 8}});
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

TEST(Prediction, ASilentServerStallsItAtItsLimit) {
  Court court(0, near);
  Court::Guest& guest = settled_guest(court, {.input_delay = {.predicted_max = 8}});
  court.server_paused = true;
  for (int i = 0; i < 90; ++i) {
    guest.client.input->set_command(test::court_walk(1, 0));
    court.frame();
    EXPECT_LE(guest.prediction.tick() - guest.prediction.reconciled_tick(), 8u);
  }
  EXPECT_EQ(guest.prediction.stats().stalls, 1u);
  court.server_paused = false;
  court.ticks(150);
  EXPECT_TRUE(court.agrees<court::Body>(guest, guest.avatar()));
}

TEST(Prediction, AnotherMirrorBeginsAnew) {
  Court court(1, near);
  Court::Guest& guest = settled_guest(court);
  court.play(40);
  guest.client.connection.close(guest.client.port);
  court.ticks(5);
  EXPECT_EQ(guest.effects.faults, 0u);
  guest.client.input->reconnect(test::test_token(77), court.village.now);
  court.ticks(100);
  EXPECT_EQ(guest.connection().mirror_number(), 2u);
  EXPECT_TRUE(guest.prediction.is_predicted(guest.avatar()));
  court.play(100);
  court.ticks(100);
  EXPECT_TRUE(court.agrees<court::Body>(guest, guest.avatar()));
  EXPECT_EQ(guest.prediction.stats().remote_mispredictions, 0u);
  EXPECT_EQ(guest.effects.faults, 0u);
}

TEST(Prediction, AnInputDelayHoldsCommandsBackOnBothSides) {
  Court court(2, near);
  Court::Guest& guest = settled_guest(court, {.input_delay = {.least = 3, .most = 3}});
  EXPECT_NEAR(guest.prediction.stats().input_delay, 3, 0.01);
  guest.client.input->set_command(test::court_walk(1, 0));
  court.ticks(1);
  EXPECT_EQ(Court::predicted<court::Body>(guest, guest.avatar())->velocity.x, 0);
  court.ticks(4);
  EXPECT_GT(Court::predicted<court::Body>(guest, guest.avatar())->velocity.x, 0);
  court.play(400);  // the clock learns how early commands must be given
  const std::uint64_t late = guest.prediction.stats().late_mispredictions;
  court.play(200);
  EXPECT_EQ(guest.prediction.stats().remote_mispredictions, 0u);
  EXPECT_EQ(guest.prediction.stats().late_mispredictions, late);
}

TEST(Prediction, AnEntityChangesBetweenMirrorAndPredictionSmoothly) {
  Court court(1, near);
  Court::Guest& guest = settled_guest(court);
  const ecs::Entity crate = court.game.crates[0];
  disturb_once(court, [&](server::World& world) { world.registry().get<court::Body>(crate).velocity.x = 8; });
  court.ticks(3);
  float last = shown(guest, crate)->position.x;
  for (int i = 0; i < 60; ++i) {
    if (i == 3) guest.prediction.set_predicted(crate, true);
    if (i == 20) EXPECT_TRUE(guest.prediction.is_predicted(crate));
    if (i == 25) guest.prediction.set_predicted(crate, false);
    court.frame();
    const float now = shown(guest, crate)->position.x;
    EXPECT_LT(std::abs(now - last), 0.4f) << "frame " << i;
    last = now;
  }
  EXPECT_FALSE(guest.prediction.is_predicted(crate));
}

TEST(Prediction, AnEntityThatEndsIsNoLongerPredicted) {
  Court court(1, near);
  Court::Guest& guest = settled_guest(court);
  guest.prediction.set_predicted(court.game.crates[0], true);
  court.ticks(10);
  EXPECT_TRUE(guest.prediction.is_predicted(court.game.crates[0]));
  disturb_once(court, [&](server::World& world) { world.destroy(court.game.crates[0]); });
  court.ticks(10);
  EXPECT_FALSE(guest.prediction.is_predicted(court.game.crates[0]));
  EXPECT_TRUE(guest.prediction.is_predicted(guest.avatar()));
}

TEST(Prediction, AnEntityOutOfViewIsPredictedOnceItReturns) {
  Court court(1, near);
  Court::Guest& guest = settled_guest(court);
  const ecs::Entity crate = court.game.crates[0];
  guest.prediction.set_predicted(crate, true);
  court.ticks(10);
  const auto set_group = [&](std::uint32_t group) {
    disturb_once(court, [&](server::World& world) {
      auto* relevance = world.registry().try_get<server::Relevance>(crate);
      if (relevance == nullptr) relevance = &world.registry().add<server::Relevance>(crate);
      relevance->interest_group = group;
    });
    court.ticks(20);
  };
  set_group(7);
  EXPECT_FALSE(guest.prediction.is_predicted(crate));
  EXPECT_TRUE(guest.prediction.is_predicted(guest.avatar()));
  set_group(0);
  EXPECT_TRUE(guest.prediction.is_predicted(crate));
  EXPECT_EQ(guest.prediction.stats().remote_mispredictions, 0u);
}

TEST(Prediction, ARejoinedSessionIsPredictedFurther) {
  Court court(1, near);
  Court::Guest& guest = settled_guest(court);
  court.play(40);
  court.village.network.cut(guest.client.port.from);
  for (int i = 0; i < 3000 && guest.connection().state() != Connection::State::closed; ++i) court.frame();
  ASSERT_TRUE(guest.connection().can_rejoin());
  court.village.network.heal(guest.client.port.from);
  guest.client.input->rejoin(court.village.now);
  court.ticks(60);
  EXPECT_EQ(guest.connection().mirror_number(), 1u);
  court.play(100);
  court.ticks(100);
  EXPECT_TRUE(court.agrees<court::Body>(guest, guest.avatar()));
  EXPECT_EQ(guest.prediction.stats().remote_mispredictions, 0u);
  EXPECT_EQ(guest.effects.faults, 0u);
  EXPECT_EQ(guest.effects.running(), 0u);
}

TEST(Prediction, AnotherOwnerAndOtherComponentsAreFollowed) {
  Court court(1, near);
  Court::Guest& guest = settled_guest(court);
  const ecs::Entity crate = court.game.crates[0];
  guest.prediction.set_predicted(crate, true);
  court.ticks(10);
  disturb_once(court, [&](server::World& world) {
    world.registry().add<server::Relevance>(crate).owner = 1;
    world.registry().remove<court::Crate>(crate);
    world.registry().add<court::Heading>(crate);
  });
  court.ticks(20);
  EXPECT_FALSE(Court::predicted<court::Crate>(guest, crate).has_value());
  EXPECT_TRUE(court.agrees<court::Heading>(guest, crate));
  EXPECT_TRUE(court.agrees<court::Body>(guest, crate));
}

TEST(Prediction, AChangedInputOfTheRulesIsTakenBeforeItMatters) {
  Court court(0, near);
  Court::Guest& guest = settled_guest(court);
  disturb_once(court,
               [&](server::World& world) { world.registry().get<court::Surface>(guest.avatar()).friction = 0.5f; });
  court.ticks(20);
  court.play(100);
  court.ticks(60);
  EXPECT_EQ(guest.prediction.stats().remote_mispredictions, 0u);
  EXPECT_TRUE(court.agrees<court::Body>(guest, guest.avatar()));
}

TEST(Prediction, UnknownNamesInTheRulesAreAFailure) {
  const prediction::Rules wrong{.step = test::court_rules().step, .reads = {"Weather"}};
  Court court(0, near);
  test::Village::Client& client = court.village.join("somebody", test::court_schema());
  Prediction prediction(wrong, {}, client.connection);
  for (int i = 0; i < 40; ++i) {
    court.village.tick();
    prediction.update(court.village.now);
  }
  ASSERT_TRUE(prediction.failure().has_value());
  EXPECT_STREQ(prediction.failure()->reason, "unknown component");
  EXPECT_FALSE(prediction.started());
}

TEST(Prediction, AConnectionWithoutASchemaIsAFailure) {
  Court court(0, near);
  test::Village::Client& client = court.village.join();
  Prediction prediction(test::court_rules(), {}, client.connection);
  for (int i = 0; i < 40; ++i) {
    court.village.tick();
    prediction.update(court.village.now);
  }
  ASSERT_TRUE(prediction.failure().has_value());
  EXPECT_STREQ(prediction.failure()->reason, "no schema");
}

TEST(Prediction, TicksAllocateNothingOnceItHasGrown) {
  Court court(4, near);
  test::Village::Client& client = court.village.join("somebody", test::court_schema());
  Prediction prediction(test::court_rules(), {}, client.connection);
  std::uint64_t made = 0;
  for (int i = 0; i < 400; ++i) {
    if (i == 60)
      for (const ecs::Entity crate : court.game.crates) prediction.set_predicted(crate, true);
    const float x = i % 20 < 10 ? 1 : -1;
    client.input->set_command(test::court_walk(x, 0.1f));
    court.village.tick();
    const std::uint64_t before = ecs::test::allocations();
    prediction.update(court.village.now);
    if (i >= 300) made += ecs::test::allocations() - before;
  }
  EXPECT_TRUE(prediction.is_predicted(court.game.crates[3]));
  EXPECT_GT(prediction.stats().ticks, 300u);
  EXPECT_EQ(made, 0u);
}

}  // namespace
}  // namespace mobula::client::prediction_life_test
