// Worlds of one node that send a player to each other, with a real etcd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mobula/schema/components.hpp>
#include <mobula/server/cluster/placer.hpp>
#include <mobula/server/host/cluster_host.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/server/store/database.hpp>
#include <server/cluster/etcd_members.hpp>
#include <server/host/counting_game.hpp>
#include <server/store/test_folder.hpp>
#include <stdexcept>

namespace mobula::server {
namespace world_crossings_test {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

class WorldCrossingsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(test::etcd_program)) GTEST_SKIP() << "needs Debian's etcd-server";
    members.emplace(1);
    key = (fs::path(folder.file()).parent_path() / "key").string();
    ASSERT_EQ(std::system(("head -c 32 /dev/urandom | base64 > " + key).c_str()), 0);
  }
  // Runs a process with two worlds, until the script returns true.
  void run(const std::function<bool(Worlds&)>& script) {
    Worlds worlds;
    HostConfig config = test::quick();
    config.tick_rate = 60;
    config.public_addresses = {"127.0.0.1"};
    config.cluster = members->urls().front();
    config.node = "n" + std::to_string(++runs);
    config.db = fs::path(folder.file()).parent_path().string();
    config.checkpoint_seconds = 0.1;
    config.entities_max = 1024;
    auto host = ClusterHost::start(worlds, config, make_game);
    ASSERT_TRUE(host);
    cluster::Etcd etcd(worlds.events(), {.members = members->urls()});
    placer.emplace("mobula/");
    const auto end = steady_clock::now() + std::chrono::seconds(30);
    bool created = false;
    worlds.on_tick([&] {
      placer->update(etcd, core::monotonic_now());
      const cluster::Directory& directory = placer->directory();
      if (!created && directory.complete() && directory.nodes().contains(config.node)) {
        created = true;
        const std::string game = directory.nodes().at(config.node).record.game;
        for (const char* world : {"a", "b"}) placer->create(etcd, world, game);
      }
      const bool both = worlds.find("a") != nullptr && worlds.find("b") != nullptr;
      if ((both && script(worlds)) || steady_clock::now() > end) worlds.stop();
    });
    EXPECT_EQ(worlds.run(), !fails);
    ASSERT_LT(steady_clock::now(), end) << "the script did not end";
  }
  static std::vector<std::string> accounts(Worlds& worlds, const char* world) {
    std::vector<std::string> all;
    for (const KnownPlayer& each : worlds.find(world)->server().known_players()) all.push_back(each.account);
    return all;
  }
  static World& world(Worlds& worlds, const char* name) { return worlds.find(name)->server().world(); }

  MakeGame make_game = [] { return std::make_unique<test::CountingGame>(); };
  store::TestFolder folder;
  std::optional<test::Members> members;
  std::optional<cluster::Placer> placer;
  std::string key;
  int runs = 0;
  bool fails = false;  // whether a world is to fail
};

TEST_F(WorldCrossingsTest, APlayerCrossesAndIsSavedThere) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  int step = 0;
  run([&](Worlds& worlds) {
    if (step == 0) {
      World& a = world(worlds, "a");
      const ecs::Entity own = a.registry().create();
      a.registry().add<demo::Health>(own).current = 42;
      worlds.find("a")->server().restore_players(2, {{1, "Anna", "anna", own, true}});
      a.send_player(1, "c");  // there is none, which is logged
      a.send_player(1, "b");
      step = 1;
    }
    if (step == 1 && accounts(worlds, "b").size() == 1) {
      EXPECT_THAT(accounts(worlds, "a"), IsEmpty());
      EXPECT_THAT(accounts(worlds, "b"), ElementsAre("anna"));
      World& b = world(worlds, "b");
      const ecs::Entity own = b.player_entity(1);
      EXPECT_EQ(b.registry().get<const demo::Health>(own).current, 42);
      step = 2;
    }
    return step == 2 && placer->directory().ledger("a").modified != 0 &&
           placer->directory().ledger("b").modified != 0 && placer->directory().crossings().empty();
  });
  ASSERT_EQ(step, 2);
  run([&](Worlds& worlds) {
    EXPECT_THAT(accounts(worlds, "a"), IsEmpty()) << "after a restart";
    EXPECT_THAT(accounts(worlds, "b"), ElementsAre("anna"));
    return true;
  });
}

TEST_F(WorldCrossingsTest, AWorldThatIsFullTakesAPlayerLater) {
  std::vector<ecs::Entity> crowd;
  bool sent = false;
  int turns = 0;  // in which the player is on the way
  run([&](Worlds& worlds) {
    World& b = world(worlds, "b");
    if (!sent) {
      sent = true;
      while (const core::Result<ecs::Entity> one = b.create()) crowd.push_back(*one);
      worlds.find("a")->server().restore_players(2,
                                                 {{1, "Anna", "anna", world(worlds, "a").registry().create(), true}});
      world(worlds, "a").send_player(1, "b");
    }
    if (!crowd.empty() && !placer->directory().crossings().empty()) {
      EXPECT_TRUE(accounts(worlds, "b").empty());
      if (++turns == 60) b.registry().destroy(std::exchange(crowd, {}));
    }
    return accounts(worlds, "b").size() == 1;
  });
  EXPECT_TRUE(crowd.empty());
}

// The node goes on, and the world is tried again.
TEST_F(WorldCrossingsTest, AGameThatCannotBeMadeCostsOneOpening) {
  int made = 0;
  make_game = [&]() -> std::unique_ptr<Game> {
    ++made;
    if (made == 2) throw std::runtime_error("no dice");
    if (made == 3) return nullptr;
    return std::make_unique<test::CountingGame>();
  };
  testing::internal::CaptureStderr();
  run([&](Worlds&) { return true; });
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, testing::HasSubstr("the function that makes games threw an exception: no dice"));
  EXPECT_THAT(log, testing::HasSubstr("the function that makes games has returned none"));
}

// Its world is opened again, and the player is there.
TEST_F(WorldCrossingsTest, AHookThatThrowsEndsItsWorldAlone) {
  struct Stubborn : test::CountingGame {
    core::Status may_leave(World&, const Player&, std::string_view) override { throw std::runtime_error("no way"); }
  };
  make_game = [] { return std::make_unique<Stubborn>(); };
  fails = true;
  testing::internal::CaptureStderr();
  int step = 0;
  run([&](Worlds& worlds) {
    if (step == 0 && ++step > 0) {
      worlds.find("a")->server().restore_players(2,
                                                 {{1, "Anna", "anna", world(worlds, "a").registry().create(), true}});
      world(worlds, "a").send_player(1, "b");
      return false;
    }
    return worlds.find("a")->server().world().tick() < 60 && worlds.find("b")->server().world().tick() > 60;
  });
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("the game threw an exception: no way"));
}

}  // namespace world_crossings_test
}  // namespace mobula::server
