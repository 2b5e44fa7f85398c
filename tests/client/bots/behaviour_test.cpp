#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bots/behaviour.hpp>
#include <map>
#include <set>

namespace mobula::client {
namespace {

const Behaviour& named(std::string_view name) {
  const auto mix = parse_behaviours(name);
  return *mix->parts.front().behaviour;
}

std::string reason_of(std::string_view text) {
  const auto mix = parse_behaviours(text);
  return mix ? "" : mix.error().reason;
}

// Calls a behaviour as a bot does: when it plays, when it is due, and when it is out.
std::vector<BotDecision> life(const Behaviour& behaviour, std::uint64_t seed, int decisions) {
  core::Random random(seed);
  std::vector<BotDecision> taken;
  BotView view{BotMoment::plays, true};
  while (decisions-- > 0) {
    taken.push_back(behaviour.decide(view, random));
    switch (taken.back().act) {
      case BotAct::leave:
      case BotAct::vanish: view = {BotMoment::out, false}; break;
      case BotAct::join:
      case BotAct::lose_path: view = {BotMoment::plays, true}; break;
      default: view.moment = BotMoment::due;
    }
  }
  return taken;
}

TEST(Behaviour, ASeedReproducesItsDecisions) {
  for (const Behaviour& each : behaviours()) {
    const auto one = life(each, 7, 200);
    const auto again = life(each, 7, 200);
    const auto other = life(each, 8, 200);
    bool differs = false;
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].act, again[i].act) << each.name;
      EXPECT_EQ(one[i].next_in, again[i].next_in) << each.name;
      EXPECT_EQ(one[i].command, again[i].command) << each.name;
      differs = differs || one[i].next_in != other[i].next_in;
    }
    EXPECT_EQ(differs, each.name != "idle") << each.name;
  }
}

TEST(Behaviour, IdleBotsNeverAct) {
  for (const BotDecision& each : life(named("idle"), 1, 10)) {
    EXPECT_EQ(each.act, BotAct::nothing);
    EXPECT_GT(each.next_in, 3600 * core::second);
  }
}

TEST(Behaviour, WanderAndCrowdSendCommandsEveryFewSeconds) {
  for (const char* name : {"wander", "crowd"}) {
    for (const BotDecision& each : life(named(name), 1, 50)) {
      EXPECT_EQ(each.act, BotAct::command) << name;
      EXPECT_FALSE(each.command.empty());
      EXPECT_GE(each.next_in, core::second);
      EXPECT_LE(each.next_in, 4 * core::second);
    }
  }
}

TEST(Behaviour, RoamingBotsAreSentToPlacesFarApart) {
  std::set<core::Bytes> places;
  for (const BotDecision& each : life(named("roam"), 1, 50)) {
    EXPECT_EQ(each.act, BotAct::command);
    EXPECT_GE(each.next_in, 5 * core::second) << "a way across the world takes a while";
    places.insert(each.command);
  }
  EXPECT_GT(places.size(), 40u);
}

TEST(Behaviour, CountingBotsSayNumbersAndSometimesWalkElsewhere) {
  std::map<BotAct, int> acts;
  for (const BotDecision& each : life(named("count"), 1, 500)) {
    ++acts[each.act];
    EXPECT_GT(each.next_in, each.act == BotAct::send_number ? core::second : 0)
        << "of chat messages the demo takes one a second";
  }
  EXPECT_GT(acts[BotAct::send_number], 300);
  EXPECT_GT(acts[BotAct::command], 50);
}

TEST(Behaviour, ChurningBotsLeaveInAllWaysAndJoinAgain) {
  std::map<BotAct, int> acts;
  const auto taken = life(named("churn"), 3, 1000);
  for (std::size_t i = 1; i < taken.size(); ++i) {
    ++acts[taken[i].act];
    const bool goes =
        taken[i].act == BotAct::leave || taken[i].act == BotAct::vanish || taken[i].act == BotAct::lose_path;
    if (goes) {
      EXPECT_GE(taken[i - 1].next_in, 2 * core::second) << "it stayed for that time";
    }
  }
  for (const BotAct act : {BotAct::leave, BotAct::vanish, BotAct::lose_path, BotAct::join}) EXPECT_GT(acts[act], 20);
  EXPECT_EQ(acts[BotAct::command], 0);
  EXPECT_TRUE(named("churn").returns);
}

TEST(BehaviourMix, ParsesAndFormats) {
  EXPECT_EQ(to_string(*parse_behaviours("crowd")), "crowd");
  EXPECT_EQ(to_string(*parse_behaviours("wander=70,churn=30")), "wander=70,churn=30");
  EXPECT_EQ(to_string(*parse_behaviours(" wander = 2 , idle ")), "wander=2,idle=1");
}

TEST(BehaviourMix, RefusesWrongText) {
  EXPECT_EQ(reason_of("wnader"), "unknown behaviour");
  EXPECT_THAT(parse_behaviours("wnader").error().message, testing::HasSubstr("did you mean 'wander'?"));
  EXPECT_THAT(parse_behaviours("x").error().message, testing::HasSubstr("idle, wander, roam, count, crowd, churn"));
  EXPECT_EQ(reason_of(""), "unknown behaviour");
  EXPECT_EQ(reason_of("wander,"), "unknown behaviour");
  EXPECT_EQ(reason_of("wander=0"), "bad weight");
  EXPECT_EQ(reason_of("wander=-1"), "bad weight");
  EXPECT_EQ(reason_of("wander=1.5"), "bad weight");
  EXPECT_EQ(reason_of("wander=1001"), "bad weight");
  EXPECT_EQ(reason_of("wander="), "bad weight");
  EXPECT_EQ(reason_of("wander=1,wander=2"), "named twice");
}

TEST(BehaviourMix, EveryPrefixOfTheBotsHasTheShares) {
  const auto mix = parse_behaviours("wander=70,churn=20,idle=10");
  const auto assigned = assign_behaviours(*mix, 1000);
  std::map<std::string_view, double> given;
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    ++given[assigned[i]->name];
    const auto n = static_cast<double>(i + 1);
    EXPECT_NEAR(given["wander"], 0.7 * n, 1.01);
    EXPECT_NEAR(given["churn"], 0.2 * n, 1.01);
    EXPECT_NEAR(given["idle"], 0.1 * n, 1.01);
  }
}

}  // namespace
}  // namespace mobula::client
