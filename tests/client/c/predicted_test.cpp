#include <gmock/gmock.h>

#include <client/c/c_court.hpp>

namespace mobula::c {
namespace {

class CPredicted : public test::CCourt {
 protected:
  void SetUp() override {
    CCourt::SetUp();
    predict();
    ticks(20);
    body = guest->component("Body");
  }
  std::uint32_t body = 0;
};

TEST_F(CPredicted, ACommandTakesEffectBeforeTheServerHasIt) {
  guest->set_command(test::court_walk(1, 0));
  tick();
  court::Body own;
  ASSERT_EQ(mobula_prediction_read(client(), avatar(), body, &own, sizeof own), MOBULA_OK) << test::error_text();
  EXPECT_GT(own.velocity.x, 0);
  EXPECT_EQ(village.server->world().registry().get<const court::Body>(test::to_entity(avatar())).velocity.x, 0);
  tick();
  court::Body shown;
  ASSERT_EQ(mobula_prediction_sample(client(), avatar(), body, &shown, sizeof shown), MOBULA_OK);
  EXPECT_GT(shown.position.x, 0);
}

TEST_F(CPredicted, OtherEntitiesArePredictedOnRequest) {
  court::Body value;
  EXPECT_EQ(mobula_prediction_read(client(), crate(), body, &value, sizeof value), MOBULA_ERROR_NO_ENTITY);
  ASSERT_EQ(mobula_prediction_set_predicted(client(), crate(), 1), MOBULA_OK);
  EXPECT_EQ(state(crate()), MOBULA_AS_MIRRORED) << "not before the next complete tick";
  ticks(10);
  EXPECT_EQ(state(crate()), MOBULA_PREDICTED);
  EXPECT_EQ(mobula_prediction_read(client(), crate(), body, &value, sizeof value), MOBULA_OK);
  ASSERT_EQ(mobula_prediction_set_predicted(client(), crate(), 0), MOBULA_OK);
  ticks(10);
  EXPECT_EQ(state(crate()), MOBULA_AS_MIRRORED);
}

TEST_F(CPredicted, EntitiesThatAreNoneAreRefused) {
  court::Body value;
  std::uint32_t state = 0;
  for (const mobula_entity none : {mobula_entity{0}, ~mobula_entity{0}, avatar() + (mobula_entity{7} << 32)}) {
    EXPECT_EQ(mobula_prediction_set_predicted(client(), none, 1), MOBULA_ERROR_NO_ENTITY);
    EXPECT_EQ(mobula_prediction_entity(client(), none, &state), MOBULA_ERROR_NO_ENTITY);
    EXPECT_EQ(mobula_prediction_read(client(), none, body, &value, sizeof value), MOBULA_ERROR_NO_ENTITY);
    EXPECT_EQ(mobula_prediction_sample(client(), none, body, &value, sizeof value), MOBULA_ERROR_NO_ENTITY);
  }
  EXPECT_EQ(mobula_prediction_set_predicted(client(), crate(), 2), MOBULA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mobula_prediction_entity(client(), crate(), nullptr), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CPredicted, ValuesAreWrittenOnlyWhereTheyFit) {
  court::Body value{.position = {.x = 77, .y = 0, .z = 0}};
  EXPECT_EQ(mobula_prediction_read(client(), avatar(), body, &value, 23), MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(mobula_prediction_sample(client(), avatar(), body, &value, 23), MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(mobula_prediction_read(client(), avatar(), 999, &value, 24), MOBULA_ERROR_NO_COMPONENT);
  EXPECT_EQ(mobula_prediction_read(client(), avatar(), guest->component("Surface"), &value, 24),
            MOBULA_ERROR_NO_COMPONENT);
  EXPECT_EQ(mobula_prediction_read(client(), avatar(), guest->component("Crate"), &value, 24),
            MOBULA_ERROR_NO_COMPONENT);
  EXPECT_EQ(mobula_prediction_sample(client(), avatar(), guest->component("Crate"), &value, 24),
            MOBULA_ERROR_NO_COMPONENT);
  EXPECT_EQ(value.position.x, 77);
}

TEST_F(CPredicted, AStoneIsShownFromItsThrowOn) {
  guest->set_command(test::court_throw(1, 0));
  tick();
  ASSERT_EQ(spawns().size(), 1u);
  const mobula_spawn spawned = spawns()[0];
  EXPECT_EQ(spawned.kind, std::uint32_t{MOBULA_SPAWN_PREDICTED});
  EXPECT_EQ(spawned.real, 0u);
  ASSERT_EQ(effects().size(), 1u);
  EXPECT_EQ(effects()[0].kind, std::uint32_t{MOBULA_EFFECT_BEGUN});
  EXPECT_EQ(effects()[0].name, mobula_name_hash("throw"));
  tick();
  std::vector<mobula_entity> shown(10);
  std::vector<court::Body> values(10);
  std::uint32_t count = 0;
  ASSERT_EQ(mobula_prediction_sample_column(client(), body, shown.data(), values.data(), 0, 10, &count), MOBULA_OK);
  EXPECT_EQ(count, 4u) << "the avatar, two crates and the stone";
  EXPECT_EQ(shown[3], spawned.local);
  EXPECT_EQ(mobula_prediction_sample_column(client(), body, shown.data(), values.data(), 0, 2, &count),
            MOBULA_ERROR_BUFFER_TOO_SMALL);
  EXPECT_EQ(count, 4u);
  mobula_spawn matched{};
  bool confirmed = false;
  for (int i = 0; i < 10; ++i) {
    tick();
    for (const mobula_spawn& each : spawns()) matched = each;
    for (const mobula_effect& each : effects()) confirmed = confirmed || each.kind == MOBULA_EFFECT_CONFIRMED;
  }
  EXPECT_EQ(matched.kind, std::uint32_t{MOBULA_SPAWN_MATCHED});
  EXPECT_EQ(matched.local, spawned.local);
  EXPECT_EQ(matched.command, spawned.command);
  EXPECT_EQ(state(matched.real), MOBULA_PREDICTED);
  EXPECT_EQ(state(matched.local), -1);
  EXPECT_TRUE(confirmed);
  EXPECT_EQ(counters().remote_mispredictions, 0u);
}

TEST_F(CPredicted, ADestroyedEntityIsEndedAtOnce) {
  ASSERT_EQ(mobula_prediction_set_predicted(client(), crate(), 1), MOBULA_OK);
  ticks(10);
  begin_step();
  EXPECT_EQ(mobula_step_destroy(client(), crate()), MOBULA_OK);
  EXPECT_EQ(mobula_step_destroy(client(), crate()), MOBULA_ERROR_NO_ENTITY);
  end_update();
  EXPECT_EQ(state(crate()), MOBULA_ENDED);
  court::Body value;
  EXPECT_EQ(mobula_prediction_read(client(), crate(), body, &value, sizeof value), MOBULA_ERROR_NO_ENTITY);
  ticks(10);
  EXPECT_EQ(state(crate()), MOBULA_PREDICTED) << "the server has kept it";
}

TEST_F(CPredicted, AnEntityThatIsNotShownIsRefusedAsSuch) {
  ASSERT_EQ(mobula_prediction_set_predicted(client(), crate(), 1), MOBULA_OK);
  ticks(10);
  begin_step();
  EXPECT_EQ(mobula_step_destroy(client(), crate()), MOBULA_OK);
  end_update();
  court::Body value;
  mobula_result shown = MOBULA_OK;
  for (int i = 0; i < 3 && shown == MOBULA_OK; ++i) {
    shown = mobula_prediction_sample(client(), crate(), body, &value, sizeof value);
    if (shown == MOBULA_OK) tick();
  }
  EXPECT_EQ(shown, MOBULA_ERROR_NO_COMPONENT);
  EXPECT_THAT(test::error_text(), testing::HasSubstr("is not shown at this moment"));
}

}  // namespace
}  // namespace mobula::c
