#include <gmock/gmock.h>

#include <client/c/c_court.hpp>
#include <mobula/client/prediction/named_rules.hpp>

namespace mobula::c {
namespace {

class CPredictions : public test::CCourt {};

TEST_F(CPredictions, CallsWithoutAPredictionAreRefused) {
  auto step = test::sized<mobula_step>();
  auto information = test::sized<mobula_prediction_info>();
  auto all = test::sized<mobula_prediction_counters>();
  std::uint32_t count = 0;
  EXPECT_EQ(mobula_prediction_destroy(client()), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_begin_update(client(), village.now), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_next_step(client(), &step), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_end_step(client()), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_abandon_update(client()), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_status(client(), &information), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_statistics(client(), &all), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_set_predicted(client(), 1, 1), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_read_effects(client(), nullptr, 0, &count), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_step_destroy(client(), 1), MOBULA_ERROR_WRONG_STATE);
  EXPECT_THAT(test::error_text(), testing::HasSubstr("mobula_prediction_create"));
}

TEST_F(CPredictions, AClientHasOne) {
  ASSERT_EQ(mobula_prediction_create(client(), nullptr), MOBULA_OK);
  EXPECT_EQ(mobula_prediction_create(client(), nullptr), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_destroy(client()), MOBULA_OK);
  EXPECT_EQ(mobula_prediction_create(client(), nullptr), MOBULA_OK);
}

TEST_F(CPredictions, AClientWithoutAMirrorHasNone) {
  const test::Guest blind(village, MOBULA_NO_MIRROR);
  EXPECT_EQ(mobula_prediction_create(blind.client(), nullptr), MOBULA_ERROR_NO_MIRROR);
}

TEST_F(CPredictions, NothingIsDueBeforeTheMirrorIsComplete) {
  ASSERT_EQ(mobula_prediction_create(client(), nullptr), MOBULA_OK);
  EXPECT_EQ(mobula_prediction_begin_update(client(), village.now), MOBULA_OK);
  auto step = test::sized<mobula_step>();
  EXPECT_EQ(mobula_prediction_next_step(client(), &step), MOBULA_NOTHING);
  EXPECT_EQ(info().started, 0u);
  EXPECT_EQ(mobula_prediction_entity(client(), 1, &step.tick), MOBULA_ERROR_NO_MIRROR);
  EXPECT_TRUE(effects().empty());
}

TEST_F(CPredictions, CallsInTheWrongOrderAreRefused) {
  predict();
  auto step = test::sized<mobula_step>();
  EXPECT_EQ(mobula_prediction_next_step(client(), &step), MOBULA_NOTHING) << "no update has begun";
  EXPECT_EQ(mobula_prediction_end_step(client()), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_abandon_update(client()), MOBULA_NOTHING);
  const std::uint32_t tick = begin_step().tick;
  EXPECT_EQ(mobula_prediction_next_step(client(), &step), MOBULA_ERROR_WRONG_STATE);
  EXPECT_THAT(test::error_text(), testing::HasSubstr("mobula_prediction_end_step"));
  EXPECT_EQ(mobula_prediction_begin_update(client(), village.now), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_sample(client(), avatar(), 0, &step, sizeof step), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_prediction_set_predicted(client(), crate(), 1), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(info().tick + 1, tick);
  end_update();
  EXPECT_EQ(mobula_prediction_end_step(client()), MOBULA_ERROR_WRONG_STATE);
  EXPECT_GE(info().tick, tick);
}

TEST_F(CPredictions, AStepThatCannotBeWrittenIsNotBegun) {
  predict();
  village.tick();
  ASSERT_EQ(mobula_prediction_begin_update(client(), village.now), MOBULA_OK);
  mobula_step unsized{};
  EXPECT_EQ(mobula_prediction_next_step(client(), nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_prediction_next_step(client(), &unsized), MOBULA_ERROR_INVALID_ARGUMENT);
  auto step = test::sized<mobula_step>();
  EXPECT_EQ(mobula_prediction_next_step(client(), &step), MOBULA_OK);
  EXPECT_EQ(step.seconds, 0.05f);
  EXPECT_EQ(step.entities, 1u);
  end_update();
}

TEST_F(CPredictions, TheMirrorDoesNotChangeDuringAnUpdate) {
  predict();
  begin_step();
  const std::uint32_t tick = guest->status().tick;
  const std::uint32_t byte = 0;
  EXPECT_EQ(mobula_client_receive(client(), &byte, 1, village.now), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_client_update(client(), village.now), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_client_pipe_closed(client(), nullptr, village.now), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_client_rejoin(client(), village.now), MOBULA_ERROR_WRONG_STATE);
  EXPECT_EQ(mobula_client_reconnect(client(), &byte, 1, village.now), MOBULA_ERROR_WRONG_STATE);
  EXPECT_THAT(test::error_text(), testing::HasSubstr("update of the prediction is in progress"));
  EXPECT_EQ(guest->status().tick, tick);
  end_update();
  ticks(5);
  EXPECT_GT(guest->status().tick, tick);
}

TEST_F(CPredictions, EndWithTheirClientInAStep) {
  predict();
  begin_step();
  const mobula_client former = client();
  EXPECT_EQ(mobula_client_destroy(former), MOBULA_OK);
  EXPECT_EQ(mobula_prediction_end_step(former), MOBULA_ERROR_INVALID_CLIENT);
  EXPECT_EQ(mobula_step_destroy(former, 1), MOBULA_ERROR_INVALID_CLIENT);
}

TEST_F(CPredictions, AreDestroyedInAStep) {
  predict();
  begin_step();
  EXPECT_EQ(mobula_prediction_destroy(client()), MOBULA_OK);
  EXPECT_EQ(mobula_prediction_end_step(client()), MOBULA_ERROR_WRONG_STATE);
  village.tick();
  EXPECT_EQ(guest->updated(), MOBULA_OK);
  predict();
}

TEST_F(CPredictions, AnAbandonedUpdateBeginsAnew) {
  predict();
  begin_step();
  EXPECT_EQ(mobula_prediction_abandon_update(client()), MOBULA_OK);
  EXPECT_EQ(info().started, 0u);
  EXPECT_EQ(mobula_prediction_end_step(client()), MOBULA_ERROR_WRONG_STATE);
  ticks(5);
  EXPECT_EQ(state(avatar()), MOBULA_PREDICTED);
}

TEST_F(CPredictions, ANewMirrorIsPredictedAnew) {
  predict();
  guest->close(guest->seat.port);
  for (int i = 0; i < 5; ++i) village.tick();
  EXPECT_GE(host->update(village.now), 0) << host->failed();
  guest->reconnect(test::test_token(77), village.now);
  ticks(60);
  EXPECT_EQ(guest->status().mirror, 2u);
  EXPECT_EQ(state(avatar()), MOBULA_PREDICTED);
  EXPECT_EQ(counters().remote_mispredictions, 0u);
}

TEST_F(CPredictions, RulesThatDoNotFitTheSchemaAreAnError) {
  auto wrong = options();
  wrong.reads = "Surface Weather";
  ASSERT_EQ(mobula_prediction_create(client(), &wrong), MOBULA_OK) << "the server's schema is not known yet";
  mobula_result result = MOBULA_OK;
  for (int i = 0; i < 40 && result == MOBULA_OK; ++i) {
    village.tick();
    result = mobula_prediction_begin_update(client(), village.now);
  }
  EXPECT_EQ(result, MOBULA_ERROR_BAD_RULES);
  EXPECT_THAT(test::error_text(), testing::HasSubstr("Weather"));
  auto step = test::sized<mobula_step>();
  EXPECT_EQ(mobula_prediction_next_step(client(), &step), MOBULA_NOTHING);
}

TEST_F(CPredictions, CompiledRulesStepByThemselves) {
  client::add_rules("court of c", test::court_rules());
  auto compiled = test::sized<mobula_prediction_options>();
  compiled.rules = "court of c";
  EXPECT_EQ(mobula_prediction_create(client(), &compiled), MOBULA_ERROR_BAD_SCHEMA) << "the client has no schema";
  const test::Guest other(village, 0, court::schema_bytes());
  ASSERT_EQ(mobula_prediction_create(other.client(), &compiled), MOBULA_OK) << test::error_text();
  auto step = test::sized<mobula_step>();
  for (int i = 0; i < 60; ++i) {
    village.tick();
    EXPECT_EQ(mobula_prediction_begin_update(other.client(), village.now), MOBULA_OK) << test::error_text();
    EXPECT_EQ(mobula_prediction_next_step(other.client(), &step), MOBULA_NOTHING);
  }
  std::uint32_t predicted = 0;
  EXPECT_EQ(mobula_prediction_entity(other.client(), other.status().player, &predicted), MOBULA_OK);
  EXPECT_EQ(predicted, std::uint32_t{MOBULA_PREDICTED});
}

TEST_F(CPredictions, ARemoteChangeIsDescribed) {
  predict();
  std::array<char, 256> text{};
  std::uint32_t length = 0;
  EXPECT_EQ(mobula_prediction_misprediction(client(), text.data(), text.size(), &length), MOBULA_NOTHING);
  bool moved = false;
  game.disturb = [&](server::World& world) {
    if (!moved) world.registry().get<court::Body>(test::to_entity(avatar())).position.x += 1;
    moved = true;
  };
  ticks(20);
  game.disturb = nullptr;
  EXPECT_EQ(counters().remote_mispredictions, 1u);
  EXPECT_NEAR(counters().greatest_correction, 1, 1e-5);
  ASSERT_EQ(mobula_prediction_misprediction(client(), text.data(), text.size(), &length), MOBULA_OK);
  EXPECT_THAT(std::string(text.data(), length), testing::HasSubstr("remote: Body.position.x is 1, predicted 0"));
}

}  // namespace
}  // namespace mobula::c
