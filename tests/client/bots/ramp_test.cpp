#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bots/ramp.hpp>

namespace mobula::client {
namespace {

using testing::ElementsAre;
constexpr core::Nanoseconds s = core::second;

std::vector<RampStep> steps(std::string_view text, const RampLimits& limits = {}) {
  const auto ramp = Ramp::parse(text, limits);
  EXPECT_TRUE(ramp) << text << ": " << (ramp ? "" : ramp.error().message);
  return ramp ? ramp->steps() : std::vector<RampStep>{};
}

TEST(Length, IsANumberAndAUnit) {
  EXPECT_EQ(*parse_length("1500ms"), 1500 * core::millisecond);
  EXPECT_EQ(*parse_length("30s"), 30 * s);
  EXPECT_EQ(*parse_length("0.5s"), s / 2);
  EXPECT_EQ(*parse_length("2m"), 120 * s);
  EXPECT_EQ(*parse_length("1h"), 3600 * s);
  for (const char* wrong : {"", "30", "s", "-1s", "0s", "1 s", "1d", "1e3s", "nans", "infs", "999999h", "1s1s"})
    EXPECT_FALSE(parse_length(wrong)) << wrong;
}

TEST(Ramp, WithoutOneAllBotsJoinAtOnce) {
  EXPECT_THAT(steps(""), ElementsAre(RampStep{20, 20, 10 * s}));
  EXPECT_THAT(steps("", {.clients = 7, .length = 3 * s}), ElementsAre(RampStep{7, 7, 3 * s}));
}

TEST(Ramp, AClimbEndsWithAllBotsWhichStay) {
  EXPECT_THAT(steps("30s", {.clients = 100, .length = 60 * s}),
              ElementsAre(RampStep{0, 100, 30 * s}, RampStep{100, 100, 30 * s}));
  EXPECT_THAT(steps("30s", {.clients = 100}), ElementsAre(RampStep{0, 100, 30 * s}, RampStep{100, 100, 10 * s}));
  EXPECT_THAT(steps("30s", {.clients = 100, .length = 30 * s}), ElementsAre(RampStep{0, 100, 30 * s}));
}

TEST(Ramp, NumbersAreHeldAndTheGreatestIsAll) {
  EXPECT_THAT(steps("100@10s,500@30s"), ElementsAre(RampStep{100, 100, 10 * s}, RampStep{500, 500, 30 * s}));
  EXPECT_THAT(steps("500@10s,0@5s"), ElementsAre(RampStep{500, 500, 10 * s}, RampStep{0, 0, 5 * s}));
  EXPECT_THAT(steps("30s,500@1m"), ElementsAre(RampStep{0, 500, 30 * s}, RampStep{500, 500, 60 * s}));
  EXPECT_THAT(steps("10@1s,2s,500@1s"),
              ElementsAre(RampStep{10, 10, s}, RampStep{10, 500, 2 * s}, RampStep{500, 500, s}));
}

TEST(Ramp, ReturnsBotsAndStepAtEachTime) {
  const auto ramp = Ramp::parse("10s,100@5s,20@5s", {});
  ASSERT_TRUE(ramp);
  EXPECT_EQ(ramp->length(), 20 * s);
  EXPECT_EQ(ramp->most(), 100u);
  EXPECT_EQ(ramp->clients_at(0), 0u);
  EXPECT_EQ(ramp->clients_at(5 * s), 50u);
  EXPECT_EQ(ramp->clients_at(10 * s), 100u);
  EXPECT_EQ(ramp->clients_at(15 * s - 1), 100u);
  EXPECT_EQ(ramp->clients_at(15 * s), 20u);
  EXPECT_EQ(ramp->clients_at(99 * s), 20u);
  EXPECT_EQ(ramp->step_at(0), 0u);
  EXPECT_EQ(ramp->step_at(10 * s), 1u);
  EXPECT_EQ(ramp->step_at(99 * s), 2u);
}

TEST(Ramp, RefusesWrongText) {
  for (const char* wrong : {"30", "x", "100@", "@10s", "100@10s,", ",", "-1@10s", "1.5@10s", "10001@10s", "100 @10s"}) {
    const auto ramp = Ramp::parse(wrong, {});
    ASSERT_FALSE(ramp) << wrong;
    EXPECT_STREQ(ramp.error().reason, "bad ramp");
  }
  EXPECT_FALSE(Ramp::parse("100@10s", {.clients = 50})) << "more than --clients";
  EXPECT_FALSE(Ramp::parse("30s", {.length = 10 * s})) << "longer than the run";
  EXPECT_FALSE(Ramp::parse("10@30s", {.length = 10 * s}));
  EXPECT_TRUE(Ramp::parse("10@30s", {.length = 30 * s}));
  std::string many = "1@1s";
  for (std::size_t i = 0; i < ramp_steps_max; ++i) many += ",1@1s";
  EXPECT_FALSE(Ramp::parse(many, {}));
}

}  // namespace
}  // namespace mobula::client
