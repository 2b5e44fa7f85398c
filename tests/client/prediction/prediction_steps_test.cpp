// A prediction in parts: the program steps the ticks that it is handed.
#include <gtest/gtest.h>

#include <client/prediction/court.hpp>

namespace mobula::client::prediction_steps_test {
namespace {

using test::Court;

constexpr transport::NetworkConditions near{.latency = 50 * core::millisecond};

// A prediction whose program steps the ticks, in this case by the court's rules.
class SteppedByHand {
 public:
  explicit SteppedByHand(Court& court)
      : client(court.village.join("somebody", test::court_schema())), prediction(rules_, {}, client.connection) {}

  // Steps at most `most` ticks. Returns how many.
  int step(int most) {
    int count = 0;
    for (; count < most; ++count) {
      const DueTick* const due = prediction.next_tick();
      if (due == nullptr) break;
      EXPECT_EQ(due->replayed, due->tick <= newest_);
      newest_ = std::max(newest_, due->tick);
      prediction::run_step(test::court_rules(), due->context, due->tick, due->commands);
      prediction.end_tick();
    }
    return count;
  }
  void tick(Court& court) {
    court.village.tick();
    prediction.begin_update(court.village.now);
    step(1000);
  }

  test::Village::Client& client;
  Prediction prediction;

 private:
  prediction::Rules rules_{.step = nullptr, .reads = test::court_rules().reads};
  ecs::Tick newest_ = 0;
};

TEST(Prediction, AProgramThatStepsTheTicksPredictsTheSame) {
  Court court(1, near);
  SteppedByHand stepped(court);
  for (int i = 0; i < 300; ++i) {
    if (i > 100 && i % 7 == 0) stepped.client.input->set_command(test::court_walk(1, -0.5f));
    stepped.tick(court);
    EXPECT_FALSE(stepped.prediction.is_updating());
  }
  for (int i = 0; i < 60; ++i) stepped.tick(court);
  const ecs::Entity avatar = stepped.client.connection.player_entity();
  constexpr core::StringId32 id(court::Body::component_name);
  const ecs::PoolId pool = stepped.client.connection.mirror()->registry().find_pool(id, id);
  const std::byte* const body = stepped.prediction.predicted(avatar, pool);
  ASSERT_NE(body, nullptr);
  EXPECT_EQ(core::load<court::Body>(body), court.truth().get<const court::Body>(avatar));
  EXPECT_EQ(stepped.prediction.stats().remote_mispredictions, 0u);
  EXPECT_GT(stepped.prediction.stats().ticks, 250u);
}

TEST(Prediction, AnAbandonedUpdateBeginsAnew) {
  Court court(1, near);
  SteppedByHand stepped(court);
  for (int i = 0; i < 100; ++i) stepped.tick(court);
  stepped.client.input->set_command(test::court_throw(1, 0));
  stepped.tick(court);
  ASSERT_EQ(stepped.prediction.effects().running(), 1u);
  for (int i = 0; i < 3; ++i) court.village.tick();
  stepped.prediction.begin_update(court.village.now);
  ASSERT_NE(stepped.prediction.next_tick(), nullptr);
  stepped.prediction.abandon_update();
  EXPECT_FALSE(stepped.prediction.is_updating());
  EXPECT_FALSE(stepped.prediction.started());
  EXPECT_EQ(stepped.prediction.effects().running(), 0u);
  EXPECT_TRUE(stepped.prediction.spawns().locals().empty());
  for (int i = 0; i < 60; ++i) stepped.tick(court);
  EXPECT_TRUE(stepped.prediction.is_predicted(stepped.client.connection.player_entity()));
  EXPECT_EQ(stepped.prediction.stats().remote_mispredictions, 0u);
}

}  // namespace
}  // namespace mobula::client::prediction_steps_test
