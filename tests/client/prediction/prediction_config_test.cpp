#include <gmock/gmock.h>

#include <client/prediction/court_rules.hpp>
#include <mobula/client/prediction/prediction_config.hpp>

namespace mobula::client {
namespace {

using testing::HasSubstr;

core::Status check(const PredictionConfig& config) { return check_names(config, *test::court_schema()); }

TEST(PredictionConfig, NamesOfPredictedComponentsAreAccepted) {
  EXPECT_TRUE(check({}));
  EXPECT_TRUE(check({.smoothing = {{}, {.component = "Body"}}, .position_component = "Body"}));
}

TEST(PredictionConfig, OtherNamesAreRefusedWithTheNearest) {
  const core::Status smoothing = check({.smoothing = {{}, {.component = "Bodi"}}});
  ASSERT_FALSE(smoothing);
  EXPECT_STREQ(smoothing.error().reason, "not predicted");
  EXPECT_THAT(smoothing.error().message, HasSubstr("smoothing names Bodi, which is not predicted"));
  EXPECT_THAT(smoothing.error().message, HasSubstr("did you mean 'Body'?"));
  const core::Status position = check({.position_component = "Surface"});
  ASSERT_FALSE(position);
  EXPECT_THAT(position.error().message, HasSubstr("position_component names Surface"));
}

}  // namespace
}  // namespace mobula::client
