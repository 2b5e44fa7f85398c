#include <gmock/gmock.h>

#include <client/c/c_court.hpp>
#include <cmath>

namespace mobula::c {
namespace {

class CPredictionOptions : public test::CCourt {
 protected:
  // Returns the result of a creation with changed options.
  template <class Change>
  mobula_result created(Change&& change) {
    auto given = options();
    change(given);
    const mobula_result result = mobula_prediction_create(client(), &given);
    if (result == MOBULA_OK) mobula_prediction_destroy(client());
    return result;
  }
};

TEST_F(CPredictionOptions, AreRefusedWithoutAKnownSize) {
  for (const std::uint32_t size : {0u, 8u, 71u, 5000u})
    EXPECT_EQ(created([&](auto& options) { options.struct_size = size; }), MOBULA_ERROR_INVALID_ARGUMENT) << size;
  EXPECT_EQ(created([](auto&) {}), MOBULA_OK);
}

TEST_F(CPredictionOptions, AreRefusedBeyondTheirRange) {
  using Options = mobula_prediction_options;
  const mobula_smoothing negative{"Body", -1, 1};
  const mobula_smoothing backwards{"Body", 1, -1};
  const mobula_smoothing none{"Body", 1, NAN};
  const std::string name(300, 'x');
  const auto refused = [&](auto&& change) { EXPECT_EQ(created(change), MOBULA_ERROR_INVALID_ARGUMENT); };
  refused([](Options& options) { options.flags = 2; });
  refused([](Options& options) { options.input_delay_least = 1; });
  refused([](Options& options) { options.input_delay_most = 65; });
  refused([](Options& options) { options.predicted_max = 257; });
  refused([](Options& options) { options.switch_duration = -1; });
  for (const mobula_smoothing& smoothing : {negative, backwards, none})
    refused([&](Options& options) { options.smoothing = &smoothing, options.smoothing_count = 1; });
  refused([&](Options& options) { options.smoothing = &none, options.smoothing_count = ~0u; });
  refused([&](Options& options) { options.position_component = name.c_str(); });
  refused([&](Options& options) { options.position_field = name.c_str(); });
}

TEST_F(CPredictionOptions, UnknownComponentsAreRefusedByTheUpdate) {
  const mobula_smoothing unknown{"Weather", 1, 1};
  auto given = options();
  given.smoothing = &unknown, given.smoothing_count = 1;
  ASSERT_EQ(mobula_prediction_create(client(), &given), MOBULA_OK);
  mobula_result result = MOBULA_OK;
  for (int i = 0; i < 100 && result == MOBULA_OK; ++i) {
    village.tick();
    result = mobula_prediction_begin_update(client(), village.now);
    auto step = test::sized<mobula_step>();
    while (result == MOBULA_OK && mobula_prediction_next_step(client(), &step) == MOBULA_OK)
      EXPECT_EQ(mobula_prediction_end_step(client()), MOBULA_OK);
  }
  EXPECT_EQ(result, MOBULA_ERROR_BAD_RULES);
  EXPECT_THAT(test::error_text(), testing::HasSubstr("smoothing names Weather"));
}

TEST_F(CPredictionOptions, UnknownRulesAreAnErrorThatNamesTheKnown) {
  auto given = options();
  given.reads = nullptr;
  given.rules = "nobody's";
  EXPECT_EQ(mobula_prediction_create(client(), &given), MOBULA_ERROR_BAD_RULES);
  EXPECT_THAT(test::error_text(), testing::HasSubstr("no rules 'nobody's'"));
  given.reads = "Surface";
  EXPECT_EQ(mobula_prediction_create(client(), &given), MOBULA_ERROR_INVALID_ARGUMENT);
}

TEST_F(CPredictionOptions, AListOfNamesMayHaveMoreSpaces) {
  auto given = options();
  given.reads = "  Surface   Surface ";
  ASSERT_EQ(mobula_prediction_create(client(), &given), MOBULA_OK);
  host.emplace(client());
  ticks(40);
  EXPECT_EQ(state(avatar()), MOBULA_PREDICTED);
}

TEST_F(CPredictionOptions, WithoutTheOwnEntityNothingIsPredicted) {
  auto given = options();
  given.flags = MOBULA_NO_OWN_ENTITY;
  ASSERT_EQ(mobula_prediction_create(client(), &given), MOBULA_OK);
  host.emplace(client());
  ticks(40);
  EXPECT_EQ(info().started, 1u);
  EXPECT_EQ(state(avatar()), MOBULA_AS_MIRRORED);
}

TEST_F(CPredictionOptions, LimitsAreThoseOfThePrediction) {
  auto given = options();
  given.input_delay_least = given.input_delay_most = 3;
  given.predicted_max = 5;
  ASSERT_EQ(mobula_prediction_create(client(), &given), MOBULA_OK);
  host.emplace(client());
  ticks(60);
  EXPECT_NEAR(counters().input_delay, 3, 0.5);
  EXPECT_LE(counters().predicted_ticks, 5u);
}

}  // namespace
}  // namespace mobula::c
