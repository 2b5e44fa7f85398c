#include <gtest/gtest.h>

#include <mobula/wire/messages.hpp>

namespace mobula::wire {
namespace {

constexpr std::uint32_t PredictionReport::* counts[] = {
    &PredictionReport::ticks,
    &PredictionReport::ticks_replayed,
    &PredictionReport::rollbacks,
    &PredictionReport::late_mispredictions,
    &PredictionReport::remote_mispredictions,
    &PredictionReport::stalls,
    &PredictionReport::corrections,
    &PredictionReport::corrections_mm,
    &PredictionReport::greatest_correction_mm,
    &PredictionReport::level_mispredictions,
};

TEST(PredictionReport, EveryFieldTravels) {
  PredictionReport report{.input_delay = 0xffff};
  std::uint32_t value = 100;
  for (const auto count : counts) report.*count = ++value;
  const core::Result<Message> decoded = decode_message(encode(report));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(std::get<PredictionReport>(*decoded), report);
}

TEST(PredictionReport, AGreaterCountThanTheLimitIsRefused) {
  for (const auto count : counts) {
    PredictionReport report;
    report.*count = max_reported_count;
    EXPECT_TRUE(decode_message(encode(report)).ok());
    for (const std::uint32_t beyond : {max_reported_count + 1, ~0u}) {
      report.*count = beyond;
      const core::Result<Message> decoded = decode_message(encode(report));
      ASSERT_FALSE(decoded.ok());
      EXPECT_STREQ(decoded.error().reason, "malformed message");
      EXPECT_EQ(decoded.error().message, "PredictionReport: counts are at most 16777216");
    }
  }
}

}  // namespace
}  // namespace mobula::wire
