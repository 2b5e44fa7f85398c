#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bots/limit.hpp>
#include <client/bots/reports.hpp>

namespace mobula::client {
namespace {

using testing::HasSubstr;

bool met(std::string_view text) {
  const auto limit = parse_limit(text);
  EXPECT_TRUE(limit) << text;
  return limit && all_met(judge(test::some_report(), {*limit}));
}

TEST(Limit, EvaluatesEachComparison) {
  EXPECT_TRUE(met("joined<=19"));
  EXPECT_FALSE(met("joined<=18"));
  EXPECT_TRUE(met("joined<20"));
  EXPECT_FALSE(met("joined<19"));
  EXPECT_TRUE(met("joined>=19"));
  EXPECT_FALSE(met("joined>=20"));
  EXPECT_TRUE(met("joined>18"));
  EXPECT_FALSE(met("joined>19"));
  EXPECT_TRUE(met("joined==19"));
  EXPECT_FALSE(met("joined==20"));
  EXPECT_TRUE(met(" max_interval_ms <= 100.5 "));
  EXPECT_FALSE(met("max_interval_ms <= 1e1"));
  EXPECT_TRUE(met("last_step.mismatches==0"));
}

TEST(Limit, RefusesWrongTextWithAdvice) {
  const auto refusal = [](std::string_view text) {
    const auto limit = parse_limit(text);
    EXPECT_FALSE(limit) << text;
    return limit ? core::Error{} : limit.error();
  };
  EXPECT_STREQ(refusal("p99_intervall_ms<=1").reason, "unknown measure");
  EXPECT_THAT(refusal("p99_intervall_ms<=1").message, HasSubstr("did you mean 'p99_interval_ms'?"));
  EXPECT_STREQ(refusal("<=1").reason, "unknown measure");
  for (const char* wrong : {"", "joined", "joined 5", "joined=5", "joined=<5", "joined!=5", "joined<>5", "joined=>5"})
    EXPECT_STREQ(refusal(wrong).reason, "bad comparison") << wrong;
  for (const char* wrong : {"joined<=", "joined<=x", "joined<=5ms", "joined<=nan", "joined<=inf", "joined<=1,5"})
    EXPECT_STREQ(refusal(wrong).reason, "bad number") << wrong;
}

TEST(Limit, IsNotMetWithoutMeasurements) {
  for (const char* text : {"p99_interval_ms<=100", "p99_interval_ms>=0"}) {
    const auto verdicts = judge(test::empty_report(), {*parse_limit(text)});
    EXPECT_FALSE(all_met(verdicts)) << text;
    EXPECT_THAT(to_table(verdicts), HasSubstr("nothing was measured"));
  }
}

TEST(Limits, TheUsersReplaceTheDefaults) {
  const auto names = [](const std::vector<BotsLimit>& limits) {
    std::vector<std::string> texts;
    for (const BotsLimit& each : limits) texts.push_back(to_string(each));
    return texts;
  };
  EXPECT_THAT(names(limits_of({}, 20, true)),
              testing::ElementsAre("joined>=20", "lost<=0", "mismatches<=0", "verified_ticks>=1"));
  EXPECT_THAT(names(limits_of({*parse_limit("lost<=5"), *parse_limit("p99_interval_ms<=60")}, 20, false)),
              testing::ElementsAre("joined>=20", "mismatches<=0", "lost<=5", "p99_interval_ms<=60"));
}

TEST(Limits, AreShownWithTheirValues) {
  const auto verdicts = judge(test::some_report(), {*parse_limit("joined>=20"), *parse_limit("max_interval_ms<=100")});
  EXPECT_EQ(to_table(verdicts), "NOT MET  joined>=20: 19\nmet      max_interval_ms<=100: 100\n");
}

}  // namespace
}  // namespace mobula::client
