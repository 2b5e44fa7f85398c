#include <gtest/gtest.h>

#include <algorithm>
#include <seeds.hpp>
#include <server/cluster/cluster_of_twins.hpp>

namespace mobula::cluster {
namespace placer_test {

using test::TwinNode;
using test::TwinPlacer;

class PlacerTest : public testing::Test {
 protected:
  PlacerTest() : placer(cluster.add_placer()) { cluster.run(100 * core::millisecond); }

  // Creates a world and returns the reason of its error, "" for none.
  std::string create(const std::string& world, const std::string& game = "game") {
    const RequestId request = placer.placer.create(placer.client, world, game);
    for (int step = 0; step < 1000; ++step) {
      cluster.step();
      const std::optional<Created> created = placer.placer.poll_created();
      if (!created) continue;
      EXPECT_EQ(created->request, request);
      return created->error ? created->error->reason : "";
    }
    return "unanswered";
  }

  test::TwinCluster cluster;
  TwinPlacer& placer;
};

TEST_F(PlacerTest, PlacesANewWorldAtOnce) {
  cluster.add_node("a");
  cluster.run(core::second);
  EXPECT_EQ(create("w"), "");
  EXPECT_EQ(cluster.world("w")->node, "a");
  cluster.run(core::second);
  EXPECT_EQ(cluster.world("w")->state, WorldState::open);
  EXPECT_GT(cluster.world("w")->epoch, 0u);
}

TEST_F(PlacerTest, AWorldWithoutANodeWaitsForOne) {
  EXPECT_EQ(create("w"), "");
  EXPECT_EQ(cluster.world("w")->state, WorldState::waiting);
  cluster.add_node("a");
  cluster.run(core::second);
  EXPECT_EQ(cluster.world("w")->state, WorldState::open);
}

TEST_F(PlacerTest, ANameIsGivenOnce) {
  cluster.add_node("a");
  cluster.run(core::second);
  EXPECT_EQ(create("w"), "");
  EXPECT_EQ(create("w"), "name taken");
}

TEST_F(PlacerTest, ANodeThatHasChangedMeanwhileIsNotATakenName) {
  TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  placer.placer.create(placer.client, "w", "game");
  const Reply node = cluster.store.list("c/nodes/a");
  NodeRecord offer = *parse_node(node.values.front().value);
  offer.version = "another";
  cluster.store.commit({.puts = {{"c/nodes/a", to_json(offer), node.values.front().lease}}});
  cluster.run(core::second);
  const std::optional<Created> created = placer.placer.poll_created();
  ASSERT_TRUE(created);
  EXPECT_FALSE(created->error);
  cluster.run(core::second);
  EXPECT_EQ(a.open.size(), 1u);
}

TEST_F(PlacerTest, TheLeastLoadedNodeIsTaken) {
  cluster.add_node("a", 2);
  cluster.add_node("b", 8).node.set_load({.tick_percent = 10});
  cluster.add_node("c", 8);
  cluster.run(3 * core::second);
  std::map<std::string, int> worlds;
  for (int i = 0; i < 18; ++i) {
    const std::string name = "w" + std::to_string(i);
    EXPECT_EQ(create(name), "");
    ++worlds[cluster.world(name)->node];
    if (i == 0) EXPECT_EQ(worlds.begin()->first, "a") << "equal shares, no load, first name";
    if (i == 8) EXPECT_EQ(worlds, (std::map<std::string, int>{{"a", 1}, {"b", 4}, {"c", 4}}));
  }
  EXPECT_EQ(worlds, (std::map<std::string, int>{{"a", 2}, {"b", 8}, {"c", 8}}));
  EXPECT_EQ(create("more"), "");
  EXPECT_EQ(cluster.world("more")->state, WorldState::waiting) << "all nodes are full";
}

TEST_F(PlacerTest, UnansweredPlacementsCountForTheirNode) {
  cluster.add_node("a", 2);
  cluster.add_node("b", 2);
  cluster.run(core::second);
  for (const char* world : {"t", "u", "v", "w", "x"}) placer.placer.create(placer.client, world, "game");
  cluster.run(core::second);
  std::map<std::string, int> worlds;
  for (const char* world : {"t", "u", "v", "w", "x"}) ++worlds[cluster.world(world)->node];
  EXPECT_EQ(worlds, (std::map<std::string, int>{{"", 1}, {"a", 2}, {"b", 2}})) << "one waits: both nodes are full";
  EXPECT_EQ(cluster.world("x")->trouble, "") << "no node was given more than it takes";
}

// As at a member of etcd that is cut off from the others.
TEST_F(PlacerTest, PlacementsCountBeforeTheDirectoryShowsThem) {
  cluster.add_node("a");
  cluster.add_node("b");
  cluster.run(core::second);
  placer.client.watch("elsewhere/", 1);
  std::map<std::string, int> worlds;
  for (const char* world : {"t", "u", "v", "w"}) {
    EXPECT_EQ(create(world), "");
    ++worlds[cluster.world(world)->node];
  }
  EXPECT_EQ(worlds, (std::map<std::string, int>{{"a", 2}, {"b", 2}}));
  EXPECT_TRUE(placer.placer.directory().worlds().empty());
  cluster.run(Directory::list_interval);
  for (const char* world : {"s", "t2"}) {
    EXPECT_EQ(create(world), "");
    ++worlds[cluster.world(world)->node];
  }
  EXPECT_EQ(worlds, (std::map<std::string, int>{{"a", 3}, {"b", 3}})) << "each counts once";
}

TEST_F(PlacerTest, PlacementsThatFailCountNoMore) {
  cluster.add_node("a", 1);
  cluster.run(core::second);
  cluster.store.set_majority(false, cluster.now);
  EXPECT_EQ(create("v"), "unreachable");
  cluster.store.set_majority(true, cluster.now);
  cluster.run(100 * core::millisecond);
  EXPECT_EQ(create("w"), "");
  EXPECT_EQ(cluster.world("w")->node, "a");
}

TEST_F(PlacerTest, ANodeThatFailedIsPassedOverForThatWorld) {
  TwinNode& a = cluster.add_node("a");
  TwinNode& b = cluster.add_node("b");
  a.refuses = true;
  cluster.run(core::second);
  b.node.set_load({.tick_percent = 90});
  cluster.run(2 * core::second);
  EXPECT_EQ(create("w"), "");
  EXPECT_EQ(cluster.world("w")->node, "a");
  cluster.run(Placer::failed_interval + core::second);
  EXPECT_TRUE(b.open.contains("w"));
  EXPECT_EQ(a.opens, 1);
  // No other node has room.
  a.refuses = false;
  cluster.nodes.pop_back();
  cluster.run(5 * core::second);
  EXPECT_TRUE(a.open.contains("w"));
}

TEST_F(PlacerTest, ANodeIsPassedOverForATime) {
  TwinNode& a = cluster.add_node("a", 8);
  TwinNode& b = cluster.add_node("b", 1);
  a.refuses = true;
  cluster.run(core::second);
  EXPECT_EQ(create("w"), "");
  cluster.run(Placer::failed_interval + core::second);
  ASSERT_TRUE(b.open.contains("w"));
  a.refuses = false;
  cluster.run(Placer::passed_over_time);
  cluster.store.commit({.puts = {{"c/worlds/w", to_json(WorldRecord{.game = "game"})}}});
  cluster.run(core::second);
  EXPECT_TRUE(a.open.contains("w")) << "as its share is the smaller one";
}

TEST_F(PlacerTest, ANodeThatOpensNothingAttractsNoWorlds) {
  TwinNode& a = cluster.add_node("a", 20);
  TwinNode& b = cluster.add_node("b", 20);
  a.refuses = true;
  cluster.run(core::second);
  for (int world = 0; world < 20; ++world) {
    EXPECT_EQ(create("w" + std::to_string(world)), "");
    cluster.run(core::second);
  }
  cluster.run(10 * core::second);
  EXPECT_EQ(b.open.size(), 20u);
  EXPECT_LE(a.opens, 3) << "two, and one that was on its way";
}

TEST_F(PlacerTest, PlacesNothingWhenTheCoordinatorWentBack) {
  cluster.add_node("a");
  cluster.run(core::second);
  EXPECT_EQ(create("v"), "");
  cluster.run(core::second);
  EXPECT_FALSE(placer.placer.ended());
  const test::StoreTwin backup = cluster.store;
  EXPECT_EQ(create("w"), "");
  cluster.run(core::second);
  cluster.store.restore(backup, cluster.now);
  cluster.run(Directory::list_interval + core::second);
  ASSERT_TRUE(placer.placer.ended());
  EXPECT_STREQ(placer.placer.ended()->reason, "coordinator went back");
  EXPECT_EQ(create("x"), "coordinator went back");
  EXPECT_EQ(create("y"), "coordinator went back");
  cluster.add_node("b");
  cluster.run(5 * core::second);
  EXPECT_EQ(cluster.world("v")->node, "a") << "its node has ended, and nothing is placed";
  cluster.add_placer();  // started again
  cluster.run(core::second);
  EXPECT_EQ(cluster.world("v")->node, "b");
}

TEST_F(PlacerTest, NodesOfAnotherGameAndDrainingOnesAreNotTaken) {
  cluster.add_node("a", 4, "another game");
  cluster.add_node("b").node.drain();
  cluster.add_node("c");
  cluster.run(core::second);
  EXPECT_EQ(create("w"), "");
  EXPECT_EQ(cluster.world("w")->node, "c");
}

TEST_F(PlacerTest, WorldsOfADeadNodeAreOpenAgainWithinThreeSeconds) {
  cluster.add_node("a");
  cluster.run(core::second);
  EXPECT_EQ(create("v"), "");
  EXPECT_EQ(create("w"), "");
  const std::uint64_t before = cluster.world("w")->epoch;
  cluster.add_node("b");
  cluster.run(core::second);
  cluster.nodes.erase(cluster.nodes.begin());
  cluster.run(3 * core::second);
  for (const char* world : {"v", "w"}) {
    EXPECT_EQ(cluster.world(world)->state, WorldState::open);
    EXPECT_EQ(cluster.world(world)->node, "b");
    EXPECT_GT(cluster.world(world)->epoch, before);
  }
}

TEST_F(PlacerTest, WorldsOfAFormerRunArePlacedAgain) {
  cluster.add_node("a");
  cluster.run(core::second);
  EXPECT_EQ(create("w"), "");
  cluster.run(core::second);
  placer.client.network.cut = true;
  cluster.nodes.clear();
  TwinNode& again = cluster.add_node("a");
  cluster.run(5 * core::second);
  ASSERT_TRUE(again.node.serving());
  EXPECT_TRUE(again.open.empty());
  placer.client.network.cut = false;
  cluster.run(core::second);
  EXPECT_TRUE(again.open.contains("w"));
}

TEST_F(PlacerTest, AnOwnerOfAnotherVersionIsNotDead) {
  TwinNode& a = cluster.add_node("a");
  cluster.add_node("b");
  cluster.run(core::second);
  EXPECT_EQ(create("w"), "");
  cluster.run(core::second);
  ASSERT_TRUE(a.open.contains("w"));
  a.paused = true;  // else it writes its record again
  const Reply node = cluster.store.list("c/nodes/a");
  cluster.store.commit({.puts = {{"c/nodes/a", R"({"game":"game","worlds_max":"many"})", node.values.front().lease}}});
  cluster.run(core::second);
  EXPECT_EQ(cluster.world("w")->node, "a");
}

TEST_F(PlacerTest, KeysWithOtherNamesAreLeftAlone) {
  cluster.store.commit({.puts = {{"c/nodes/x y", to_json(NodeRecord{.game = "game", .worlds_max = 9})},
                                 {"c/worlds/../../x", to_json(WorldRecord{.game = "game"})}}});
  const TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  EXPECT_EQ(create("w"), "");
  cluster.run(core::second);
  EXPECT_EQ(cluster.world("w")->node, "a");
  EXPECT_EQ(a.open.size(), 1u);
}

TEST_F(PlacerTest, TheEpochOfAWorldMadeAgainIsGreater) {
  cluster.add_node("a");
  cluster.run(core::second);
  EXPECT_EQ(create("w"), "");
  const std::uint64_t before = cluster.world("w")->epoch;
  cluster.store.commit({.erased = {"c/worlds/w"}});
  cluster.run(core::second);
  EXPECT_EQ(create("w"), "");
  EXPECT_GT(cluster.world("w")->epoch, before);
}

TEST_F(PlacerTest, WorldsMoveWhenTheirNodeDrains) {
  TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  EXPECT_EQ(create("w"), "");
  cluster.add_node("b");
  cluster.run(core::second);
  a.node.drain();
  cluster.run(core::second);
  EXPECT_EQ(cluster.world("w")->node, "b");
  EXPECT_EQ(cluster.world("w")->state, WorldState::open);
  EXPECT_EQ(a.dropped, 0);
}

TEST_F(PlacerTest, AWorldThatCannotBeOpenedIsTriedNowAndThen) {
  TwinNode& a = cluster.add_node("a");
  a.refuses = true;
  cluster.run(core::second);
  EXPECT_EQ(create("w"), "");
  cluster.run(30 * core::second);
  EXPECT_GE(a.opens, 4);
  EXPECT_LE(a.opens, 8);
  // A failure that the directory shows in one batch with its placement waits as well.
  const int before = a.opens;
  cluster.run(Placer::failed_interval - core::second);
  cluster.store.commit({.puts = {{"c/worlds/w", to_json(WorldRecord{.game = "game", .trouble = "again"})}}});
  cluster.run(3 * core::second);
  EXPECT_LE(a.opens, before + 1);
  a.refuses = false;
  cluster.run(Placer::failed_interval + core::second);
  EXPECT_EQ(cluster.world("w")->state, WorldState::open);
  EXPECT_EQ(cluster.world("w")->trouble, "");
}

TEST_F(PlacerTest, WithoutAMajorityNothingIsPlacedAndNothingMoves) {
  TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  cluster.store.set_majority(false, cluster.now);
  EXPECT_EQ(create("w"), "unreachable");
  cluster.store.set_majority(true, cluster.now);
  EXPECT_FALSE(cluster.world("w"));
  EXPECT_FALSE(a.node.ended()) << "the outage was shorter than a lease";
}

TEST_F(PlacerTest, AFullStoreIsNamed) {
  cluster.add_node("a");
  cluster.run(core::second);
  cluster.store.set_full(true);
  EXPECT_EQ(create("w"), "no space");
}

// Nodes die, pause, are cut off and drain, and requests are lost or late. At no time do two processes that may serve
// have one world, and after it all worlds are open.
TEST_F(PlacerTest, EachWorldHasOneOwnerAtATime) {
  std::uint64_t placements = 0;
  for (std::uint64_t seed = 1; seed <= test::few_or_all(8, 20); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::TwinCluster trial;
    trial.random = core::Random(seed);
    core::Random& random = trial.random;
    int named = 0;
    const auto add = [&] { trial.add_node("n" + std::to_string(named++), 6); };
    for (int each = 0; each < 3; ++each) add();
    trial.add_placer();
    trial.add_placer();
    trial.run(core::second);
    for (int world = 0; world < 8; ++world) {
      TwinPlacer& by = *trial.placers[random.below(2)];
      by.placer.create(by.client, "w" + std::to_string(world), "game");
    }
    const auto expect_one_owner = [&] {
      std::map<std::string, int> owners;
      for (const auto& node : trial.nodes)
        if (node->may_serve(trial.now))
          for (const auto& [world, epoch] : node->open) ++owners[world];
      for (const auto& [world, count] : owners) ASSERT_EQ(count, 1) << world << " at " << trial.now;
    };
    for (int step = 0; step < 3000; ++step) {
      trial.step();
      ASSERT_NO_FATAL_FAILURE(expect_one_owner());
      std::erase_if(trial.nodes, [](const auto& node) { return node->node.ended() && node->open.empty(); });
      if (trial.nodes.size() < 3) add();
      if (!random.chance(1, 100)) continue;
      TwinNode& node = *trial.nodes[random.below(static_cast<std::uint32_t>(trial.nodes.size()))];
      TwinPlacer& by = *trial.placers[random.below(2)];
      switch (random.below(7)) {
        case 0: node.client.network.cut = !node.client.network.cut; break;
        case 1: node.paused = !node.paused; break;
        case 2: node.node.drain(); break;
        case 3: std::erase_if(trial.nodes, [&](const auto& each) { return each.get() == &node; }); break;
        case 4: node.client.network.lost_in_1000 = random.below(300); break;
        case 5: node.client.network.late_in_1000 = by.client.network.late_in_1000 = random.below(200); break;
        case 6: by.client.network.cut = !by.client.network.cut; break;
      }
    }
    for (const auto& node : trial.nodes) {
      node->paused = false;
      node->client.network = {};
    }
    for (const auto& each : trial.placers) each->client.network = {};
    while (std::ranges::count_if(trial.nodes, [](const auto& node) { return !node->node.ended(); }) < 6) add();
    trial.run(20 * core::second);
    ASSERT_NO_FATAL_FAILURE(expect_one_owner());
    for (const KeyValue& each : trial.store.list("c/worlds/").values) {
      const WorldRecord record = parse_world(each.value).value();
      EXPECT_EQ(record.state, WorldState::open) << each.key << ": " << each.value;
    }
    for (const auto& node : trial.nodes) placements += static_cast<std::uint64_t>(node->opens);
  }
  EXPECT_GT(placements, 60u);
}

}  // namespace placer_test
}  // namespace mobula::cluster
