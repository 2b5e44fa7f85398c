// Bots and a server on real sockets of one loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bots/bot.hpp>
#include <client/bots/chat_message.hpp>
#include <client/served_demo.hpp>
#include <demo/demo_player.hpp>
#include <examples/demo/rules/rules.hpp>
#include <mobula/client/connection/resource_memory.hpp>
#include <optional>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds patience = 30 * core::second;

// Next action of the bots, set by the test.
struct Script {
  BotAct next = BotAct::nothing;
  std::vector<BotMoment> asked;
};
Script script;

BotDecision by_script(const BotView& view, core::Random& /*random*/) {
  script.asked.push_back(view.moment);
  const bool can = view.playing == (script.next != BotAct::join);
  const BotDecision decision{.act = can ? std::exchange(script.next, BotAct::nothing) : BotAct::nothing,
                             .next_in = core::millisecond};
  return decision;
}

constexpr Behaviour scripted{"scripted", "", false, true, by_script};

class BotTest : public testing::Test {
 protected:
  void SetUp() override { script = {}; }
  void TearDown() override { bots_.clear(); }

  void serve(std::uint32_t sessions_max = 16) {
    server::ServerConfig config{.level = test::hamlet()};
    config.transport = test::test_transport();
    config.transport.sessions_max = sessions_max;
    served_.emplace(loop_, std::move(config), "");
    access_ = served_->access;
    tokens_ = std::move(*TokenStock::open(access_, 4));
  }
  void predict() {
    ASSERT_TRUE(level_.add(test::hamlet()->clients_bytes()));
    predicts_ = {&demo::rules, demo_schema(), {}, &level_};
  }

  Bot& add(const Behaviour& behaviour = scripted, bool mirrors = false) {
    const auto number = static_cast<std::uint32_t>(bots_.size());
    bots_.push_back(std::make_unique<Bot>(BotSetup{loop_, access_, tokens_.get(), tally_, predicts_},
                                          Bot::Self{number, &behaviour, number + 1, mirrors}));
    bots_.back()->want(true);
    return *bots_.back();
  }

  // Runs ticks, 100 per second, until the condition holds.
  template <class Condition>
  bool run_until(Condition&& condition, core::Nanoseconds at_most = patience) {
    const core::Nanoseconds end = core::monotonic_now() + at_most;
    while (!condition() && core::monotonic_now() < end) {
      loop_.run_until(core::monotonic_now() + 10 * core::millisecond);
      served_->tick();
      for (const auto& bot : bots_) EXPECT_TRUE(bot->update(core::monotonic_now()));
    }
    return condition();
  }
  void run_for(core::Nanoseconds time) {
    run_until([] { return false; }, time);
  }
  std::uint64_t counted(Count kind) {
    for (const auto& bot : bots_) bot->count();
    return tally_.now.counts[kind];
  }

  net::EventLoop loop_;
  std::optional<test::ServedDemo> served_;
  Access access_;
  std::unique_ptr<TokenStock> tokens_;
  BotsTally tally_;
  ResourceMemory level_;
  BotRules predicts_;
  std::vector<std::unique_ptr<Bot>> bots_;
};

TEST_F(BotTest, JoinsAndCountsWhatItReceives) {
  serve();
  Bot& bot = add(scripted, true);
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  EXPECT_TRUE(bot.ever_joined());
  EXPECT_EQ(script.asked.front(), BotMoment::plays);
  ASSERT_TRUE(run_until([&] { return counted(Count::verified_ticks) > 5; }));
  EXPECT_EQ(counted(Count::joins), 1u);
  EXPECT_EQ(counted(Count::mismatches), 0u);
  EXPECT_GT(counted(Count::bytes_in), 1000u);
  EXPECT_GT(counted(Count::bytes_out), 100u);
  EXPECT_GT(counted(Count::datagrams_in), 5u);
  EXPECT_EQ(tally_.now.joins_us.count(), 1u);
  EXPECT_GT(tally_.now.intervals_us.count(), 5u);
  EXPECT_EQ(bot.note_silence(core::monotonic_now()), 0);
  EXPECT_FALSE(bot.failed());
  EXPECT_EQ(tally_.disconnects.total() + tally_.refusals.total(), 0u);
}

TEST_F(BotTest, PredictsByTheRulesOfTheDemo) {
  serve();
  predict();
  const auto wander = std::ranges::find(behaviours(), "wander", &Behaviour::name);
  Bot& bot = add(*wander, true);
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  ASSERT_TRUE(run_until([&] { return counted(Count::predicted_ticks) > 200; }));
  EXPECT_EQ(counted(Count::predicted_ticks), bot.client()->prediction()->stats().ticks);
  EXPECT_EQ(counted(Count::replayed_ticks), bot.client()->prediction()->stats().ticks_replayed);
  EXPECT_EQ(counted(Count::remote_mispredictions), 0u);
  EXPECT_GT(counted(Count::commands), 0u);
  EXPECT_EQ(counted(Count::mismatches), 0u);
  EXPECT_GT(tally_.now.input_delays_us.count(), 0u);
  ASSERT_TRUE(run_until([&] { return served_->server->stats().predictions.ticks > 0; })) << "it reports to the server";
  EXPECT_LE(tally_.now.corrections_um.count(), counted(Count::rollbacks));
}

TEST_F(BotTest, CountsInTheChatAndReceivesItsNumbers) {
  serve();
  const auto count = std::ranges::find(behaviours(), "count", &Behaviour::name);
  for (int bots = 0; bots < 2; ++bots) add(*count, true);
  ASSERT_TRUE(run_until([&] { return counted(Count::events) >= 8; }));
  EXPECT_GE(counted(Count::commands), 4u);
  EXPECT_EQ(counted(Count::commands_twice), 0u) << "numbers of the other bot are not its own";
  auto& events = served_->server->world().events();
  for (int times = 0; times < 2; ++times)
    ASSERT_TRUE(events.send(test::chat_message("1 1"), server::Audience::everyone(), server::Reliability::reliable));
  EXPECT_TRUE(run_until([&] { return counted(Count::commands_twice) >= 1; }));
}

TEST_F(BotTest, PredictsNothingWithoutAMirror) {
  serve();
  predict();
  Bot& bot = add(scripted, false);
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  run_for(core::second);
  EXPECT_EQ(counted(Count::predicted_ticks), 0u);
  EXPECT_EQ(served_->server->stats().predictions.ticks, 0u);
}

TEST_F(BotTest, CountsThePredictionsOfEachConnection) {
  serve();
  predict();
  Bot& bot = add(scripted, true);
  ASSERT_TRUE(run_until([&] { return bot.playing() && counted(Count::predicted_ticks) > 50; }));
  script.next = BotAct::leave;
  ASSERT_TRUE(run_until([&] { return !bot.playing(); }));
  const std::uint64_t before = counted(Count::predicted_ticks);
  script.next = BotAct::join;
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  ASSERT_TRUE(run_until([&] { return counted(Count::predicted_ticks) > before + 20; }));
  EXPECT_LT(counted(Count::predicted_ticks), before + 10'000) << "no difference is below 0";
}

TEST_F(BotTest, LeavesAndJoinsAgainAsAnotherPlayer) {
  serve();
  Bot& bot = add();
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  script.next = BotAct::leave;
  ASSERT_TRUE(run_until([&] { return !bot.playing(); }));
  ASSERT_TRUE(run_until([&] { return served_->server->players() == 0; })) << "no timeout is needed";
  EXPECT_EQ(bot.client(), nullptr);
  script.next = BotAct::join;
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  EXPECT_EQ(counted(Count::joins), 2u);
  EXPECT_EQ(counted(Count::rejoins), 0u);
  EXPECT_EQ(counted(Count::leaves), 1u);
  EXPECT_EQ(tally_.disconnects.total() + tally_.refusals.total(), 0u) << "by its own choice";
}

TEST_F(BotTest, VanishesWithoutDisconnecting) {
  serve();
  Bot& bot = add();
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  script.next = BotAct::vanish;
  ASSERT_TRUE(run_until([&] { return bot.client() == nullptr; }));
  run_for(300 * core::millisecond);
  EXPECT_EQ(served_->server->players(), 1u) << "the server does not know yet";
  script.next = BotAct::join;
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  EXPECT_EQ(served_->server->players(), 2u) << "it is another player";
  EXPECT_EQ(tally_.disconnects.total() + tally_.refusals.total(), 0u);
}

TEST_F(BotTest, LosesItsPathAndReconnectsAsTheSamePlayer) {
  serve();
  Bot& bot = add();
  ASSERT_TRUE(run_until([&] { return bot.playing() && bot.connection()->player_entity(); }));
  const ecs::Entity entity = bot.connection()->player_entity();
  run_for(3 * core::second);  // until it has a token to reconnect with
  script.asked.clear();
  script.next = BotAct::lose_path;
  ASSERT_TRUE(run_until([&] { return counted(Count::rejoins) == 1 && bot.playing(); }));
  EXPECT_EQ(bot.connection()->player_entity(), entity);
  EXPECT_EQ(served_->server->players(), 1u);
  EXPECT_EQ(counted(Count::joins), 2u);
  EXPECT_EQ(tally_.now.joins_us.count(), 2u);
  EXPECT_EQ(tally_.disconnects.total() + tally_.refusals.total(), 0u) << "by its own choice";
  EXPECT_THAT(script.asked, testing::Contains(BotMoment::plays));
}

TEST_F(BotTest, CountsARefusalWithItsReason) {
  serve(1);
  constexpr Behaviour stays{"stays", "", false, false, by_script};
  Bot& first = add(stays);
  ASSERT_TRUE(run_until([&] { return first.playing(); }));
  Bot& second = add(stays);
  ASSERT_TRUE(run_until([&] { return second.failed(); }));
  EXPECT_EQ(tally_.refusals.total(), 1u);
  EXPECT_THAT(tally_.refusals.by_reason().begin()->first, testing::StartsWith("server full"));
  EXPECT_THAT(tally_.first_loss, testing::StartsWith("server full"));
  EXPECT_FALSE(second.ever_joined());
  run_for(200 * core::millisecond);
  EXPECT_FALSE(second.about_to_join()) << "it stays out";
  EXPECT_EQ(tally_.refusals.total(), 1u);
}

TEST_F(BotTest, CountsADisconnectionWithItsReason) {
  serve();
  constexpr Behaviour stays{"stays", "", false, false, by_script};
  Bot& bot = add(stays);
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  served_->server->shut_down(core::monotonic_now(), *served_->pipes);
  ASSERT_TRUE(run_until([&] { return bot.failed(); }));
  EXPECT_EQ(tally_.disconnects.total(), 1u);
  EXPECT_THAT(tally_.disconnects.by_reason().begin()->first, testing::StartsWith("shutting down"));
}

TEST_F(BotTest, LeavesWhenTheRampFallsAndJoinsWhenItRises) {
  serve();
  Bot& bot = add();
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  bot.want(false);
  ASSERT_TRUE(run_until([&] { return served_->server->players() == 0; }));
  EXPECT_EQ(bot.client(), nullptr);
  EXPECT_FALSE(bot.failed());
  EXPECT_EQ(counted(Count::leaves), 0u) << "the ramp decided, not the bot";
  bot.want(true);
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  EXPECT_EQ(counted(Count::joins), 2u);
}

TEST_F(BotTest, AnUnfinishedSilenceCountsAsAnInterval) {
  serve();
  Bot& bot = add();
  ASSERT_TRUE(run_until([&] { return bot.playing(); }));
  const std::uint64_t before = tally_.now.intervals_us.count();
  const core::Nanoseconds silence = bot.note_silence(core::monotonic_now() + 5 * core::second);
  EXPECT_GE(silence, 5 * core::second);
  EXPECT_EQ(tally_.now.intervals_us.count(), before + 1);
  EXPECT_GE(tally_.now.intervals_us.max(), 5'000'000u);
}

}  // namespace
}  // namespace mobula::client
