#include <gtest/gtest.h>

#include <functional>
#include <mobula/server/host/worlds.hpp>
#include <mobula/server/session/server.hpp>
#include <server/hamlet.hpp>
#include <server/store/test_folder.hpp>

namespace mobula::server {
namespace {

struct CountingGame : Game {
  [[nodiscard]] core::ByteView schema() const override { return test::game_schema()->bytes(); }
  core::Result<ecs::Entity> join(World& world, const Player&) override { return world.registry().create(); }
  void leave(World&, const Player&) override {}
  void tick(World&) override {
    ++ticks;
    if (each_tick) each_tick();
  }
  core::Bytes save(const World&) override {
    if (each_save) each_save();
    return {};
  }
  int ticks = 0;
  std::function<void()> each_tick;
  std::function<void()> each_save;
};

HostConfig quick() {
  HostConfig config;
  config.port = 0;
  config.tick_rate = 240;
  config.public_addresses = {"127.0.0.1:7777"};
  return config;
}

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
