// A node on its thread, with a real etcd.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <mobula/net/http_connection.hpp>
#include <mobula/server/cluster/node_thread.hpp>
#include <mobula/server/cluster/placer.hpp>
#include <mobula/server/cluster/trouble_log.hpp>
#include <server/cluster/etcd_members.hpp>

namespace mobula::cluster {
namespace node_thread_test {

class NodeThreadTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(test::etcd_program)) GTEST_SKIP() << "needs Debian's etcd-server";
    members.emplace(members_wanted());
    etcd.emplace(events, config());
  }
  [[nodiscard]] virtual int members_wanted() const { return 1; }
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
  // Places a world as a placer does.
  void place(const std::string& world, const std::string& node) {
    const std::vector<KeyValue> nodes = keys("c/nodes/" + node);
    ASSERT_EQ(nodes.size(), 1u);
    const WorldRecord placed{
        .game = "game", .state = WorldState::placed, .epoch = 1, .node = node, .run = nodes.front().created};
    ASSERT_TRUE(reply_to(etcd->commit({.puts = {{"c/worlds/" + world, to_json(placed)}}})).committed);
  }

  net::EventLoop events;
  std::optional<test::Members> members;
  std::optional<Etcd> etcd;
};

TEST_F(NodeThreadTest, OpensAWorldAndLeaves) {
  std::unique_ptr<NodeThread> node = make_node("a");
  EXPECT_FALSE(node->may_serve());
  ASSERT_TRUE(wait_until([&] { return node->serving(); }));
  EXPECT_TRUE(node->may_serve());
  place("w", "a");
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

TEST_F(NodeThreadTest, StopsServingWhenItsCoordinatorIsSilent) {
  const std::unique_ptr<NodeThread> node = make_node("a");
  ASSERT_TRUE(wait_until([&] { return node->serving(); }));
  members->pause(0);
  ASSERT_TRUE(wait_until([&] { return !node->may_serve(); }));
  ASSERT_TRUE(wait_until([&] { return node->ended().has_value(); }));
  EXPECT_STREQ(node->ended()->reason, "lease lost");
  EXPECT_FALSE(node->serving());
  members->resume(0);
}

TEST_F(NodeThreadTest, GoesOnWhileItsCoordinatorDoesNotRun) {
  const std::unique_ptr<NodeThread> node = make_node("a");
  ASSERT_TRUE(wait_until([&] { return node->serving(); }));
  place("w", "a");  // by then it has looked at the members
  ASSERT_TRUE(wait_until([&] { return node->poll_task().has_value(); }));
  members->kill(0);
  for (const core::Nanoseconds end = core::monotonic_now() + 5 * core::second; core::monotonic_now() < end;) {
    events.run_until(core::monotonic_now() + 10 * core::millisecond);
    ASSERT_TRUE(node->may_serve());
  }
  members->start(0);
  ASSERT_TRUE(wait_until([&] { return keys("c/nodes/a").size() == 1; }));
  place("v", "a");
  EXPECT_TRUE(wait_until([&] { return node->poll_task().has_value(); }));
  EXPECT_FALSE(node->ended());
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

TEST_F(NodeThreadTest, EndsWhenEtcdIsRestoredFromABackup) {
  // With a lease that outlasts the time without etcd.
  NodeThread node({.cluster = "c/",
                   .name = "a",
                   .offer = {.game = "game", .worlds_max = 1},
                   .ttl = 60 * core::second,
                   .tick_timeout = 0},
                  config());
  ASSERT_TRUE(wait_until([&] { return node.serving(); }));
  members->back_up();
  place("w", "a");
  ASSERT_TRUE(wait_until([&] { return node.poll_task().has_value(); })) << "the node has seen what will be lost";
  members->restore();
  ASSERT_TRUE(wait_until([&] { return node.ended().has_value(); }));
  EXPECT_STREQ(node.ended()->reason, "coordinator went back") << node.ended()->message;
  EXPECT_FALSE(node.may_serve());
}

TEST_F(NodeThreadTest, EndsWhenNoTickRuns) {
  NodeThread node({.cluster = "c/", .name = "a", .offer = {.game = "game"}, .tick_timeout = core::second}, config());
  ASSERT_TRUE(wait_until([&] { return node.serving(); }));
  const core::Nanoseconds end = core::monotonic_now() + 3 * core::second / 2;
  while (core::monotonic_now() < end) {
    node.tick_ran();
    events.run_until(core::monotonic_now() + 10 * core::millisecond);
  }
  EXPECT_FALSE(node.ended());
  EXPECT_TRUE(node.may_serve());
  ASSERT_TRUE(wait_until([&] { return node.ended().has_value(); }));
  EXPECT_STREQ(node.ended()->reason, "ticks stopped");
  EXPECT_FALSE(node.may_serve());
}

TEST_F(NodeThreadTest, LogsTroubleOnceAndShowsItsState) {
  testing::internal::CaptureStderr();
  NodeThread node(
      {.cluster = "c/", .name = "a", .offer = {.game = "game"}, .ttl = 60 * core::second, .tick_timeout = 0}, config());
  ASSERT_TRUE(wait_until([&] { return node.serving(); }));
  NodeStatus status = node.status();
  EXPECT_EQ(status.member, members->urls().front());
  ASSERT_TRUE(status.since_contact);
  EXPECT_GT(status.lease_left, core::second);
  members->kill(0);
  node.set_load({.players = 1});  // committed again and again
  ASSERT_TRUE(wait_until([&] {
    const core::Nanoseconds silence = node.status().since_contact.value_or(0);
    return silence > core::second / 2 && node.status().commits_failed > status.commits_failed + 1;
  }));
  status = node.status();
  EXPECT_EQ(status.member, "");
  EXPECT_NE(status.trouble, "");
  EXPECT_EQ(status.last_error.find("http://"), 0u) << status.last_error;
  members->start(0);
  ASSERT_TRUE(wait_until([&] { return node.status().trouble.empty(); }));
  EXPECT_NE(node.status().last_error, "");
  const std::string log = testing::internal::GetCapturedStderr();
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = log.find("coordinator (--cluster): ", at)) != std::string::npos; ++at) ++lines;
  EXPECT_EQ(lines, 1u) << log;
  EXPECT_NE(log.find("node a serves its cluster"), std::string::npos) << log;
}

TEST(TroubleLog, ABeginningAndAnEndAreOneLineEach) {
  testing::internal::CaptureStderr();
  TroubleLog log("store");
  log.update("", 0);
  for (int step = 1; step <= 40; ++step) log.update(step % 2 == 1 ? "no answer\n" : "", step * core::second / 4);
  log.update("", 9 * core::second + TroubleLog::quiet_time);
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("store: no answer\xef\xbf\xbd"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 1) << text;
  testing::internal::CaptureStderr();
  log.update("", 10 * core::second + TroubleLog::quiet_time);
  log.update("", 11 * core::second + TroubleLog::quiet_time);
  text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("store: works again, after 9 s of errors"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

// Three members of etcd, with the options of EtcdConfig.
class ThreeMembersTest : public NodeThreadTest {
 protected:
  static constexpr int nodes = 20;  // that are killed, with a world each

  [[nodiscard]] int members_wanted() const override { return 3; }
  void TearDown() override {
    for (pid_t& each : children) kill_child(each);
  }
  // Returns the member that leads. The number of members if none does.
  std::size_t leader() {
    const std::vector<std::string> urls = members->urls();
    for (std::size_t member = 0; member < urls.size(); ++member) {
      net::HttpConnection connection(events, urls[member], {.timeout = core::second});
      std::optional<std::string> answer;
      connection.post("/v3/maintenance/status", "{}",
                      [&](core::Result<std::string> got) { answer = got ? *got : std::string(); });
      if (!wait_until([&] { return answer.has_value(); })) continue;
      const std::string id = text_after(*answer, "\"member_id\":\"");
      if (!id.empty() && id == text_after(*answer, "\"leader\":\"")) return member;
    }
    return urls.size();
  }
  static std::string text_after(const std::string& json, const std::string& name) {
    const std::size_t at = json.find(name);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size();
    return json.substr(begin, json.find('"', begin) - begin);
  }
  // Makes a process with a node that opens all worlds. It must not have threads yet.
  void add_child(const std::string& name, std::uint32_t worlds_max) {
    const pid_t child = ::fork();
    if (child != 0) return children.push_back(child);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    NodeThread node({.cluster = "c/", .name = name, .offer = {.game = "game", .worlds_max = worlds_max}}, config());
    for (;; std::this_thread::sleep_for(milliseconds(10))) {
      node.tick_ran();
      while (const std::optional<NodeTask> task = node.poll_task())
        node.opened(task->world, task->epoch, {"udp://a:1"});
    }
  }
  static void kill_child(pid_t& child) {
    if (child == 0) return;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    child = 0;
  }
  bool wait_for_placer(const std::function<bool()>& condition) {
    return wait_until([&] {
      placer.update(*etcd, boot_now());
      return condition();
    });
  }
  [[nodiscard]] std::string owner(const std::string& world) const {
    const auto found = placer.directory().worlds().find(world);
    return found == placer.directory().worlds().end() ? "" : found->second.record.node;
  }
  [[nodiscard]] bool all_open() const {
    const auto is_open = [](const auto& each) { return each.second.record.state == WorldState::open; };
    return placer.directory().worlds().size() == nodes && std::ranges::all_of(placer.directory().worlds(), is_open);
  }

  std::vector<pid_t> children;  // 0 for killed ones
  Placer placer{"c/"};
};

TEST_F(ThreeMembersTest, ANodeServesThroughElections) {
  const std::unique_ptr<NodeThread> node = make_node("a");
  ASSERT_TRUE(wait_until([&] { return node->serving(); }));
  for (int election = 0; election < 2; ++election) {
    std::size_t killed = 3;
    ASSERT_TRUE(wait_until([&] { return (killed = leader()) < 3; }));
    members->kill(killed);
    core::Nanoseconds least = core::second * 10;
    for (const auto end = core::monotonic_now() + 3 * core::second; core::monotonic_now() < end;) {
      node->tick_ran();
      ASSERT_TRUE(node->may_serve()) << "election " << election;
      least = std::min(least, node->status().lease_left);
      events.run_until(core::monotonic_now() + 5 * core::millisecond);
    }
    std::cout << "least time left of the lease: " << least / core::millisecond << " ms\n";
    EXPECT_FALSE(node->ended());
    members->start(killed);
    node->tick_ran();
  }
}

TEST_F(ThreeMembersTest, WorldsOfKilledNodesMoveWithinThreeSeconds) {
  std::map<std::string, std::size_t> child_of;
  const auto add = [&](const std::string& name, std::uint32_t worlds_max) {
    child_of[name] = children.size();
    add_child(name, worlds_max);
  };
  for (int i = 0; i < nodes; ++i) add("n" + std::to_string(i), 1);
  ASSERT_TRUE(wait_for_placer([&] { return placer.directory().nodes().size() == nodes; }));
  for (int i = 0; i < nodes; ++i) placer.create(*etcd, "w" + std::to_string(i), "game");
  ASSERT_TRUE(wait_for_placer([&] { return all_open(); }));
  add("survivor", 2 * nodes);
  ASSERT_TRUE(wait_for_placer([&] { return placer.directory().nodes().contains("survivor"); }));
  std::map<std::string, core::Nanoseconds> killed_at;
  std::vector<core::Nanoseconds> times;
  core::Nanoseconds next = core::monotonic_now();
  ASSERT_TRUE(wait_for_placer([&] {
    const core::Nanoseconds now = core::monotonic_now();
    std::erase_if(killed_at, [&](const auto& each) {
      if (owner(each.first) != "survivor") return false;
      times.push_back(now - each.second);
      return true;
    });
    if (now >= next && times.size() + killed_at.size() < nodes) {
      const std::string world = "w" + std::to_string(times.size() + killed_at.size());
      kill_child(children[child_of[owner(world)]]);
      killed_at[world] = core::monotonic_now();
      next = now + 70 * core::millisecond;  // at all phases of renewals
    }
    return times.size() == nodes;
  }));
  std::ranges::sort(times);
  std::cout << "from a kill to the next placement, ms: p50 " << times[nodes / 2] / core::millisecond << ", worst "
            << times.back() / core::millisecond << "\n";
  EXPECT_LE(times.back(), 3 * core::second);
  ASSERT_TRUE(wait_for_placer([&] { return all_open(); }));
}

}  // namespace node_thread_test
}  // namespace mobula::cluster
