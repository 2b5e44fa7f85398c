#include <gmock/gmock.h>

#include <array>
#include <examples/demo/demo_game.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mobula/net/event_loop.hpp>
#include <mobula/server/api/inspection.hpp>
#include <mobula/server/game/hook.hpp>
#include <mobula/server/host/hosted_world.hpp>
#include <mobula/server/host/worlds.hpp>
#include <mobula/server/session/server.hpp>
#include <server/hamlet.hpp>
#include <server/host/counting_game.hpp>
#include <server/store/test_folder.hpp>
#include <stdexcept>
#include <thread>

namespace mobula::server {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

// A game whose ticks take a given time.
struct SlowGame : Game {
  [[nodiscard]] core::ByteView schema() const override { return test::game_schema()->bytes(); }
  core::Result<ecs::Entity> join(World& world, const Player&) override { return world.registry().create(); }
  void leave(World&, const Player&) override {}
  void tick(World&) override { std::this_thread::sleep_for(takes); }

  milliseconds takes{0};
};

// A world with 20 ticks per second.
class HostedWorldTest : public testing::Test {
 protected:
  explicit HostedWorldTest(std::uint32_t catch_up_ticks = HostConfig().catch_up_ticks) {
    HostConfig config;
    config.port = 0;
    config.catch_up_ticks = catch_up_ticks;
    config.public_addresses = {"127.0.0.1:7777"};
    world = std::move(*HostedWorld::open(events, "slow", config, game));
  }

  void tick(milliseconds takes = milliseconds(0)) {
    game.takes = takes;
    events.run_until(world->pacer().due());
    EXPECT_GE(core::monotonic_now(), world->pacer().due());
    world->tick();
  }
  // Ticks until the world is overloaded, or is not. On a busy machine this may take many ticks. Returns the log.
  std::string log_until(bool overloaded, milliseconds takes) {
    testing::internal::CaptureStderr();
    for (int i = 0; i < 600 && world->pacer().times().overloaded != overloaded; ++i) tick(takes);
    EXPECT_EQ(world->pacer().times().overloaded, overloaded);
    return testing::internal::GetCapturedStderr();
  }

  SlowGame game;
  net::EventLoop events;
  std::unique_ptr<HostedWorld> world;
};

TEST_F(HostedWorldTest, LogsBeginAndEndOfOverload) {
  const std::string begun = log_until(true, milliseconds(60));
  EXPECT_THAT(begun, testing::ContainsRegex(" behind the clock: in the last [0-9.]+ s ticks took [0-9]+% of the time"));
  EXPECT_THAT(begun, HasSubstr(" warning "));
  EXPECT_THAT(begun, Not(HasSubstr("no longer")));
  const std::string ended = log_until(false, milliseconds(0));
  EXPECT_THAT(ended, HasSubstr("no longer behind the clock: ticks take "));
  EXPECT_THAT(ended, Not(HasSubstr(" warning "))) << "the beginning is logged once";
}

// A game with the demo's components, as those of the level.
HostConfig level_config(const std::filesystem::path& folder, const resource::Resource& level = *test::hamlet()) {
  HostConfig config;
  config.port = 0;
  config.public_addresses = {"127.0.0.1:7777"};
  config.level = (folder / "hamlet.level").string();
  const core::ByteView bytes = level.bytes();
  std::ofstream(config.level, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return config;
}

TEST_F(HostedWorldTest, RefusesALevelWithoutRoomByTheOption) {
  const store::TestFolder folder;
  demo::DemoGame village;
  HostConfig config = level_config(folder.path(), *test::village());
  config.entities_max = 1024;
  const auto refused = HostedWorld::open(events, "small", config, village);
  ASSERT_FALSE(refused);
  EXPECT_STREQ(refused.error().reason, "too many entities");
  const std::string count = std::to_string(test::village()->level().num_entities);
  EXPECT_EQ(refused.error().message, "--entities-max 1024: the world is full: no room for " + count +
                                         " more entities; it has room for 1024, and needs room for " + count +
                                         "; start the server with a greater one");
}

TEST_F(HostedWorldTest, NamesTheLevelOfASavedWorld) {
  const store::TestFolder folder;
  HostConfig config = level_config(folder.path());
  config.db = (folder.path() / "world.db").string();
  {
    demo::DemoGame village;
    const auto first = HostedWorld::open(events, "kept", config, village);
    ASSERT_TRUE(first) << first.error().message;
    (*first)->tick();
    (*first)->begin_last_save();
    ASSERT_TRUE((*first)->shut_down().ok());
  }
  config.level.clear();
  demo::DemoGame village;
  testing::internal::CaptureStderr();
  const auto again = HostedWorld::open(events, "kept", config, village);
  const std::string log = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(log, HasSubstr(" the level in the saved world ("));
}

struct WithMuchToCatchUp : HostedWorldTest {
  WithMuchToCatchUp() : HostedWorldTest(100) {}
};
TEST_F(WithMuchToCatchUp, ADelayLosesNoTime) {
  tick(milliseconds(300));
  tick();
  EXPECT_GE(world->pacer().times().start_delay_ns.max(), 250u * core::millisecond);
  EXPECT_EQ(world->pacer().times().lost, 0);
}

struct WithNothingToCatchUp : HostedWorldTest {
  WithNothingToCatchUp() : HostedWorldTest(0) {}
};
TEST_F(WithNothingToCatchUp, ADelayIsLostAndCounted) {
  tick(milliseconds(300));
  tick();
  EXPECT_GE(world->pacer().times().lost, 250 * core::millisecond);
}

// The first world has a level that has changed.
TEST_F(HostedWorldTest, AReloadOfAllWorldsMayOpenOthers) {
  struct Opener : test::CountingGame {
    void level_changed(World&, const LevelChange&) override {
      for (test::CountingGame& game : more)
        EXPECT_TRUE(worlds->open("w" + std::to_string(&game - more.data()), test::quick(), game));
    }
    Worlds* worlds = nullptr;
    std::array<test::CountingGame, 8> more;
  };
  const store::TestFolder folder;
  Opener opener;
  test::CountingGame second;
  Worlds worlds;
  opener.worlds = &worlds;
  const HostConfig config = level_config(folder.path());
  ASSERT_TRUE(worlds.open("first", config, opener));
  ASSERT_TRUE(worlds.open("second", config, second));
  worlds.reload_levels();
  EXPECT_EQ(worlds.all().size(), 10u);
}

TEST(HostedWorld, AWorldIsNotOpenedTwiceByItsStart) {
  struct Nested : test::CountingGame {
    core::Status start(World&) override {
      const auto again = worlds->open("w", test::quick(), *this);
      EXPECT_STREQ(again.error().reason, "name taken");
      return core::Done{};
    }
    Worlds* worlds = nullptr;
  };
  Nested game;
  Worlds worlds;
  game.worlds = &worlds;
  EXPECT_TRUE(worlds.open("w", test::quick(), game));
  worlds.close("w");
}

// The admin port calls hooks between ticks, such as for a kick.
TEST(HostedWorld, AHookThatThrowsInAQueryEndsItsWorldAlone) {
  test::CountingGame bad;
  test::CountingGame good;
  Worlds worlds;
  HostedWorld& failing = **worlds.open("bad", test::quick(), bad);
  ASSERT_TRUE(worlds.open("good", test::quick(), good));
  const core::Status ran =
      failing.inspection().run([] { run_hook("Game::leave", [] { throw std::runtime_error("out of luck"); }); });
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message, "the game threw an exception in Game::leave: out of luck");
  EXPECT_TRUE(failing.failed());
  good.each_tick = [&] {
    if (worlds.all().size() == 1 && good.ticks > 20) worlds.stop();
  };
  worlds.run();
  EXPECT_EQ(bad.ticks, 0);
}

TEST(HostedWorld, AnExceptionOfTheQueryLeavesTheWorldAlone) {
  test::CountingGame game;
  Worlds worlds;
  HostedWorld& world = **worlds.open("w", test::quick(), game);
  const auto query = [&] { static_cast<void>(world.inspection().run([] { throw std::runtime_error("bad text"); })); };
  EXPECT_THROW(query(), std::runtime_error);
  EXPECT_FALSE(world.failed());
}

}  // namespace
}  // namespace mobula::server
