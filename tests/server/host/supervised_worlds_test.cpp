// Worlds that a supervisor opens and closes. The supervisor is a script of the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <mobula/server/host/worlds.hpp>
#include <server/host/counting_game.hpp>
#include <server/store/test_folder.hpp>

namespace mobula::server {
namespace supervised_worlds_test {

using test::CountingGame;
using test::quick;

struct Script : Supervisor {
  [[nodiscard]] bool may_serve() const override { return permitted; }
  void update() override {
    ++turns;
    if (each_turn) each_turn();
  }
  void admin_listens(std::uint16_t port) override { admin_port = port; }
  void drain() override { drained = true; }
  void progress() override { ++steps; }
  [[nodiscard]] const char* not_ready() const override { return "not yet"; }
  bool permitted = true;
  bool drained = false;
  int turns = 0;
  int steps = 0;  // progress() calls
  std::uint16_t admin_port = 0;
  std::function<void()> each_turn;
};

TEST(SupervisedWorlds, TheProcessGoesOnWithoutAWorld) {
  CountingGame game;
  Script script;
  Worlds worlds;
  worlds.supervise(script);
  int seen = 0;
  worlds.on_tick([&] { ++seen; });
  script.each_turn = [&] {
    if (script.turns == 3) EXPECT_TRUE(worlds.open("one", quick(), game));
    if (game.ticks == 5) worlds.close("one");
    if (game.ticks >= 5 && worlds.all().empty()) worlds.stop();
  };
  EXPECT_TRUE(worlds.run());
  EXPECT_EQ(game.ticks, 5);
  EXPECT_EQ(seen, script.turns);
}

TEST(SupervisedWorlds, WithoutPermissionNothingIsTickedOrSaved) {
  const store::TestFolder folder;
  CountingGame game;
  Script script;
  Worlds worlds;
  worlds.supervise(script);
  HostConfig config = quick();
  config.db = folder.file();
  config.checkpoint_seconds = 3600;
  ASSERT_TRUE(worlds.open("one", config, game));
  int saves = 0;
  script.each_turn = [&] {
    if (game.ticks != 3) return;
    script.permitted = false;
    saves = game.saves;
  };
  EXPECT_FALSE(worlds.run());
  EXPECT_EQ(game.ticks, 3);
  EXPECT_EQ(game.saves, saves);
  EXPECT_TRUE(worlds.all().empty());
}

TEST(SupervisedWorlds, ADroppedWorldIsNotSaved) {
  const store::TestFolder folder;
  CountingGame dropped;
  CountingGame closed;
  Script script;
  Worlds worlds;
  worlds.supervise(script);
  HostConfig config = quick();
  config.checkpoint_seconds = 3600;
  for (auto* const game : {&dropped, &closed}) {
    const std::string name = game == &dropped ? "dropped" : "closed";
    config.db = folder.file(name);
    ASSERT_TRUE(worlds.open(name, config, *game));
  }
  const int first_saves = dropped.saves;
  script.each_turn = [&] {
    if (script.turns == 6) worlds.drop("dropped"), worlds.close("closed");
    if (worlds.all().empty()) worlds.stop();
  };
  static_cast<void>(worlds.run());
  EXPECT_EQ(dropped.saves, first_saves);
  EXPECT_GT(closed.saves, dropped.saves);
}

TEST(SupervisedWorlds, TheSupervisorKnowsTheAdminPort) {
  Script script;
  Worlds worlds;
  worlds.admin_listens(7780);  // nobody wants to know
  worlds.supervise(script);
  worlds.admin_listens(7781);
  EXPECT_EQ(script.admin_port, 7781);
}

TEST(SupervisedWorlds, ADrainReachesTheSupervisorAndEndsTheLoop) {
  Script script;
  Worlds worlds;
  worlds.supervise(script);
  script.each_turn = [&] {
    if (script.turns == 2) worlds.drain("enough");
  };
  EXPECT_TRUE(worlds.run());
  EXPECT_TRUE(script.drained);
  EXPECT_EQ(script.turns, 2);
}

// The supervisor counts a process without a sign for long as hung, and many worlds have many last saves.
TEST(SupervisedWorlds, EachLastSaveIsProgress) {
  CountingGame games[3];
  Script script;
  Worlds worlds;
  EXPECT_EQ(worlds.not_ready(), nullptr);
  worlds.supervise(script);
  EXPECT_STREQ(worlds.not_ready(), "not yet");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(worlds.open("w" + std::to_string(i), quick(), games[i]));
  script.each_turn = [&] { worlds.stop(); };
  EXPECT_TRUE(worlds.run());
  EXPECT_EQ(script.steps, 6) << "beginning and end of each";
}

}  // namespace supervised_worlds_test
}  // namespace mobula::server
