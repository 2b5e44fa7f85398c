// Rules that a host steps through the C interface predict what the same rules predict in C++, tick by tick.
#include <gtest/gtest.h>

#include <client/prediction/court.hpp>
#include <conformance/predicted_twin.hpp>
#include <mobula/client/prediction/named_rules.hpp>
#include <mobula/core/log.hpp>
#include <seeds.hpp>

namespace mobula::conformance {
namespace {

using test::Court;

constexpr core::Nanoseconds ms = core::millisecond;
constexpr transport::NetworkConditions near{.latency = 30 * ms};
constexpr transport::NetworkConditions poor{.latency = 40 * ms, .jitter = 20 * ms, .loss_ppm = 50'000};

// A court with one guest, whose client is a pair.
class PredictedCourt {
 public:
  PredictedCourt(const transport::NetworkConditions& conditions, std::uint64_t seed, const char* rules)
      : court_(3, conditions, seed),
        guest_(court_.join(config)),
        clients_(guest_.client.connection, court_.village.now),
        predictions_(guest_.client.connection, guest_.prediction, clients_.c(), config, rules) {
    guest_.client.input = &clients_;
  }

  void play(int ticks, bool acts) {
    for (int i = 0; i < 3 * ticks; ++i) {
      if (acts) court_.act(guest_);
      court_.frame();
      predictions_.update(court_.village.now - Court::frame_length);
    }
  }
  void predict_crates() {
    for (const ecs::Entity crate : court_.game.crates) {
      guest_.prediction.set_predicted(crate, true);
      predictions_.set_predicted(crate, true);
    }
  }
  void expect_equal() const {
    EXPECT_EQ(clients_.difference(), "");
    EXPECT_EQ(predictions_.difference(), "");
    EXPECT_GT(predictions_.values(), 1000u);
    EXPECT_GT(predictions_.notices(), 50u);
  }
  void pause(int ticks) {
    guest_.paused = true;
    court_.ticks(ticks);
    guest_.paused = false;
  }
  [[nodiscard]] const client::PredictionStats& stats() const { return guest_.prediction.stats(); }

  static inline const client::PredictionConfig config{.input_delay = {.least = 0, .most = 3, .predicted_max = 24},
                                                      .position_component = "Body"};

 private:
  Court court_;
  Court::Guest& guest_;
  Twin clients_;
  PredictedTwin predictions_;
};

class PredictionConformance : public testing::Test {
 protected:
  PredictionConformance() {
    core::set_log_level(core::LogLevel::off);
    client::add_rules("court", test::court_rules());
  }
  ~PredictionConformance() override { core::set_log_level(core::LogLevel::info); }
};

TEST_F(PredictionConformance, StepsOfAHostAreThoseOfCompiledRules) {
  test::for_each_seed(1, test::few_or_all(2, 10), 1000, [](std::uint64_t seed) {
    PredictedCourt court(poor, seed, nullptr);
    court.play(60, false);
    court.predict_crates();
    court.play(400, true);
    court.play(100, false);
    court.expect_equal();
    EXPECT_EQ(court.stats().remote_mispredictions, 0u);
    EXPECT_GT(court.stats().late_mispredictions, 0u);
    EXPECT_GT(court.stats().ticks_replayed, 20u);
  });
}

TEST_F(PredictionConformance, RulesByNameAreThoseOfCpp) {
  PredictedCourt court(poor, 3, "court");
  court.play(60, false);
  court.predict_crates();
  court.play(300, true);
  court.expect_equal();
  EXPECT_EQ(court.stats().remote_mispredictions, 0u);
}

TEST_F(PredictionConformance, PausesEndInTheSameRestart) {
  PredictedCourt court(near, 4, nullptr);
  court.play(60, false);
  court.play(100, true);
  court.pause(40);
  court.play(150, true);
  court.expect_equal();
  EXPECT_EQ(court.stats().restarts, 1u);
}

}  // namespace
}  // namespace mobula::conformance
