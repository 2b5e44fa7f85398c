#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <functional>
#include <mobula/core/assert.hpp>
#include <mobula/process/failure_report.hpp>
#include <mobula/server/host/worlds.hpp>
#include <mobula/server/session/server.hpp>
#include <server/host/counting_game.hpp>
#include <server/store/test_folder.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

namespace mobula::server {
namespace {

using test::CountingGame;
using test::quick;

TEST(Worlds, RunUntilTheFirstHasReachedItsTicks) {
  CountingGame one;
  CountingGame two;
  Worlds worlds;
  ASSERT_TRUE(worlds.open("one", quick(), one));
  ASSERT_TRUE(worlds.open("two", quick(), two));
  worlds.run(10);
  EXPECT_EQ(one.ticks, 10);
  EXPECT_GT(two.ticks, 0) << "the world that is due first ticks first";
  EXPECT_TRUE(worlds.all().empty());
}

TEST(Worlds, PauseForAPartOfTheShortestTick) {
  CountingGame game;
  Worlds worlds;
  EXPECT_EQ(worlds.events().pause(), 0);
  HostConfig slow = quick();
  slow.tick_rate = 1;
  ASSERT_TRUE(worlds.open("slow", slow, game));
  EXPECT_EQ(worlds.events().pause(), 3 * core::millisecond);
  ASSERT_TRUE(worlds.open("quick", quick(), game));
  EXPECT_EQ(worlds.events().pause(), core::second / 240 / 16);
  ASSERT_TRUE(worlds.open("other", slow, game));
  EXPECT_EQ(worlds.events().pause(), core::second / 240 / 16);
}

TEST(Worlds, HaveUniqueNames) {
  CountingGame game;
  Worlds worlds;
  ASSERT_TRUE(worlds.open("one", quick(), game));
  const auto again = worlds.open("one", quick(), game);
  ASSERT_FALSE(again);
  EXPECT_STREQ(again.error().reason, "name taken");
  EXPECT_EQ(worlds.find("one"), worlds.all().front().get());
  EXPECT_EQ(worlds.find("two"), nullptr);
}

TEST(Worlds, AnErrorInOneWorldAffectsNoOther) {
  CountingGame game;
  Worlds worlds;
  ASSERT_TRUE(worlds.open("one", quick(), game));
  HostConfig wrong = quick();
  wrong.level = "there is no such file";
  EXPECT_FALSE(worlds.open("two", wrong, game));
  EXPECT_EQ(worlds.all().size(), 1u);
  worlds.run(1);
  EXPECT_EQ(game.ticks, 1);
}

TEST(Worlds, MayBeOpenedAndClosedWhileAnotherTicks) {
  CountingGame one;
  CountingGame two;
  Worlds worlds;
  ASSERT_TRUE(worlds.open("one", quick(), one));
  one.each_tick = [&] {
    EXPECT_TRUE(one.ticks != 2 || worlds.open("two", quick(), two));
    if (two.ticks >= 3) worlds.close("two");
  };
  two.each_tick = [&] {
    if (two.ticks < 3) return;
    worlds.close("two");
    EXPECT_EQ(worlds.find("two"), nullptr) << "closed, although its tick still runs";
  };
  worlds.run(30);
  EXPECT_EQ(one.ticks, 30);
  EXPECT_EQ(two.ticks, 3);
}

TEST(Worlds, AreNotOpenedWhileTheProcessEnds) {
  CountingGame one;
  CountingGame two;
  Worlds worlds;
  ASSERT_TRUE(worlds.open("one", quick(), one));
  one.each_tick = [&] {
    if (one.ticks != 3) return;
    worlds.drain("enough");
    const auto refused = worlds.open("two", quick(), two);
    ASSERT_FALSE(refused);
    EXPECT_STREQ(refused.error().reason, "ending");
  };
  worlds.run();
  EXPECT_EQ(two.ticks, 0);
}

TEST(Worlds, AGameMayBeDestroyedATickAfterItsWorldIsClosed) {
  CountingGame one;
  auto two = std::make_unique<CountingGame>();
  Worlds worlds;
  ASSERT_TRUE(worlds.open("one", quick(), one));
  ASSERT_TRUE(worlds.open("two", quick(), *two));
  one.each_tick = [&] {
    if (one.ticks == 3) worlds.close("two");
    if (one.ticks == 4) two.reset();
  };
  worlds.run(20);
  EXPECT_EQ(one.ticks, 20);
}

TEST(Worlds, StopOnRequest) {
  CountingGame game;
  Worlds worlds;
  game.each_tick = [&] {
    if (game.ticks == 3) worlds.stop();
  };
  ASSERT_TRUE(worlds.open("one", quick(), game));
  worlds.run();
  EXPECT_EQ(game.ticks, 3);
}

TEST(Worlds, StartAllFinalSavesBeforeWaiting) {
  const store::TestFolder folder;
  std::string saves;
  CountingGame one;
  CountingGame two;
  Worlds worlds;
  const auto open = [&](const std::string& name, CountingGame& game) {
    game.each_save = [&saves, name] { saves += name; };
    HostConfig config = quick();
    config.db = folder.file(name);
    config.checkpoint_seconds = 3600;
    return worlds.open(name, config, game).ok();
  };
  ASSERT_TRUE(open("1", one));
  ASSERT_TRUE(open("2", two));
  EXPECT_TRUE(worlds.run(3));
  EXPECT_EQ(saves, "1212") << "all saves start before the first is waited for";
}

TEST(Worlds, RefuseNamesThatFitNoUrl) {
  CountingGame game;
  Worlds worlds;
  for (const std::string& name : {std::string(), std::string("../x"), std::string("a/b"), std::string(".."),
                                  std::string("-x"), std::string("a b"), std::string("a\nb"), std::string("\xc3\xa4"),
                                  std::string(300, 'a'), std::string(65, 'a')}) {
    const auto refused = worlds.open(name, quick(), game);
    ASSERT_FALSE(refused) << name;
    EXPECT_STREQ(refused.error().reason, "bad name");
  }
  EXPECT_TRUE(worlds.all().empty());
  for (const std::string& name : {std::string("a"), std::string("room-7.x_Y"), std::string(64, 'a')})
    EXPECT_TRUE(worlds.open(name, quick(), game)) << name;
}

// Code may give what a command line refuses.
TEST(Worlds, RefuseAConfigurationThatACommandLineRefuses) {
  CountingGame game;
  Worlds worlds;
  const auto refusal = [&](const auto& spoil) {
    HostConfig config = quick();
    spoil(config);
    const auto refused = worlds.open("w", config, game);
    EXPECT_STREQ(refused.ok() ? "" : refused.error().reason, "bad configuration");
    return refused.ok() ? "" : refused.error().message;
  };
  EXPECT_EQ(refusal([](HostConfig& config) { config.tick_rate = 0; }), "--tick-rate: 0 is not within 1 to 240");
  EXPECT_THAT(refusal([](HostConfig& config) { config.duplicate_login = "maybe"; }),
              testing::StartsWith("--duplicate-login: "));
  EXPECT_THAT(refusal([](HostConfig& config) { config.trusted_proxies = {"10.0.0.0/8", "home"}; }),
              testing::StartsWith("--trusted-proxy: "));
}

TEST(Worlds, TwoHaveNoFileInCommon) {
  const store::TestFolder folder;
  CountingGame game;
  HostConfig config = quick();
  config.db = folder.file();
  Worlds worlds;
  ASSERT_TRUE(worlds.open("one", config, game));
  const auto refused = worlds.open("two", config, game);
  ASSERT_FALSE(refused);
  EXPECT_STREQ(refused.error().reason, "in use");
}

TEST(Worlds, TickInTheOrderInWhichTheyAreDue) {
  std::vector<CountingGame> games(20);
  Worlds worlds;
  for (std::size_t i = 0; i < games.size(); ++i) {
    HostConfig config = quick();
    config.tick_rate = static_cast<std::uint32_t>(60 + 9 * i);
    const auto world = worlds.open("w" + std::to_string(i), config, games[i]);
    ASSERT_TRUE(world);
    games[i].each_tick = [&worlds, i, own = *world] {
      for (const auto& other : worlds.all()) EXPECT_GE(other->pacer().due(), own->pacer().due()) << i;
    };
    if (i % 3 == 2) worlds.close("w" + std::to_string(i));
  }
  worlds.run(10);
  for (std::size_t i = 0; i < games.size(); ++i) EXPECT_EQ(games[i].ticks > 1, i % 3 != 2) << i;
}

TEST(Worlds, TicksOfManyAreDueTogether) {
  CountingGame game;
  Worlds worlds;
  HostConfig config = quick();
  config.tick_rate = 10;
  for (const char* name : {"one", "two", "three"}) {
    const auto opened = worlds.open(name, config, game);
    ASSERT_TRUE(opened);
    EXPECT_EQ((*opened)->pacer().due() % core::millisecond, 0);
  }
}

TEST(Worlds, AGameThatThrowsEndsItsWorldAlone) {
  const store::TestFolder folder;
  CountingGame good;
  CountingGame bad;
  bad.each_tick = [&] {
    if (bad.ticks == 3) throw std::runtime_error("out of luck");
  };
  int saves = 0;
  bad.each_save = [&] { ++saves; };
  HostConfig config = quick();
  config.db = folder.file();
  config.checkpoint_seconds = 3600;
  Worlds worlds;
  ASSERT_TRUE(worlds.open("good", quick(), good));
  ASSERT_TRUE(worlds.open("bad", config, bad));
  testing::internal::CaptureStderr();
  EXPECT_FALSE(worlds.run(20)) << "the process reports that it failed";
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, testing::HasSubstr("the game threw an exception: out of luck; this world ends as of its last save  "
                                      "world=bad tick=3 running=Game::tick\n"));
  EXPECT_EQ(good.ticks, 20);
  EXPECT_EQ(bad.ticks, 3);
  EXPECT_LE(saves, 1) << "what it was in the middle of is not saved";
}

// Opens the world again and returns what that logs.
std::string log_of_next_start(const HostConfig& config) {
  CountingGame good;
  Worlds worlds;
  testing::internal::CaptureStderr();
  const bool opened = worlds.open("good", config, good).ok();
  std::string log = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(opened) << log;
  return log;
}

TEST(Worlds, TheNextStartLogsAnExceptionOfTheLastRun) {
  const store::TestFolder folder;
  HostConfig config = quick();
  config.db = folder.file();
  {
    CountingGame bad;
    bad.each_tick = [] { throw std::runtime_error("out of luck"); };
    Worlds worlds;
    ASSERT_TRUE(worlds.open("bad", config, bad));
    EXPECT_FALSE(worlds.run(5));
  }
  const std::string log = log_of_next_start(config);
  EXPECT_THAT(log, testing::HasSubstr("did not end in good order: server    the game threw an exception: out of luck  "
                                      "world=bad tick=1 running=Game::tick"));
}

TEST(WorldsDeathTest, TheNextStartLogsACheckThatFailedInAHook) {
  struct UnableToBegin : CountingGame {
    void systems(World&, ecs::Schedule&) override { MOBULA_CHECK(false, "no systems today"); }
  } unable;
  const store::TestFolder folder;
  HostConfig config = quick();
  config.db = folder.file();
  EXPECT_DEATH(static_cast<void>(Worlds().open("unable", config, unable)), "no systems today .*running=Game::systems");
  const std::string log = log_of_next_start(config);
  EXPECT_THAT(
      log, testing::ContainsRegex("did not end in good order: failure .*check failed: no systems today  world=unable "
                                  "running=Game::systems"));
}

// A sanitizer's handler is replaced by that of programs.
TEST(WorldsDeathTest, TheNextStartLogsAFaultInAHook) {
  const store::TestFolder folder;
  HostConfig config = quick();
  config.db = folder.file();
  CountingGame bad;
  bad.each_tick = [] { ::raise(SIGSEGV); };
  const auto run_and_fail = [&] {
    ::signal(SIGSEGV, SIG_DFL);
    process::report_signals();
    Worlds worlds;
    (*worlds.open("bad", config, bad))->tick();
  };
  EXPECT_EXIT(run_and_fail(), testing::KilledBySignal(SIGSEGV), "signal 11 .Segmentation fault.");
  EXPECT_THAT(log_of_next_start(config),
              testing::ContainsRegex("did not end in good order: failure .*signal 11 .Segmentation fault.  world=bad "
                                     "tick=1 running=Game::tick"));
}

TEST(WorldsDeathTest, RunIsNotForHooks) {
  CountingGame game;
  Worlds worlds;
  game.each_tick = [&] { worlds.run(1); };
  EXPECT_DEATH(
      {
        (void)worlds.open("w", quick(), game);
        worlds.run(1);
      },
      "Worlds::run is called by main.., not by a hook of a game .*running=Game::tick");
}

TEST(WorldsDeathTest, AWorldIsNotTickedOrEndedByItsHooks) {
  for (const auto& [call, name] : {std::pair(
                                       +[](HostedWorld& world) { world.tick(); }, "tick"),
                                   std::pair(
                                       +[](HostedWorld& world) { world.begin_last_save(); }, "begin_last_save"),
                                   std::pair(
                                       +[](HostedWorld& world) { (void)world.reload_level(); }, "reload_level"),
                                   std::pair(+[](HostedWorld& world) { (void)world.shut_down(); }, "shut_down")}) {
    CountingGame game;
    Worlds worlds;
    game.each_tick = [&, call = call] { call(*worlds.find("w")); };
    EXPECT_DEATH((*worlds.open("w", quick(), game))->tick(),
                 std::string("HostedWorld::") + name + " is called by Worlds, not by a hook .*running=Game::tick");
  }
}

TEST(WorldsDeathTest, ACheckThatFailsInATickLeavesTheCheckpoint) {
  const store::TestFolder folder;
  HostConfig config = quick();
  config.db = folder.file();
  config.checkpoint_seconds = 3600;
  CountingGame bad;
  bad.each_tick = [&] { MOBULA_CHECK(bad.ticks < 5, "the sky has fallen"); };
  const auto run_and_fail = [&] {
    Worlds worlds;
    HostedWorld& world = **worlds.open("bad", config, bad);
    for (int i = 0; i < 3; ++i) world.tick();
    static_cast<void>(world.server().checkpoint());
    while (!world.store()->ready()) std::this_thread::yield();
    for (int i = 0; i < 3; ++i) world.tick();
  };
  EXPECT_DEATH(run_and_fail(), "the sky has fallen .*tick=5 running=Game::tick");
  const std::string log = log_of_next_start(config);
  EXPECT_THAT(log, testing::ContainsRegex("did not end in good order: failure .*check failed: the sky has fallen  "
                                          "world=bad tick=5 running=Game::tick"));
  EXPECT_THAT(log, testing::HasSubstr("restored as of tick 3: 0 entities"));
}

TEST(Worlds, AGameThatThrowsInItsStartOrLastSaveEndsNothingElse) {
  struct ThrowingStart : CountingGame {
    core::Status start(World&) override { throw std::runtime_error("no ground"); }
  } unable;
  const store::TestFolder folder;
  CountingGame unsaved;
  unsaved.each_save = [&] {
    if (unsaved.ticks > 0) throw std::runtime_error("no pen");
  };
  HostConfig config = quick();
  config.db = folder.file();
  config.checkpoint_seconds = 3600;
  Worlds worlds;
  const auto opened = worlds.open("unable", quick(), unable);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, "the game threw an exception in Game::start: no ground");
  ASSERT_TRUE(worlds.open("unsaved", config, unsaved));
  EXPECT_FALSE(worlds.run(5)) << "the process reports that it failed";
  EXPECT_EQ(unsaved.ticks, 5);
}

TEST(Worlds, TheOnlyOneThatThrowsEndsTheProcess) {
  CountingGame bad;
  bad.each_tick = [] { throw 7; };
  Worlds worlds;
  ASSERT_TRUE(worlds.open("bad", quick(), bad));
  EXPECT_FALSE(worlds.run());
  EXPECT_EQ(bad.ticks, 1);
}

// Some of a thousand: a world without clients is small because its tables grow with their entries.
TEST(Worlds, ManyTickAndClose) {
  std::vector<CountingGame> games(50);
  Worlds worlds;
  HostConfig config = quick();
  config.tick_rate = 50;
  for (std::size_t i = 0; i < games.size(); ++i) ASSERT_TRUE(worlds.open("w" + std::to_string(i), config, games[i]));
  std::vector<int> ticks_at_close(games.size());
  games[0].each_tick = [&] {
    for (std::size_t i = 1; games[0].ticks == 10 && i < games.size(); i += 2) {
      worlds.close("w" + std::to_string(i));
      ticks_at_close[i] = games[i].ticks;
    }
    EXPECT_EQ(worlds.all().size(), games[0].ticks <= 10 ? 50u : 25u);
  };
  worlds.run(20);
  for (std::size_t i = 1; i < games.size(); i += 2) EXPECT_EQ(games[i].ticks, ticks_at_close[i]) << i;
  for (std::size_t i = 2; i < games.size(); i += 2) EXPECT_GT(games[i].ticks, 0) << i;
}

// A supervisor may restart a failing server every second.
TEST(Worlds, AWorldWithoutATickUsesNoStart) {
  const store::TestFolder folder;
  CountingGame game;
  HostConfig config = quick();
  config.db = folder.file();
  for (int i = 0; i < 3; ++i) {
    Worlds worlds;
    const auto world = worlds.open("one", config, game);
    ASSERT_TRUE(world.ok());
    EXPECT_EQ((*world)->store()->incarnation(), 1u);
    HostConfig wrong = quick();
    wrong.level = "there is no such file";
    EXPECT_FALSE(worlds.open("two", wrong, game));
  }
}

TEST(Worlds, DrainingEndsWhenNoClientIsLeft) {
  CountingGame one;
  CountingGame two;
  Worlds worlds;
  one.each_tick = [&] {
    if (one.ticks == 3) worlds.drain("the end");
  };
  HostConfig config = quick();
  config.drain_seconds = 3600;
  ASSERT_TRUE(worlds.open("one", config, one));
  ASSERT_TRUE(worlds.open("two", config, two));
  worlds.run();
  EXPECT_EQ(one.ticks, 3);
}

}  // namespace
}  // namespace mobula::server
