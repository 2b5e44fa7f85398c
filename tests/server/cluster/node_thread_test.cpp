// A node on its thread, with a real etcd.
#include <gtest/gtest.h>

#include <mobula/server/cluster/node_thread.hpp>
#include <server/cluster/etcd_members.hpp>

namespace mobula::cluster {
namespace node_thread_test {

class NodeThreadTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(test::etcd_program)) GTEST_SKIP() << "needs Debian's etcd-server";
    members.emplace(1);
    etcd.emplace(events, config());
  }
  [[nodiscard]] EtcdConfig config() const { return {.members = members->urls()}; }
  [[nodiscard]] std::unique_ptr<NodeThread> make_node(const std::string& name) const {
    return std::make_unique<NodeThread>(
        NodeConfig{.cluster = "c/", .name = name, .offer = {.game = "game", .worlds_max = 4}}, config());
  }
  template <class Condition>
  bool wait_until(Condition condition) {
    for (const auto end = core::monotonic_now() + 60 * core::second; core::monotonic_now() < end;) {
      if (condition()) return true;
      events.run_until(core::monotonic_now() + 5 * core::millisecond);
    }
    return false;
  }
  Reply reply_to(RequestId request) {
    std::optional<Reply> reply;
    EXPECT_TRUE(wait_until([&] { return (reply = etcd->poll()) && reply->request == request; }));
    return reply.value_or(Reply{});
  }
  std::vector<KeyValue> keys(std::string_view prefix) { return reply_to(etcd->list(prefix)).values; }

  net::EventLoop events;
  std::optional<test::Members> members;
  std::optional<Etcd> etcd;
};

TEST_F(NodeThreadTest, OpensAWorldAndLeaves) {
  std::unique_ptr<NodeThread> node = make_node("a");
  EXPECT_FALSE(node->may_serve());
  ASSERT_TRUE(wait_until([&] { return node->serving(); }));
  EXPECT_TRUE(node->may_serve());
  const std::vector<KeyValue> nodes = keys("c/nodes/");
  ASSERT_EQ(nodes.size(), 1u);
  const WorldRecord placed{
      .game = "game", .state = WorldState::placed, .epoch = 1, .node = "a", .run = nodes.front().created};
  ASSERT_TRUE(reply_to(etcd->commit({.puts = {{"c/worlds/w", to_json(placed)}}})).committed);
  std::optional<NodeTask> task;
  ASSERT_TRUE(wait_until([&] { return (task = node->poll_task()).has_value(); }));
  EXPECT_EQ(task->world, "w");
  EXPECT_EQ(task->kind, NodeTask::Kind::open);
  node->opened("w", task->epoch, {"udp://a:7777"});
  ASSERT_TRUE(wait_until([&] { return parse_world(keys("c/worlds/w").front().value)->state == WorldState::open; }));
  node->drain();
  ASSERT_TRUE(wait_until([&] { return (task = node->poll_task()).has_value(); }));
  EXPECT_EQ(task->kind, NodeTask::Kind::close);
  node->closed("w", task->epoch);
  ASSERT_TRUE(wait_until([&] { return parse_world(keys("c/worlds/w").front().value)->state == WorldState::waiting; }));
  node.reset();
  EXPECT_TRUE(keys("c/nodes/").empty()) << "its lease was ended";
}

TEST_F(NodeThreadTest, StopsServingWhenItsCoordinatorIsLost) {
  const std::unique_ptr<NodeThread> node = make_node("a");
  ASSERT_TRUE(wait_until([&] { return node->serving(); }));
  members->kill(0);
  ASSERT_TRUE(wait_until([&] { return !node->may_serve(); }));
  ASSERT_TRUE(wait_until([&] { return node->ended().has_value(); }));
  EXPECT_STREQ(node->ended()->reason, "lease lost");
  EXPECT_FALSE(node->serving());
}

TEST_F(NodeThreadTest, JoinsWhenItsCoordinatorIsStarted) {
  members->kill(0);
  const std::unique_ptr<NodeThread> node = make_node("a");
  events.run_until(core::monotonic_now() + core::second / 2);
  EXPECT_FALSE(node->serving());
  EXPECT_FALSE(node->ended());
  members->start(0);
  EXPECT_TRUE(wait_until([&] { return node->serving(); }));
}

}  // namespace node_thread_test
}  // namespace mobula::cluster
