#include <gtest/gtest.h>

#include <mobula/core/base64.hpp>
#include <server/cluster/cluster_of_twins.hpp>

namespace mobula::cluster {
namespace node_test {

using test::TwinClient;
using test::TwinNode;

class NodeTest : public testing::Test {
 protected:
  // Places a world as a placer does.
  void place(const std::string& world, const std::string& node, std::uint64_t epoch = 1) {
    const Reply nodes = cluster.store.list("c/nodes/" + node);
    ASSERT_EQ(nodes.values.size(), 1u);
    const WorldRecord record{
        .game = "game", .state = WorldState::placed, .epoch = epoch, .node = node, .run = nodes.values.front().created};
    ASSERT_TRUE(cluster.store.commit({.puts = {{"c/worlds/" + world, to_json(record)}}}).committed);
  }

  // Adds node "a", which has opened world "w".
  TwinNode& add_node_with_world() {
    TwinNode& a = cluster.add_node("a");
    cluster.run(core::second);
    place("w", "a");
    cluster.run(core::second);
    return a;
  }

  test::TwinCluster cluster;
};

TEST_F(NodeTest, RegistersWithItsLease) {
  TwinNode& a = cluster.add_node("a");
  EXPECT_FALSE(a.node.serving());
  cluster.run(core::second);
  ASSERT_TRUE(a.node.serving());
  const Reply nodes = cluster.store.list("c/nodes/");
  ASSERT_EQ(nodes.values.size(), 1u);
  EXPECT_EQ(parse_node(nodes.values.front().value)->worlds_max, 4u);
  EXPECT_NE(nodes.values.front().lease, 0);
}

TEST_F(NodeTest, TheSchemaOfAGameIsKeptOnce) {
  TwinClient client(cluster.store, cluster.random);
  const auto config = [](const char* name) {
    return NodeConfig{.cluster = "c/",
                      .name = name,
                      .offer = {.game = "game", .worlds_max = 1},
                      .schema = core::to_base64(core::Bytes(30))};
  };
  Node a(config("a"));
  TwinClient other(cluster.store, cluster.random);
  Node b(config("b"));
  EXPECT_FALSE(a.has_schema("game"));
  for (int i = 0; i < 200; ++i) {
    cluster.step();
    client.advance(cluster.now);
    a.update(client, cluster.now);
    other.advance(cluster.now);
    b.update(other, cluster.now);
  }
  const Reply schemas = cluster.store.list("c/schemas/");
  ASSERT_EQ(schemas.values.size(), 1u);
  EXPECT_EQ(schemas.values.front().created, schemas.values.front().modified);
  EXPECT_EQ(schemas.values.front().lease, 0) << "records may refer to it for ever";
  for (const Node* const node : {&a, &b}) {
    EXPECT_TRUE(node->has_schema("game"));
    EXPECT_EQ(node->find_schema("game"), core::Bytes(30));
    EXPECT_FALSE(node->find_schema("another"));
  }
}

TEST_F(NodeTest, PublishesItsLoad) {
  TwinNode& a = cluster.add_node("a");
  const LoadRecord load{.worlds = 2, .players = 50, .tick_percent = 30};
  a.node.set_load(load);
  cluster.run(3 * core::second);
  const Reply loads = cluster.store.list("c/loads/a");
  ASSERT_EQ(loads.values.size(), 1u);
  EXPECT_EQ(*parse_load(loads.values.front().value), load);
  const Revision before = cluster.store.revision();
  cluster.run(5 * core::second);
  EXPECT_EQ(cluster.store.revision(), before) << "a load that is the same is not written";
}

TEST_F(NodeTest, OpensAWorldAndPublishesItsAddresses) {
  TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  place("w", "a", 3);
  cluster.run(core::second);
  EXPECT_EQ(a.open, (std::map<std::string, std::uint64_t>{{"w", 3}}));
  EXPECT_EQ(cluster.world("w")->state, WorldState::open);
  EXPECT_EQ(cluster.world("w")->epoch, 3u);
  EXPECT_EQ(cluster.world("w")->addresses, std::vector<std::string>{"udp://host:7777"});
}

// The host has read no task when the player arrives.
TEST_F(NodeTest, AnArrivalComesAfterTheTaskToOpenItsWorld) {
  TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  const auto update_node = [&] {
    for (int i = 0; i < 100; ++i) {
      cluster.store.advance(cluster.now += test::step_time);
      a.client.advance(cluster.now);
      a.node.tick_ran(cluster.now);
      a.node.update(a.client, cluster.now);
    }
  };
  place("w", "a");
  update_node();
  const CrossingRecord record{.source = "elsewhere", .target = "w", .account = "anna"};
  ASSERT_TRUE(cluster.store.commit({.puts = {{"c/crossings/x-1-1", to_json(record)}}}).committed);
  update_node();
  EXPECT_FALSE(a.node.poll_crossing());
  const std::optional<NodeTask> task = a.node.poll_task();
  ASSERT_TRUE(task);
  EXPECT_EQ(task->kind, NodeTask::Kind::open);
  EXPECT_TRUE(task->crossings.empty());
  const std::optional<CrossingEvent> event = a.node.poll_crossing();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, CrossingEvent::Kind::arriving);
}

TEST_F(NodeTest, AWorldThatCannotBeOpenedWaitsWithTheReason) {
  TwinNode& a = cluster.add_node("a");
  a.refuses = true;
  cluster.run(core::second);
  place("w", "a");
  cluster.run(core::second);
  EXPECT_EQ(cluster.world("w")->state, WorldState::waiting);
  EXPECT_EQ(cluster.world("w")->trouble, "no such level");
  EXPECT_EQ(cluster.world("w")->epoch, 1u);
  EXPECT_EQ(a.node.worlds(), 0u);
  EXPECT_EQ(a.dropped, 0);
}

TEST_F(NodeTest, AFullNodeRefusesMoreWorlds) {
  TwinNode& a = cluster.add_node("a", 2);
  cluster.run(core::second);
  for (const char* world : {"u", "v", "w"}) place(world, "a");
  cluster.run(core::second);
  EXPECT_EQ(a.open.size(), 2u);
  EXPECT_EQ(cluster.world("w")->state, WorldState::waiting);
  EXPECT_EQ(cluster.world("w")->trouble, "the node is full");
}

TEST_F(NodeTest, DropsAWorldThatAnotherHas) {
  TwinNode& a = cluster.add_node("a");
  cluster.add_node("b");
  cluster.run(core::second);
  place("w", "a", 1);
  cluster.run(core::second);
  place("w", "b", 2);
  cluster.run(core::second);
  EXPECT_TRUE(a.open.empty());
  EXPECT_EQ(a.dropped, 1);
  EXPECT_EQ(cluster.nodes[1]->open, (std::map<std::string, std::uint64_t>{{"w", 2}}));
}

TEST_F(NodeTest, AWorldThatComesBackIsOpenedAnew) {
  TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  place("w", "a", 1);
  cluster.run(core::second);
  place("w", "a", 4);
  cluster.run(core::second);
  EXPECT_EQ(a.dropped, 1);
  EXPECT_EQ(a.open, (std::map<std::string, std::uint64_t>{{"w", 4}}));
  EXPECT_EQ(cluster.world("w")->epoch, 4u);
}

TEST_F(NodeTest, AnErasedWorldIsDropped) {
  TwinNode& a = add_node_with_world();
  cluster.store.commit({.erased = {"c/worlds/w"}});
  cluster.run(core::second);
  EXPECT_TRUE(a.open.empty());
  EXPECT_FALSE(cluster.world("w"));
}

TEST_F(NodeTest, DrainingClosesWorldsAndLeavesThemToOthers) {
  TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  place("v", "a");
  place("w", "a");
  cluster.run(core::second);
  a.node.drain();
  cluster.run(core::second);
  EXPECT_TRUE(a.open.empty());
  EXPECT_EQ(a.dropped, 0) << "closed worlds were saved";
  EXPECT_EQ(cluster.world("v")->state, WorldState::waiting);
  EXPECT_EQ(cluster.world("w")->state, WorldState::waiting);
  EXPECT_TRUE(parse_node(cluster.store.list("c/nodes/a").values.front().value)->draining);
  a.node.leave(a.client);
  cluster.run(100 * core::millisecond);
  EXPECT_TRUE(cluster.store.list("c/nodes/").values.empty());
}

TEST_F(NodeTest, AnOperatorDrainsItByItsKey) {
  TwinNode& a = add_node_with_world();
  ASSERT_TRUE(a.open.contains("w"));
  const KeyValue key = cluster.store.list("c/nodes/a").values.front();
  NodeRecord record = parse_node(key.value).value();
  record.draining = true;
  ASSERT_TRUE(
      cluster.store.commit({{{"c/nodes/a", key.modified}}, {{"c/nodes/a", to_json(record), key.lease}}, {}}).committed);
  cluster.run(core::second);
  EXPECT_TRUE(a.open.empty());
  EXPECT_EQ(a.dropped, 0) << "the world was saved";
  EXPECT_EQ(cluster.world("w")->state, WorldState::waiting);
  EXPECT_TRUE(a.node.serving());
  EXPECT_TRUE(a.node.status(cluster.now).draining);
  const KeyValue after = cluster.store.list("c/nodes/a").values.front();
  EXPECT_TRUE(parse_node(after.value)->draining);
  EXPECT_EQ(after.lease, key.lease);
}

TEST_F(NodeTest, AFormerRunsDrainingIsNotAdopted) {
  cluster.add_node("a").node.drain();
  cluster.run(core::second);
  cluster.nodes.clear();  // killed
  const TwinNode& again = cluster.add_node("a");
  cluster.run(5 * core::second);
  ASSERT_TRUE(again.node.serving());
  EXPECT_FALSE(again.node.status(cluster.now).draining);
  EXPECT_FALSE(parse_node(cluster.store.list("c/nodes/a").values.front().value)->draining);
}

TEST_F(NodeTest, EndsWhenTheCoordinatorWentBack) {
  TwinNode& a = add_node_with_world();
  const test::StoreTwin backup = cluster.store;
  place("w", "a", 5);
  cluster.run(core::second);
  EXPECT_EQ(a.open, (std::map<std::string, std::uint64_t>{{"w", 5}}));
  cluster.store.restore(backup, cluster.now);
  cluster.run(Directory::list_interval + core::second);
  ASSERT_TRUE(a.node.ended());
  EXPECT_STREQ(a.node.ended()->reason, "coordinator went back");
  EXPECT_TRUE(a.open.empty());
  EXPECT_EQ(a.node.valid_until(), 0);
  cluster.run(3 * core::second);
  EXPECT_TRUE(cluster.store.list("c/nodes/").values.empty()) << "its lease is not renewed";
}

TEST_F(NodeTest, EndsWhenNoTickRuns) {
  TwinNode& a = add_node_with_world();
  a.hung = true;
  cluster.run(10 * core::second);
  EXPECT_TRUE(a.node.serving()) << "the limit is 10 s";
  cluster.run(100 * core::millisecond);
  ASSERT_TRUE(a.node.ended());
  EXPECT_STREQ(a.node.ended()->reason, "ticks stopped");
  EXPECT_EQ(a.node.ended()->message, "no tick has run for 10 s, more than the limit of 10 s; the lease is not renewed");
  EXPECT_EQ(a.node.valid_until(), 0);
  cluster.run(3 * core::second);
  EXPECT_TRUE(cluster.store.list("c/nodes/").values.empty()) << "its lease is not renewed";
  a.hung = false;
  cluster.run(core::second);
  EXPECT_TRUE(a.node.ended()) << "worlds may be others' now";
}

TEST_F(NodeTest, AProcessWithoutALimitOfTicksServes) {
  for (const bool reports : {false, true}) {
    test::TwinClient client(cluster.store, cluster.random);
    Node node({.cluster = "c/", .name = reports ? "b" : "a", .offer = {.game = "game"}, .tick_timeout = 0});
    if (reports) node.tick_ran(cluster.now);
    for (int step = 0; step < 3000; ++step) {
      cluster.step();
      client.advance(cluster.now);
      node.update(client, cluster.now);
    }
    EXPECT_TRUE(node.serving());
  }
}

TEST_F(NodeTest, StatusHasContactErrorsAndCounts) {
  TwinNode& a = cluster.add_node("a");
  EXPECT_FALSE(a.node.status(0).since_contact) << "no answer yet";
  cluster.run(core::second);
  NodeStatus status = a.node.status(cluster.now);
  EXPECT_EQ(status.trouble, "");
  EXPECT_EQ(status.last_error, "");
  ASSERT_TRUE(status.since_contact);
  EXPECT_LT(*status.since_contact, core::second / 2);
  EXPECT_GT(status.lease_left, core::second);
  cluster.store.set_full(true);
  a.node.set_load({.players = 1});
  cluster.run(2 * core::second);
  status = a.node.status(cluster.now);
  EXPECT_EQ(status.trouble, "database space exceeded");
  EXPECT_GT(status.commits_failed, 0u);
  EXPECT_LT(*status.since_contact, core::second / 2);
  a.client.network.cut = true;
  cluster.run(core::second);
  status = a.node.status(cluster.now);
  EXPECT_GT(*status.since_contact, core::second / 2);
  EXPECT_EQ(status.last_error, "no answer in time");
  EXPECT_FALSE(a.node.ended());
  cluster.run(core::second);
  status = a.node.status(cluster.now);
  ASSERT_TRUE(a.node.ended());
  EXPECT_EQ(status.trouble, a.node.ended()->message);
  EXPECT_EQ(status.lease_left, 0);
}

TEST_F(NodeTest, AFailureNamesItsNode) {
  TwinNode& a = cluster.add_node("a", 1);
  cluster.run(core::second);
  a.refuses = true;
  place("v", "a");
  cluster.run(core::second);
  EXPECT_EQ(cluster.world("v")->failed_on, "a");
  a.refuses = false;
  place("u", "a");
  cluster.run(core::second);
  place("w", "a");
  cluster.run(core::second);
  EXPECT_EQ(cluster.world("w")->trouble, "the node is full");
  EXPECT_EQ(cluster.world("w")->failed_on, "") << "it may have room soon";
  a.node.drain();
  cluster.run(core::second);
  EXPECT_EQ(cluster.world("u")->failed_on, "");
}

// After the loss of the coordinator's data, files have epochs that it does not know.
TEST_F(NodeTest, ASupersededWorldGetsAGreaterEpoch) {
  TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  a.last_epoch = 1'000'000;
  place("w", "a", 7);
  cluster.run(core::second);
  ASSERT_TRUE(cluster.world("w"));
  EXPECT_EQ(cluster.world("w")->state, WorldState::waiting);
  EXPECT_EQ(cluster.world("w")->epoch, 1'000'000u);
  EXPECT_EQ(cluster.world("w")->trouble, "") << "else it would be placed later";
}

TEST_F(NodeTest, EndsBeforeItsLeaseDoes) {
  TwinNode& a = add_node_with_world();
  a.client.network.cut = true;
  while (!cluster.store.list("c/nodes/").values.empty()) {
    ASSERT_LT(cluster.now, 20 * core::second);
    cluster.step();
  }
  EXPECT_TRUE(a.open.empty());
  ASSERT_TRUE(a.node.ended());
  EXPECT_STREQ(a.node.ended()->reason, "lease lost");
  EXPECT_FALSE(a.node.serving());
}

TEST_F(NodeTest, APausedNodeWakesUpWithoutWorlds) {
  TwinNode& a = add_node_with_world();
  a.paused = true;
  cluster.run(5 * core::second);
  a.paused = false;
  EXPECT_FALSE(a.may_serve(cluster.now));
  cluster.run(core::second);
  EXPECT_TRUE(a.open.empty());
  EXPECT_TRUE(a.node.ended());
}

TEST_F(NodeTest, ANewRunOfANodeWaitsForTheLeaseOfTheLastOne) {
  cluster.add_node("a").node.set_load({.worlds = 1});
  cluster.run(core::second);
  cluster.nodes.clear();  // killed
  TwinNode& again = cluster.add_node("a");
  cluster.run(core::second);
  EXPECT_FALSE(again.node.serving());
  cluster.run(3 * core::second);
  EXPECT_TRUE(again.node.serving());
  EXPECT_FALSE(again.node.ended());
}

TEST_F(NodeTest, TwoNodesOfOneNameAreToldApart) {
  TwinNode& first = cluster.add_node("a");
  cluster.run(core::second);
  TwinNode& second = cluster.add_node("a");
  cluster.run(10 * core::second);
  EXPECT_TRUE(first.node.serving());
  ASSERT_TRUE(second.node.ended());
  EXPECT_STREQ(second.node.ended()->reason, "name taken");
}

// One process after another had the name, none of them for long.
TEST_F(NodeTest, ANameIsTakenByOneOtherRunAlone) {
  const LeaseId others = cluster.store.grant(100 * core::second, cluster.now).lease;
  TwinNode& waiting = cluster.add_node("a");
  for (int i = 0; i < 4; ++i) {
    cluster.store.commit({.erased = {"c/nodes/a"}});
    cluster.store.commit({.puts = {{"c/nodes/a", to_json(NodeRecord{.game = "game"}), others}}});
    cluster.run(3 * core::second);
    EXPECT_FALSE(waiting.node.ended());
  }
  cluster.store.commit({.erased = {"c/nodes/a"}});
  cluster.run(core::second);
  EXPECT_TRUE(waiting.node.serving());
}

TEST_F(NodeTest, AnEndedNodeGathersNoMoreChanges) {
  TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  cluster.store.commit({.erased = {"c/nodes/a"}});
  cluster.run(core::second);
  ASSERT_TRUE(a.node.ended());
  cluster.store.commit({.puts = {{"c/other", ""}}});
  cluster.run(core::second);
  EXPECT_FALSE(a.client.poll_changes());
}

TEST_F(NodeTest, ANameOfOtherCharactersFailsACheck) {
  EXPECT_DEATH(cluster.add_node("x y"), "a node has a name of letters and digits: 'x y'");
}

TEST_F(NodeTest, AnErasedNodeEnds) {
  TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  cluster.store.commit({.erased = {"c/nodes/a"}});
  cluster.run(core::second);
  ASSERT_TRUE(a.node.ended());
  EXPECT_STREQ(a.node.ended()->reason, "lease lost");
}

TEST_F(NodeTest, WorldsOfAFormerRunAreNotItsOwn) {
  cluster.add_node("a");
  cluster.run(core::second);
  place("w", "a");
  cluster.nodes.clear();
  TwinNode& again = cluster.add_node("a");
  cluster.run(5 * core::second);
  ASSERT_TRUE(again.node.serving());
  EXPECT_TRUE(again.open.empty());
}

TEST_F(NodeTest, RecordsThatOthersWroteAreIgnored) {
  TwinNode& a = cluster.add_node("a");
  cluster.run(core::second);
  cluster.store.commit({.puts = {{"c/worlds/v", "{"}, {"c/worlds/", "7"}, {"c/other", ""}}});
  place("w", "a");
  cluster.run(core::second);
  EXPECT_EQ(a.open.size(), 1u);
  EXPECT_EQ(cluster.store.list("c/worlds/v").values.front().value, "{");
}

}  // namespace node_test
}  // namespace mobula::cluster
