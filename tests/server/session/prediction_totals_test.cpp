// Prediction reports of clients, honest ones and others.
#include <gtest/gtest.h>

#include <mobula/wire/messages.hpp>
#include <server/raw_guest.hpp>
#include <server/tiny_game.hpp>

namespace mobula::server {
namespace {

class PredictionReports : public testing::Test {
 protected:
  void send(const wire::Message& message) { guest.send(wire::encode(message)); }
  void join() {
    ASSERT_TRUE(guest.connect());
    send(wire::Hello{.schema_fingerprint = test::game_schema()->fingerprint(), .name = "eve"});
    guest.ticks(10);
    ASSERT_EQ(village.server->players(), 1u);
  }
  [[nodiscard]] const ReportedPrediction& reported() const { return village.server->sessions().front()->prediction; }
  [[nodiscard]] const PredictionTotals& all() const { return village.server->stats().predictions; }
  [[nodiscard]] std::uint64_t refused(const std::string& reason) const {
    const auto found = village.server->stats().refusals.find(reason);
    return found == village.server->stats().refusals.end() ? 0 : found->second;
  }

  test::TinyGame game;
  test::Village village{game};
  test::RawGuest guest{village};
};

TEST_F(PredictionReports, AreSummed) {
  join();
  send(wire::PredictionReport{20, 66, 3, 1, 2, 4, 5, 1250, 700, 40, 6});
  send(wire::PredictionReport{21, 1, 1, 1, 1, 1, 1, 250, 250, 16, 1});
  guest.ticks(5);
  EXPECT_EQ(reported().reports, 2u);
  EXPECT_EQ(reported().greatest_correction_mm, 700u);
  EXPECT_EQ(reported().input_delay, 16u) << "of the last one";
  for (const PredictionTotals* totals : {&reported().totals, &all()}) {
    EXPECT_EQ(totals->ticks, 41u);
    EXPECT_EQ(totals->ticks_replayed, 67u);
    EXPECT_EQ(totals->rollbacks, 4u);
    EXPECT_EQ(totals->late_mispredictions, 2u);
    EXPECT_EQ(totals->remote_mispredictions, 3u);
    EXPECT_EQ(totals->level_mispredictions, 7u);
    EXPECT_EQ(totals->stalls, 5u);
    EXPECT_EQ(totals->corrections, 6u);
    EXPECT_EQ(totals->corrections_mm, 1500u);
  }
}

TEST_F(PredictionReports, AreKeptInTheSumsOfTheServer) {
  join();
  send(wire::PredictionReport{.ticks = 7});
  guest.ticks(5);
  static_cast<void>(village.server->kick(1, "away"));
  guest.ticks(5);
  EXPECT_TRUE(village.server->sessions().empty());
  EXPECT_EQ(all().ticks, 7u);
}

TEST_F(PredictionReports, BeyondTheRateAreRefused) {
  join();
  constexpr std::uint32_t most = ClientSession::reports_per_second_max;
  for (std::uint32_t i = 0; i < most + 5; ++i) send(wire::PredictionReport{.ticks = 1});
  guest.ticks(5);
  EXPECT_EQ(reported().totals.ticks, most);
  EXPECT_EQ(refused("too many reports"), 5u);
  EXPECT_FALSE(guest.endpoint.closed());
  guest.ticks(20);
  send(wire::PredictionReport{.ticks = 1});
  guest.ticks(5);
  EXPECT_EQ(reported().totals.ticks, most + 1) << "a second later they are accepted again";
}

TEST_F(PredictionReports, FloodsOfThemCloseTheSession) {
  join();
  for (std::uint32_t i = 0; i < ClientSession::reports_per_second_max + ClientSession::refusals_per_second_max + 1; ++i)
    send(wire::PredictionReport{.ticks = 1});
  EXPECT_TRUE(guest.closes());
  EXPECT_EQ(guest.endpoint.reason().code, transport::ReasonCode::kicked);
}

TEST_F(PredictionReports, AMalformedOneClosesTheSession) {
  join();
  send(wire::PredictionReport{.ticks = 3});
  send(wire::PredictionReport{.ticks = 1, .stalls = wire::max_reported_count + 1});
  EXPECT_TRUE(guest.closes());
  EXPECT_EQ(guest.endpoint.reason().code, transport::ReasonCode::protocol_error);
  EXPECT_EQ(refused("malformed message"), 1u);
  EXPECT_EQ(all().ticks, 3u) << "nothing of it is added";
}

TEST_F(PredictionReports, BeforeHelloCloseTheSession) {
  ASSERT_TRUE(guest.connect());
  send(wire::PredictionReport{});
  EXPECT_TRUE(guest.closes());
  EXPECT_EQ(refused("out of turn"), 1u);
}

}  // namespace
}  // namespace mobula::server
