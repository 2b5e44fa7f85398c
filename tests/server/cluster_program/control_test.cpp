#include <server/cluster_program/controlled_cluster.hpp>

namespace mobula::cluster {
namespace control_test {

using test::reason_of;

class ControlTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(reason_of(of.control.wait_until_ready()), ""); }

  test::ControlledCluster of;
};

TEST_F(ControlTest, CreatesAWorldThatItThenKnows) {
  of.cluster.add_node("a");
  of.run(core::second);
  ASSERT_EQ(reason_of(of.control.create("w", "game")), "");
  ASSERT_TRUE(of.control.world("w"));
  EXPECT_EQ(of.control.world("w")->node, "a");
  of.run(core::second);
  EXPECT_EQ(of.control.world("w")->state, WorldState::open);
  EXPECT_EQ(of.control.world("w")->addresses, std::vector<std::string>{"udp://host:7777"});
  EXPECT_EQ(of.control.counters().placements, 1u);
  EXPECT_EQ(of.control.counters().failed_commits, 0u);
}

TEST_F(ControlTest, AWorldWithoutANodeWaitsAndIsPlacedLater) {
  ASSERT_EQ(reason_of(of.control.create("w", "game")), "");
  EXPECT_EQ(of.control.world("w")->state, WorldState::waiting);
  EXPECT_EQ(of.control.counters().placements, 0u);
  of.cluster.add_node("a");
  of.run(core::second);
  EXPECT_EQ(of.control.world("w")->state, WorldState::open);
  EXPECT_EQ(of.control.counters().placements, 1u);
}

TEST_F(ControlTest, ANameIsGivenOnce) {
  EXPECT_EQ(reason_of(of.control.create("w", "game")), "");
  EXPECT_EQ(reason_of(of.control.create("w", "game")), "name taken");
  of.cluster.store.commit({.puts = {{"c/worlds/odd", "of a newer version"}}});
  EXPECT_EQ(reason_of(of.control.create("odd", "game")), "name taken");
  EXPECT_EQ(of.control.counters().conflicts, 2u);
}

TEST_F(ControlTest, AMapIsCreatedWithItsWorldsOnce) {
  const auto zones =
      *server::ZoneMap::parse(R"({"zones": [{"name": "w", "x": [null, 0]}, {"name": "e", "x": [0, null]}]})");
  const auto other = *server::ZoneMap::parse(R"({"zones": [{"name": "w"}]})");
  ASSERT_EQ(reason_of(of.control.create("land.e", "game")), "") << "an earlier attempt may have made it";
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(reason_of(of.control.create_map("land", zones, "game")), "");
    EXPECT_EQ(of.key("c/maps/land").value, zones.to_json());
    EXPECT_TRUE(of.control.world("land.w") && of.control.world("land.e"));
  }
  EXPECT_EQ(reason_of(of.control.create_map("land", other, "game")), "name taken");
  EXPECT_EQ(reason_of(of.control.create_map("land", zones, "another")), "name taken");
  EXPECT_EQ(reason_of(of.control.create_map(std::string(63, 'm'), zones, "game")), "bad name");
}

class MapChangeTest : public ControlTest {
 protected:
  void SetUp() override { ASSERT_EQ(reason_of(of.control.create_map("land", zones, "game")), ""); }
  std::string split(const std::string& map, const std::string& name) {
    const auto changed = of.control.change_map(
        map, [&](const server::ZoneMap& present) { return present.split("e", {.at = 7, .name = name}); });
    return changed ? "" : changed.error().reason;
  }

  const server::ZoneMap zones =
      *server::ZoneMap::parse(R"({"zones": [{"name": "w", "x": [null, 0]}, {"name": "e", "x": [0, null]}]})");
};

TEST_F(MapChangeTest, ASplitCreatesTheWorldOfTheNewZone) {
  EXPECT_EQ(split("land", "far"), "");
  EXPECT_EQ(of.key("c/maps/land").value, zones.split("e", {.at = 7, .name = "far"})->to_json());
  EXPECT_EQ(of.control.world("land.far")->game, "game");
  EXPECT_EQ(split("land", "far"), "bad cut") << "the zone ends there";
  EXPECT_EQ(split("sea", "far"), "no such map");
}

TEST_F(MapChangeTest, ANameThatIsTooLongForAWorldIsRefused) {
  EXPECT_EQ(split("land", std::string(63, 'f')), "bad name");
  EXPECT_EQ(of.key("c/maps/land").value, zones.to_json());
}

TEST_F(MapChangeTest, OneThatWasNotFinishedIsContinued) {
  of.cluster.store.commit({.puts = {{"c/maps/land", zones.split("e", {.at = 7, .name = "far"})->to_json()}}});
  of.run(core::second);
  EXPECT_FALSE(of.control.world("land.far"));
  EXPECT_EQ(split("land", "far"), "bad cut");
  EXPECT_TRUE(of.control.world("land.far"));
}

// The world of a zone is being created, and the map is read anew afterwards.
TEST_F(MapChangeTest, AChangeDuringTheRepairIsNotLost) {
  const server::ZoneMap unfinished = *zones.split("e", {.at = 7, .name = "far"});
  const server::ZoneMap other = *unfinished.split("w", {.at = -7, .name = "near"});
  of.cluster.store.commit({.puts = {{"c/maps/land", unfinished.to_json()}}});
  of.run(core::second);
  bool changed = false;
  of.each_step = [&] {
    if (!std::exchange(changed, true)) of.cluster.store.commit({.puts = {{"c/maps/land", other.to_json()}}});
  };
  const auto result = of.control.change_map(
      "land", [&](const server::ZoneMap& present) { return present.split("far", {.at = 9, .name = "further"}); });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_NE(result->find("near"), server::ZoneMap::no_zone);
}

TEST_F(MapChangeTest, AWorldOfAnotherGameIsNotTakenForAZone) {
  ASSERT_EQ(reason_of(of.control.create("land.far", "another")), "");
  EXPECT_EQ(split("land", "far"), "name taken");
  EXPECT_EQ(of.key("c/maps/land").value, zones.to_json());
}

TEST_F(MapChangeTest, AnotherChangeMeanwhileIsNotLost) {
  const std::string other = zones.merge("e", "w")->to_json();
  bool changed = false;  // once the commit is under way
  of.each_step = [&] {
    if (!std::exchange(changed, true)) of.cluster.store.commit({.puts = {{"c/maps/land", other}}});
  };
  of.client.network.delay = 20 * core::millisecond;
  EXPECT_EQ(split("land", "far"), "other change");
  EXPECT_EQ(of.key("c/maps/land").value, other);
}

TEST_F(ControlTest, AWorldWhoseNodeHasEndedWaits) {
  const KeyValue node = of.add_key_of_node("a", {.game = "other", .worlds_max = 1});
  of.add_open_world("w", "a", {"udp:127.0.0.1:7777"});
  of.run(core::second);
  EXPECT_EQ(of.control.world("w")->state, WorldState::open);
  of.cluster.store.revoke(node.lease);
  of.run(core::second);
  const std::optional<WorldRecord> world = of.control.world("w");
  EXPECT_EQ(world->state, WorldState::waiting);
  EXPECT_TRUE(world->addresses.empty());
  EXPECT_EQ(world->node, "");
  EXPECT_EQ(world->trouble, "node 'a' has ended");
  of.add_key_of_node("a", {.game = "other", .worlds_max = 1});
  of.run(core::second);
  EXPECT_EQ(of.control.world("w")->state, WorldState::waiting) << "another run of the node";
}

TEST_F(ControlTest, DrainKeepsTheLeaseAndAllOtherFields) {
  const LeaseId lease = of.cluster.store.grant(100 * core::second, of.cluster.now).lease;
  of.cluster.store.commit({.puts = {{"c/nodes/a", R"({"game":"game","worlds_max":3,"newer":[1]})", lease}}});
  of.run(core::second);
  const KeyValue before = of.key("c/nodes/a");
  ASSERT_EQ(reason_of(of.control.drain("a")), "");
  const KeyValue after = of.key("c/nodes/a");
  EXPECT_EQ(after.lease, lease);
  EXPECT_EQ(after.created, before.created) << "the same run";
  EXPECT_EQ(after.value, R"({"draining":true,"game":"game","newer":[1],"worlds_max":3})");
  EXPECT_TRUE(of.control.directory().nodes().at("a").record.draining) << "the directory has it";
  of.cluster.store.revoke(lease);
  EXPECT_EQ(of.key("c/nodes/a").key, "") << "the key ends with the lease";
}

TEST_F(ControlTest, DrainOfADrainingNodeChangesNothing) {
  of.add_key_of_node("a", {.game = "game", .worlds_max = 3, .draining = true});
  of.run(core::second);
  const Revision before = of.cluster.store.revision();
  EXPECT_EQ(reason_of(of.control.drain("a")), "");
  EXPECT_EQ(of.cluster.store.revision(), before);
}

TEST_F(ControlTest, DrainFollowsARecordThatChangesMeanwhile) {
  of.add_key_of_node("a", {.game = "game", .worlds_max = 3});
  of.run(core::second);
  bool changed = false;  // once the commit is under way
  of.each_step = [&] {
    if (std::exchange(changed, true)) return;
    const KeyValue key = of.key("c/nodes/a");
    of.cluster.store.commit(
        {.puts = {{key.key, to_json(NodeRecord{.game = "game", .version = "2", .worlds_max = 3}), key.lease}}});
  };
  of.client.network.delay = 20 * core::millisecond;
  ASSERT_EQ(reason_of(of.control.drain("a")), "");
  const core::Result<NodeRecord> record = parse_node(of.key("c/nodes/a").value);
  EXPECT_TRUE(record->draining);
  EXPECT_EQ(record->version, "2");
  EXPECT_EQ(of.control.counters().conflicts, 1u);
}

TEST_F(ControlTest, DrainOfANodeThatEndsMeanwhileFindsNone) {
  const KeyValue key = of.add_key_of_node("a", {.game = "game", .worlds_max = 3});
  of.run(core::second);
  of.each_step = [&] { of.cluster.store.revoke(key.lease); };
  of.client.network.delay = 20 * core::millisecond;
  EXPECT_EQ(reason_of(of.control.drain("a")), "no such node");
  EXPECT_EQ(of.key("c/nodes/a").key, "");
}

TEST_F(ControlTest, DrainRefusesUnknownNodesAndOtherRecords) {
  EXPECT_EQ(reason_of(of.control.drain("a")), "no such node");
  of.cluster.store.commit({.puts = {{"c/nodes/a", "[1]"}}});
  of.run(core::second);
  EXPECT_EQ(reason_of(of.control.drain("a")), "bad record");
  EXPECT_EQ(of.key("c/nodes/a").value, "[1]");
}

TEST_F(ControlTest, DrainLeavesOutDeepNestingOfANode) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  of.cluster.store.commit({.puts = {{"c/nodes/a", R"({"game":"game","worlds_max":3,"newer":)" + deep + "}"}}});
  of.run(core::second);
  EXPECT_EQ(reason_of(of.control.drain("a")), "") << "and the stack suffices";
  EXPECT_TRUE(parse_node(of.key("c/nodes/a").value)->draining);
}

TEST_F(ControlTest, ADrainedNodeClosesItsWorlds) {
  test::TwinNode& a = of.cluster.add_node("a");
  of.run(core::second);
  ASSERT_EQ(reason_of(of.control.create("w", "game")), "");
  of.run(core::second);
  ASSERT_EQ(a.open.size(), 1u);
  ASSERT_EQ(reason_of(of.control.drain("a")), "");
  of.run(core::second);
  EXPECT_TRUE(a.open.empty());
  EXPECT_EQ(a.dropped, 0) << "closed worlds were saved";
  EXPECT_TRUE(a.node.serving());
  EXPECT_EQ(of.control.world("w")->state, WorldState::waiting);
  of.cluster.add_node("b");
  of.run(core::second);
  EXPECT_EQ(of.control.world("w")->node, "b");
}

TEST_F(ControlTest, WithoutContactChangesAreRefusedAtOnce) {
  of.cluster.add_node("a");
  of.run(core::second);
  of.client.network.cut = true;
  of.run(Directory::list_interval + core::second);
  ASSERT_TRUE(of.control.trouble());
  const core::Nanoseconds before = of.cluster.now;
  EXPECT_EQ(reason_of(of.control.create("w", "game")), "unreachable");
  EXPECT_EQ(reason_of(of.control.drain("a")), "unreachable");
  EXPECT_EQ(of.cluster.now, before);
  EXPECT_NE(of.control.trouble()->message.find("http://h:1"), std::string::npos) << of.control.trouble()->message;
}

TEST_F(ControlTest, KeysAreTrustedForATimeWithoutContact) {
  of.cluster.add_node("a");
  of.run(core::second);
  of.client.network.cut = true;
  while (!of.control.trouble()) of.run(core::millisecond);
  EXPECT_TRUE(of.control.known().ok() || of.control.counters().contact) << "by the time of the last contact";
  of.run(Control::stale_after);
  EXPECT_EQ(reason_of(of.control.known()), "unreachable");
  of.client.network.cut = false;
  of.run(core::second);
  EXPECT_EQ(reason_of(of.control.known()), "");
}

TEST_F(ControlTest, ACommitWithoutAnAnswerIsUnfinished) {
  of.cluster.add_node("a");
  of.run(core::second);
  of.client.network.timeout = 10 * core::second;
  of.client.network.delay = 2 * core::second;  // longer than the patience
  const core::Status created = of.control.create("w", "game");
  EXPECT_EQ(reason_of(created), "unfinished");
  EXPECT_NE(created.error().message.find("it may still take effect"), std::string::npos);
  of.client.network.delay = core::millisecond;
  of.run(5 * core::second);
  EXPECT_TRUE(of.control.world("w")) << "it did";
}

TEST_F(ControlTest, ALateOutcomeIsNotTakenForAnothers) {
  ASSERT_EQ(reason_of(of.control.create("w", "game")), "");
  of.add_key_of_node("a", {.game = "other"});
  of.run(core::second);
  of.client.network.timeout = 10 * core::second;
  of.client.network.delay = 2 * core::second;
  EXPECT_EQ(reason_of(of.control.create("w", "game")), "unfinished");
  EXPECT_EQ(reason_of(of.control.drain("a")), "unfinished");
  of.client.network.delay = core::millisecond;
  of.cluster.store.commit({.erased = {"c/nodes/a"}});
  const KeyValue b = of.add_key_of_node("b", {.game = "other"});
  of.run(5 * core::second);
  EXPECT_EQ(reason_of(of.control.create("v", "game")), "") << "another creation was of a name that is taken";
  EXPECT_EQ(reason_of(of.control.drain("b")), "");
  EXPECT_NE(of.key("c/nodes/b").modified, b.modified);
}

TEST_F(ControlTest, ACreationSucceedsThoughTheWatchIsSilent) {
  of.client.watch("elsewhere/", 1);
  const core::Nanoseconds before = of.cluster.now;
  EXPECT_EQ(reason_of(of.control.create("w", "game")), "");
  EXPECT_LT(of.cluster.now - before, core::second / 2) << "other requests wait meanwhile";
  EXPECT_FALSE(of.control.world("w")) << "the next list has it";
  of.run(Directory::list_interval);
  EXPECT_TRUE(of.control.world("w"));
}

TEST_F(ControlTest, AFailedCommitIsCountedAndItsReasonKept) {
  of.cluster.store.set_full(true);
  EXPECT_EQ(reason_of(of.control.create("w", "game")), "no space");
  EXPECT_EQ(of.control.counters().failed_commits, 1u);
  EXPECT_EQ(of.control.counters().placements, 0u);
}

TEST(Control, IsNotReadyWithoutACoordinator) {
  test::ControlledCluster of;
  of.client.network.cut = true;
  const core::Status ready = of.control.wait_until_ready();
  EXPECT_EQ(reason_of(ready), "unreachable");
  EXPECT_GE(of.cluster.now, core::second) << "the patience";
  EXPECT_FALSE(of.control.counters().contact);
  EXPECT_EQ(reason_of(of.control.known()), "unreachable");
  EXPECT_EQ(reason_of(of.control.create("w", "game")), "unreachable");
}

TEST(Control, PlacesNothingUnlessItIsAPlacer) {
  test::ControlledCluster of(false);
  of.cluster.add_node("a");
  of.cluster.store.commit({.puts = {{"c/worlds/w", to_json(WorldRecord{.game = "game"})}}});
  ASSERT_EQ(reason_of(of.control.wait_until_ready()), "");
  of.run(2 * core::second);
  EXPECT_EQ(of.control.world("w")->state, WorldState::waiting);
  EXPECT_EQ(of.control.directory().nodes().size(), 1u);
  EXPECT_EQ(reason_of(of.control.drain("a")), "");
}

}  // namespace control_test
}  // namespace mobula::cluster
