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

TEST(Prediction, ACommandTakesEffectInTheFrameAfterIt) {
  Court court(0, near);
  Court::Guest& guest = court.join_settled();
  const float before = guest.shown(guest.avatar())->position.x;
  guest.client.input->set_command(test::court_walk(1, 0));
  court.frame();
  court.frame();
  EXPECT_GT(guest.shown(guest.avatar())->position.x, before);
  EXPECT_EQ(court.truth().get<const court::Body>(guest.avatar()).velocity.x, 0);
}

TEST(Prediction, ARemoteChangeIsCountedAndShownSmoothly) {
  Court court(0, near);
  Court::Guest& guest = court.join_settled({.position_component = "Body"});
  court.disturb_once([&](server::World& world) { world.registry().get<court::Body>(guest.avatar()).position.x += 1; });
  float last = guest.shown(guest.avatar())->position.x;
  float greatest = 0;
  for (int i = 0; i < 60; ++i) {
    court.frame();
    const float now = guest.shown(guest.avatar())->position.x;
    greatest = std::max(greatest, std::abs(now - last));
    last = now;
  }
  EXPECT_EQ(last, 1);
  EXPECT_LT(greatest, 0.112f) << "a ninth per frame";
  const PredictionStats& stats = guest.prediction.stats();
  EXPECT_EQ(stats.remote_mispredictions, 1u);
  EXPECT_NEAR(stats.greatest_correction, 1, 1e-5);
  const Misprediction& found = guest.prediction.last_misprediction();
  EXPECT_EQ(found.cause, Misprediction::Cause::remote);
  EXPECT_EQ(found.entity, guest.avatar());
  ASSERT_EQ(found.predicted.size(), sizeof(court::Body));
  EXPECT_EQ(core::load<court::Body>(found.predicted.data()).position.x, 0);
  EXPECT_EQ(core::load<court::Body>(found.authoritative.data()).position.x, 1);
}

TEST(Prediction, NothingIsCorrectedWhereAllGoesAsPredicted) {
  for (const NetworkConditions& conditions : {NetworkConditions{}, near}) {
    Court court(2, conditions);
    Court::Guest& guest = court.join_settled({.position_component = "Body"});
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

TEST(Prediction, ADestructionThatTheServerDoesNotShareIsUndone) {
  Court court(0, near);
  Court::Guest& guest = court.join_settled();
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
    if (guest.prediction.is_destroyed(stone)) EXPECT_FALSE(guest.shown(stone).has_value());
  }
  court.game.disturb = nullptr;
  EXPECT_TRUE(was_destroyed);
  EXPECT_TRUE(guest.prediction.is_predicted(stone));
  EXPECT_TRUE(guest.shown(stone).has_value());
  court.ticks(100);
  EXPECT_FALSE(court.truth().valid(stone));
  EXPECT_FALSE(guest.prediction.is_predicted(stone));
}

TEST(Prediction, APauseEndsInOneRestart) {
  Court court(2, near);
  Court::Guest& guest = court.join_settled();
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

TEST(Prediction, ASilentServerStallsItAtItsLimit) {
  Court court(0, near);
  Court::Guest& guest = court.join_settled({.input_delay = {.predicted_max = 8}});
  court.server_paused = true;
  for (int i = 0; i < 90; ++i) {
    guest.client.input->set_command(test::court_walk(1, 0));
    court.frame();
    EXPECT_LE(guest.prediction.tick() - guest.prediction.reconciled_tick(), 8u);
  }
  EXPECT_EQ(guest.prediction.stats().stalls, 1u);
  EXPECT_GT(guest.prediction.stats().stalled_time, 20 * test::Village::tick_length);
  EXPECT_LT(guest.prediction.stats().stalled_time, 30 * test::Village::tick_length);
  EXPECT_EQ(guest.prediction.stats().input_delay, 0);
  court.server_paused = false;
  court.ticks(150);
  EXPECT_TRUE(court.agrees<court::Body>(guest, guest.avatar()));
}

TEST(Prediction, AnotherMirrorBeginsAnew) {
  Court court(1, near);
  Court::Guest& guest = court.join_settled();
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

// As after the change to another zone: the mirror has the same number, and hosts keep what they show.
TEST(Prediction, ARestartCancelsEffectsAndPredictsAgain) {
  Court court(1, near);
  Court::Guest& guest = court.join_settled();
  const ecs::Entity crate = court.game.crates[0];
  guest.prediction.set_predicted(crate, true);
  court.ticks(5);
  guest.client.input->set_command(test::court_throw(1, 0));
  court.ticks(1);
  ASSERT_EQ(guest.effects.running(), 1u);
  guest.prediction.restart();
  EXPECT_FALSE(guest.prediction.is_current());
  court.frame();
  EXPECT_EQ(guest.effects.running(), 0u);
  EXPECT_EQ(guest.effects.faults, 0u);
  court.ticks(100);
  EXPECT_TRUE(guest.prediction.is_predicted(guest.avatar()));
  EXPECT_TRUE(guest.prediction.is_predicted(crate)) << "chosen before";
  EXPECT_TRUE(court.agrees<court::Body>(guest, guest.avatar()));
}

TEST(Prediction, EffectsEndThoughAnEntityOfTheNextMirrorIsChosen) {
  Court court(1, near);
  Court::Guest& guest = court.join_settled();
  const ecs::Entity crate = court.game.crates[0];
  guest.client.input->set_command(test::court_throw(1, 0));
  court.ticks(1);
  ASSERT_EQ(guest.effects.running(), 1u);
  guest.client.connection.close(guest.client.port);
  guest.client.input->reconnect(test::test_token(77), court.village.now);
  for (int i = 0; i < 300 && guest.connection().mirror_number() != 2; ++i) court.village.tick();  // predicts nothing
  ASSERT_EQ(guest.connection().mirror_number(), 2u);
  guest.prediction.set_predicted(crate, true);
  court.ticks(100);
  EXPECT_EQ(guest.effects.faults, 0u);
  EXPECT_EQ(guest.spawns[SpawnNotice::Kind::vanished], 1u);
  EXPECT_TRUE(guest.prediction.is_predicted(crate));
}

TEST(Prediction, AnInputDelayHoldsCommandsBackOnBothSides) {
  Court court(2, near);
  Court::Guest& guest = court.join_settled({.input_delay = {.least = 3, .most = 3}});
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
  Court::Guest& guest = court.join_settled();
  const ecs::Entity crate = court.game.crates[0];
  court.disturb_once([&](server::World& world) { world.registry().get<court::Body>(crate).velocity.x = 8; });
  court.ticks(3);
  float last = guest.shown(crate)->position.x;
  for (int i = 0; i < 60; ++i) {
    if (i == 3) guest.prediction.set_predicted(crate, true);
    if (i == 20) EXPECT_TRUE(guest.prediction.is_predicted(crate));
    if (i == 25) guest.prediction.set_predicted(crate, false);
    court.frame();
    const float now = guest.shown(crate)->position.x;
    EXPECT_LT(std::abs(now - last), 0.4f) << "frame " << i;
    last = now;
  }
  EXPECT_FALSE(guest.prediction.is_predicted(crate));
}

TEST(Prediction, AnEntityMayBeChosenBeforeTheFirstUpdate) {
  Court court(1, near);
  Court::Guest& guest = court.join_settled();
  Prediction second(test::court_rules(), {}, guest.connection());
  second.set_predicted(court.game.crates[0], true);
  for (int i = 0; i < 30; ++i) {
    court.frame();
    second.update(court.village.now);
  }
  EXPECT_TRUE(second.is_predicted(guest.avatar()));
  EXPECT_TRUE(second.is_predicted(court.game.crates[0]));
}

TEST(Prediction, AnEntityThatEndsIsNoLongerPredicted) {
  Court court(1, near);
  Court::Guest& guest = court.join_settled();
  guest.prediction.set_predicted(court.game.crates[0], true);
  court.ticks(10);
  EXPECT_TRUE(guest.prediction.is_predicted(court.game.crates[0]));
  court.disturb_once([&](server::World& world) { world.destroy(court.game.crates[0]); });
  court.ticks(10);
  EXPECT_FALSE(guest.prediction.is_predicted(court.game.crates[0]));
  EXPECT_TRUE(guest.prediction.is_predicted(guest.avatar()));
}

TEST(Prediction, AnEntityOutOfViewIsPredictedOnceItReturns) {
  Court court(1, near);
  Court::Guest& guest = court.join_settled();
  const ecs::Entity crate = court.game.crates[0];
  guest.prediction.set_predicted(crate, true);
  court.ticks(10);
  const auto set_group = [&](std::uint32_t group) {
    court.disturb_once([&](server::World& world) {
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

// A mirror forgets entities that are out of view, when there are many. They are not destroyed.
TEST(Prediction, AnEntityForgottenOutOfViewIsNoMisprediction) {
  Court court(2 + Mirror::stale_max, near);
  Court::Guest& guest = court.join_settled();
  for (const ecs::Entity crate : court.game.crates) guest.prediction.set_predicted(crate, true);
  court.ticks(10);
  court.disturb_once([&](server::World& world) {
    for (const ecs::Entity crate : court.game.crates) world.registry().add<server::Relevance>(crate).interest_group = 7;
  });
  court.ticks(20);
  std::size_t forgotten = 0;
  for (const ecs::Entity crate : court.game.crates) {
    EXPECT_FALSE(guest.prediction.is_predicted(crate));
    forgotten += guest.connection().mirror()->registry().valid(crate) ? 0 : 1;
  }
  EXPECT_EQ(forgotten, 2u);
  EXPECT_EQ(guest.prediction.stats().remote_mispredictions, 0u);
}

TEST(Prediction, ARejoinedSessionIsPredictedFurther) {
  Court court(1, near);
  Court::Guest& guest = court.join_settled();
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
  Court::Guest& guest = court.join_settled();
  const ecs::Entity crate = court.game.crates[0];
  guest.prediction.set_predicted(crate, true);
  court.ticks(10);
  court.disturb_once([&](server::World& world) {
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
  Court::Guest& guest = court.join_settled();
  court.disturb_once(
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

TEST(Prediction, UnknownNamesInTheSettingsAreAFailure) {
  Court court(0, near);
  Court::Guest& guest = court.join({.smoothing = {{}, {.component = "Weather"}}});
  court.ticks(40);
  ASSERT_TRUE(guest.prediction.failure().has_value());
  EXPECT_STREQ(guest.prediction.failure()->reason, "not predicted");
  EXPECT_FALSE(guest.prediction.started());
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
