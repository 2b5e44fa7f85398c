#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <mobula/transport/link_estimates.hpp>

namespace mobula::transport {
namespace {

using core::millisecond;
using core::second;

TEST(LinkEstimates, SmoothsRoundTripsLikeRfc6298) {
  LinkEstimator link;
  link.on_rtt(100 * millisecond);
  EXPECT_EQ(link.estimates().rtt, 100 * millisecond);
  EXPECT_EQ(link.estimates().rtt_variation, 50 * millisecond);
  link.on_rtt(180 * millisecond);
  EXPECT_EQ(link.estimates().rtt, 110 * millisecond);
  EXPECT_EQ(link.estimates().rtt_variation, 57'500'000);
  for (int i = 0; i < 100; ++i) link.on_rtt(70 * millisecond);
  EXPECT_NEAR(static_cast<double>(link.estimates().rtt), 70e6, 1e5);
  EXPECT_NEAR(static_cast<double>(link.patience()), 90e6, 1e6);
}

TEST(LinkEstimates, PatienceIsBounded) {
  LinkEstimator link;
  EXPECT_EQ(link.patience(), 300 * millisecond);
  link.on_rtt(1);
  EXPECT_EQ(link.patience(), 50 * millisecond);
  for (int i = 0; i < 50; ++i) link.on_rtt(3600 * second);
  EXPECT_EQ(link.patience(), 5 * second);
}

TEST(LinkEstimates, LossApproachesTheLostShare) {
  constexpr std::uint64_t seed = 5;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  LinkEstimator link;
  for (const std::uint32_t permille : {0u, 50u, 250u, 1000u, 0u}) {
    std::uint64_t sum = 0;
    for (int i = 0; i < 4000; ++i) {
      link.on_outcome(random.chance(permille, 1000));
      if (i >= 1000) sum += link.estimates().loss_permille;
    }
    EXPECT_NEAR(static_cast<double>(sum) / 3000, permille, 20);
  }
}

TEST(LinkEstimates, LateAckReducesTheLoss) {
  LinkEstimator link;
  for (int i = 0; i < 3; ++i) link.on_outcome(true);
  EXPECT_GT(link.estimates().loss_permille, 40u);
  for (int i = 0; i < 3; ++i) link.forgive();
  EXPECT_LE(link.estimates().loss_permille, 1u);
}

TEST(LinkEstimates, JitterIsTheMeanDeviationOfGaps) {
  constexpr std::uint64_t seed = 6;
  SCOPED_TRACE(seed);
  core::Random random(seed);
  LinkEstimator even;
  LinkEstimator uneven;
  for (int i = 0; i < 2000; ++i) {
    const core::Nanoseconds now = i * 50 * millisecond;
    for (int copies = 0; copies < 3; ++copies) even.on_received(100, now);
    uneven.on_received(100, now + static_cast<core::Nanoseconds>(random.below(30)) * millisecond);
  }
  EXPECT_EQ(even.estimates().arrival_jitter, 0);
  // Two uniform delays of up to 30 ms differ by 10 on average.
  EXPECT_NEAR(static_cast<double>(uneven.estimates().arrival_jitter), 10e6, 4e6);
}

TEST(LinkEstimates, BandwidthIsBytesPerSecond) {
  LinkEstimator link;
  for (int i = 1; i <= 100; ++i) {
    link.on_sent(1000);
    link.on_received(200, i * 50 * millisecond);
    if (i % 2 == 0) link.on_acked(1000);
    link.update(i * 50 * millisecond);
  }
  EXPECT_NEAR(static_cast<double>(link.estimates().sent_bytes_per_second), 20'000, 500);
  EXPECT_NEAR(static_cast<double>(link.estimates().received_bytes_per_second), 4'000, 100);
  EXPECT_NEAR(static_cast<double>(link.estimates().acked_bytes_per_second), 10'000, 500);
}

}  // namespace
}  // namespace mobula::transport
