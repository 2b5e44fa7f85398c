// Worlds of one node that send a player to each other, with a real etcd.
#include <mobula/core/base64.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hash.hpp>
#include <mobula/net/http_client.hpp>
#include <mobula/schema/components.hpp>
#include <mobula/server/cluster/crossing_schema.hpp>
#include <mobula/server/host/world_crossings.hpp>
#include <server/hamlet.hpp>
#include <server/host/cluster_worlds.hpp>
#include <stdexcept>
#include <thread>

namespace mobula::server {
namespace world_crossings_test {

class WorldCrossingsTest : public test::ClusterWorldsTest {
 protected:
  WorldCrossingsTest() : ClusterWorldsTest({"a", "b"}) {}
};

// Counts the saves that a world notes. The first one is as it is opened.
struct CountingNode final : cluster::WorldNode {
  [[nodiscard]] std::optional<cluster::WorldRecord> find_world(std::string_view) const override { return {}; }
  [[nodiscard]] std::optional<std::string> changed_map(std::string_view, cluster::Revision&) const override {
    return {};
  }
  [[nodiscard]] core::Status may_cross(std::string_view, std::string_view) const override { return core::Done{}; }
  [[nodiscard]] bool has_schema(std::string_view) const override { return false; }
  [[nodiscard]] std::optional<core::Bytes> find_schema(std::string_view) const override { return {}; }
  void depart(const std::string&, std::uint64_t, const std::string&, cluster::CrossingRecord) override {}
  void saved(std::string_view, std::uint64_t, std::uint64_t, const std::vector<std::string>&) override { ++saves; }
  std::uint64_t saves = 0;
};

// All are as of one tick.
TEST(WorldCrossings, ASaveCountsOnceItIsOnTheDisk) {
  store::TestFolder folder;
  const auto store = std::move(*store::Store::open({.path = folder.file(), .schema = test::game_schema()}));
  test::CountingGame game;
  test::Village village(game, ServerConfig{.store = store.get(), .checkpoint_ticks = 1'000'000});
  CountingNode node;
  WorldCrossings crossings("a", 1, *village.server, store.get(), node);
  ASSERT_TRUE(crossings.begin({}, village.now));
  for (int i = 0; i < 5; ++i) {
    store->wait_for_writer();
    ASSERT_TRUE(village.server->checkpoint());
    crossings.update(village.now);
    EXPECT_LE(node.saves - 1, store->status().checkpoints);
  }
  store->wait_for_writer();
  crossings.update(village.now);
  EXPECT_EQ(node.saves - 1, 5u);
}

TEST_F(WorldCrossingsTest, APlayerCrossesAndIsSavedThere) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  using testing::Pair;
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
    EXPECT_THAT(worlds.find("a")->server().crossing().departed(core::monotonic_now()), ElementsAre(Pair("anna", "b")))
        << "her client may not know yet";
    return true;
  });
}

// They may show which players have left it.
TEST_F(WorldCrossingsTest, AWorldWhoseRecordsCannotBeReadIsNotOpened) {
  names = {"b"};
  fails = true;
  const std::string crossing = core::format("mobula/crossings/{:016x}-1-1", core::hash64(core::as_bytes("a", 1)));
  for (const auto& [world, key] : {std::pair("a", crossing), std::pair("c", std::string("mobula/ledgers/c"))}) {
    int step = 0;
    run([&](Worlds& worlds) {
      const auto found = placer->directory().worlds().find(world);
      if (step == 0) {
        static_cast<void>(etcd->commit({{}, {{key, "{", 0}}, {}}));
        create(world);
        step = 1;
      } else if (step == 1 && found != placer->directory().worlds().end() &&
                 found->second.record.trouble.find("cannot be read") != std::string::npos) {
        EXPECT_EQ(worlds.find(world), nullptr);
        static_cast<void>(etcd->commit({{}, {}, {key}}));
        step = 2;
      }
      return step == 2 && worlds.find(world) != nullptr;
    });
    EXPECT_EQ(step, 2) << key;
  }
}

// A game of another schema has sent the player. The pack is whole with the schema that the cluster has.
TEST_F(WorldCrossingsTest, APackWhoseSchemaTheClusterHasIsRead) {
  bool sent = false;
  bool schema_sent = false;
  run([&](Worlds& worlds) {
    World& a = world(worlds, "a");
    const std::vector<std::string> arrived = accounts(worlds, "b");
    if (!sent) {
      sent = true;
      const ecs::Entity own = a.registry().create();
      a.registry().add<demo::Health>(own).current = 42;
      cluster::CrossingRecord record{.source = "a", .target = "b", .account = "anna", .pack = *a.pack(own)};
      cluster::cut_schema(record, "0123", a.schema().bytes());
      EXPECT_LT(record.pack.size(), 1000u);
      static_cast<void>(etcd->commit({{}, {{"mobula/crossings/1", to_json(record), 0}}, {}}));
    }
    const bool is_kept = std::ranges::any_of(
        placer->directory().keys(), [](const auto& each) { return each.first.starts_with(cluster::schemas_prefix); });
    if (arrived.empty() && is_kept && !schema_sent) {  // not before: it is not taken in
      schema_sent = true;
      static_cast<void>(etcd->commit({{}, {{"mobula/schemas/0123", core::to_base64(a.schema().bytes()), 0}}, {}}));
    }
    if (arrived.empty()) return false;
    World& b = world(worlds, "b");
    EXPECT_EQ(b.registry().get<const demo::Health>(b.player_entity(1)).current, 42);
    return true;
  });
  EXPECT_TRUE(schema_sent);
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

// World "b" waits while "a" is opened.
TEST_F(WorldCrossingsTest, APlayerArrivesWhileItsWorldIsBeingOpened) {
  const auto text = [](std::string_view bytes) { return core::to_base64(core::as_bytes(bytes.data(), bytes.size())); };
  int made = 0;
  make_game = [&] {
    if (++made == 2) {
      const std::string record = to_json(cluster::CrossingRecord{.source = "c", .target = "b", .account = "anna"});
      const std::string put =
          core::format(R"({{"key":"{}","value":"{}"}})", text("mobula/crossings/c-1-1"), text(record));
      EXPECT_TRUE(net::http_post(members->urls().front() + "/v3/kv/put", put).ok());
      std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until the node knows it
    }
    return std::make_unique<test::CountingGame>();
  };
  run([&](Worlds& worlds) { return accounts(worlds, "b").size() == 1; });
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
