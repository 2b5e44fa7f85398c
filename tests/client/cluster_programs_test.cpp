// Servers as nodes of a cluster: real programs, and a real etcd.
#include <client/programs.hpp>
#include <mobula/net/event_loop.hpp>
#include <mobula/net/http_client.hpp>
#include <mobula/server/cluster/etcd.hpp>
#include <mobula/server/cluster/placer.hpp>
#include <nlohmann/json.hpp>
#include <server/cluster/etcd_members.hpp>

namespace mobula {
namespace {

using cluster::WorldRecord;
using cluster::WorldState;

class ClusterPrograms : public Programs {
 protected:
  void SetUp() override {
    if (!fs::exists(test::etcd_program)) GTEST_SKIP() << "needs Debian's etcd-server";
    members_.emplace(1);
    etcd_.emplace(events_, cluster::EtcdConfig{.members = members_->urls()});
    key_ = new_key();
    fs::create_directories(saves());
  }
  // Each test has an etcd of its own, whose epochs begin anew.
  static fs::path saves() { return folder() / testing::UnitTest::GetInstance()->current_test_info()->name(); }
  // Those of `more` replace others.
  [[nodiscard]] std::vector<std::string> options(const std::string& name,
                                                 const std::map<std::string, std::string>& more = {}) const {
    std::map<std::string, std::string> all{{"--cluster", members_->urls().front()},
                                           {"--node", name},
                                           {"--capacity", "worlds=2"},
                                           {"--port", "0"},
                                           {"--admin-port", "0"},
                                           {"--key-file", key_},
                                           {"--db", saves().string()},
                                           {"--level", level()},
                                           {"--public-address", "127.0.0.1"},
                                           {"--checkpoint-seconds", "0.1"}};
    for (const auto& [option, value] : more) all[option] = value;
    std::vector<std::string> arguments;
    for (const auto& [option, value] : all) arguments.insert(arguments.end(), {option, value});
    return arguments;
  }
  Program& node(const std::string& name, const std::map<std::string, std::string>& more = {}) {
    Program& program = start("mobula-server", options(name, more));
    EXPECT_TRUE(wait([&] { return placer_.directory().nodes().contains(name); })) << program.err();
    return program;
  }
  template <class Condition>
  bool wait(Condition condition) {
    for (const auto end = steady_clock::now() + patience; steady_clock::now() < end;) {
      placer_.update(*etcd_, core::monotonic_now());
      if (condition()) return true;
      events_.run_until(core::monotonic_now() + 5 * core::millisecond);
    }
    return false;
  }
  static std::string admin_of(Program& node) {
    return "http://127.0.0.1:" + std::to_string(number_after(node.err(), "admin address http://127.0.0.1:"));
  }
  // Returns the address of mobula-cluster.
  std::string serve_cluster() {
    Program& cluster =
        start("mobula-cluster", {"serve", "--etcd", members_->urls().front(), "--key-file", key_, "--port", "0"});
    EXPECT_TRUE(cluster.logs("HTTP address ")) << cluster.err();
    return "http://127.0.0.1:" + std::to_string(number_after(cluster.err(), "HTTP address http://127.0.0.1:"));
  }
  static std::vector<std::string> as_anna(const std::string& url) {
    return {"--cluster", url, "--world", "lobby", "--account", "anna", "--name", "Anna"};
  }
  // Waits until Anna plays in a world, and returns the address of her session there.
  std::string session_of_anna(Program& server, const std::string& world) {
    const std::string sessions = admin_of(server) + "/api/sessions";
    std::string found;
    EXPECT_TRUE(wait([&] {
      const nlohmann::json all = nlohmann::json::parse(net::http_get(sessions + "?world=" + world).value());
      for (const nlohmann::json& each : all["sessions"])
        if (each["account"] == "anna" && each["state"] == "playing") found = sessions + "/" + each["player"].dump();
      return !found.empty();
    })) << server.err();
    return found;
  }
  void create(const std::string& world) {
    ASSERT_TRUE(wait([&] { return placer_.directory().complete() && !placer_.directory().nodes().empty(); }));
    placer_.create(*etcd_, world, placer_.directory().nodes().begin()->second.record.game);
  }
  // Waits until a world is open, with a greater epoch than `after`.
  WorldRecord open_record(const std::string& world, std::uint64_t after = 0) {
    WorldRecord record;
    EXPECT_TRUE(wait([&] {
      const auto found = placer_.directory().worlds().find(world);
      if (found != placer_.directory().worlds().end()) record = found->second.record;
      return record.state == WorldState::open && record.epoch > after;
    })) << cluster::to_json(record);
    return record;
  }
  void expect_playable(const WorldRecord& record) {
    ASSERT_FALSE(record.addresses.empty());
    Program& client =
        start("mobula-client", {"--connect", record.addresses.front(), "--key-file", key_, "--ticks", "5", "--json"});
    EXPECT_EQ(client.wait(), 0) << client.err();
  }

  std::optional<test::Members> members_;
  net::EventLoop events_;
  std::optional<cluster::Etcd> etcd_;
  cluster::Placer placer_{"mobula/"};
  std::string key_;
};

TEST_F(ClusterPrograms, AKilledNodesWorldGoesOnElsewhere) {
  std::map<std::string, Program*> nodes{{"a", &node("a")}, {"b", &node("b")}};
  create("w");
  const WorldRecord first = open_record("w");
  expect_playable(first);
  const fs::path log = saves() / ("w." + std::to_string(first.epoch) + ".db-wal");
  ASSERT_TRUE(wait([&] { return fs::exists(log) && fs::file_size(log) > 0; })) << "a checkpoint";
  nodes.at(first.node)->signal(SIGKILL);
  const WorldRecord second = open_record("w", first.epoch);
  EXPECT_NE(second.node, first.node);
  EXPECT_THAT(nodes.at(second.node)->err(), HasSubstr("start 2 of"));
  EXPECT_THAT(nodes.at(second.node)->err(), HasSubstr("did not end in good order"));
  expect_playable(second);
}

// It wakes up when another node has the world: it must end, and its file is of no use.
TEST_F(ClusterPrograms, APausedNodeEndsWithoutSaving) {
  Program& paused = node("a");
  create("w");
  const WorldRecord first = open_record("w");
  Program& other = node("b");
  paused.signal(SIGSTOP);
  const WorldRecord second = open_record("w", first.epoch);
  EXPECT_EQ(second.node, "b");
  paused.signal(SIGCONT);
  EXPECT_EQ(paused.wait(), 1);
  EXPECT_THAT(paused.err(), HasSubstr("lease lost"));
  EXPECT_THAT(paused.err(), testing::Not(HasSubstr("saved as of tick")));
  expect_playable(second);
  EXPECT_TRUE(other.running());
}

// The level is received before the client joins, and its player waits meanwhile.
TEST_F(ClusterPrograms, APredictingClientReturnsToItsPlayer) {
  Program& server = node("a");
  create("lobby");
  open_record("lobby");
  std::vector<std::string> arguments = as_anna(serve_cluster());
  Program& first = start("mobula-client", arguments);
  const std::string player = session_of_anna(server, "lobby");
  first.signal(SIGKILL);
  first.wait();
  arguments.emplace_back("--predict");
  Program& second = start("mobula-client", arguments);
  ASSERT_TRUE(wait([&] { return server.err().find("logged in again") != std::string::npos; })) << server.err();
  EXPECT_EQ(session_of_anna(server, "lobby"), player) << second.err();
}

// Sends the player of an account to another world, as a backend does.
TEST_F(ClusterPrograms, AClientFollowsItsPlayerToAnotherNode) {
  std::map<std::string, Program*> nodes{{"a", &node("a", {{"--capacity", "worlds=1"}})},
                                        {"b", &node("b", {{"--capacity", "worlds=1"}})}};
  for (const char* world : {"lobby", "arena"}) create(world);
  const std::map<std::string, WorldRecord> worlds{{"lobby", open_record("lobby")}, {"arena", open_record("arena")}};
  Program& cluster =
      start("mobula-cluster", {"serve", "--etcd", members_->urls().front(), "--key-file", key_, "--port", "0"});
  ASSERT_TRUE(cluster.logs("HTTP address ")) << cluster.err();
  const std::string url =
      "http://127.0.0.1:" + std::to_string(number_after(cluster.err(), "HTTP address http://127.0.0.1:"));
  Program& client =
      start("mobula-client", {"--cluster", url, "--world", "lobby", "--account", "anna", "--name", "Anna"});
  const auto session_in = [&](const std::string& world) {
    return session_of_anna(*nodes.at(worlds.at(world).node), world);
  };
  std::string at = "lobby";
  for (const std::string target : {"arena", "lobby", "arena"}) {
    const core::Result<std::string> sent =
        net::http_post(session_in(at) + "/send?world=" + at, R"({"target": ")" + target + "\"}", {});
    ASSERT_TRUE(sent) << sent.error().message;
    at = target;
  }
  session_in(at);
  const std::size_t lines = client.out().size();
  ASSERT_TRUE(wait([&] { return client.out().size() > lines + 200; })) << "it goes on there";
  EXPECT_TRUE(client.logs("the player is in world lobby; joining it")) << client.err();
  client.signal(SIGINT);
  EXPECT_EQ(client.wait(), 0) << client.err();
  EXPECT_THAT(client.out(), HasSubstr("\"mismatched_ticks\":0"));
}

TEST_F(ClusterPrograms, AStoppedNodeGivesItsWorldsAway) {
  Program& stopped = node("a");
  create("w");
  const WorldRecord first = open_record("w");
  node("b");
  stopped.signal(SIGTERM);
  EXPECT_EQ(stopped.wait(), 0) << stopped.err();
  EXPECT_THAT(stopped.err(), HasSubstr("saved as of tick"));
  expect_playable(open_record("w", first.epoch));
}

TEST_F(ClusterPrograms, EachWorldHasPortsOfItsOwn) {
  const std::vector<int> ports = test::free_ports(1);
  node("a", {{"--port", std::to_string(ports.front() - 1)}});
  for (const char* const world : {"v", "w"}) create(world);
  std::vector<std::string> addresses{open_record("v").addresses.front(), open_record("w").addresses.front()};
  std::ranges::sort(addresses);
  const std::string host = "udp://127.0.0.1:";
  EXPECT_EQ(addresses,
            (std::vector<std::string>{host + std::to_string(ports.front() - 1), host + std::to_string(ports.front())}));
}

TEST_F(ClusterPrograms, AWorldThatCannotBeOpenedSaysWhy) {
  node("a");
  write(saves() / "broken.1.db", "no world");
  create("broken");
  WorldRecord record;
  EXPECT_TRUE(wait([&] {
    const auto found = placer_.directory().worlds().find("broken");
    if (found != placer_.directory().worlds().end()) record = found->second.record;
    return !record.trouble.empty();
  }));
  EXPECT_THAT(record.trouble, HasSubstr("broken"));
  EXPECT_EQ(record.failed_on, "a");
  EXPECT_EQ(std::distance(fs::directory_iterator(saves()), {}), 1) << "its copy is removed";
}

// As when all of etcd's data was lost: files have epochs that it does not know.
TEST_F(ClusterPrograms, EpochsGoOnAboveThoseOfFiles) {
  node("a");
  create("w");
  const WorldRecord first = open_record("w");
  const std::string before = saves() / ("w." + std::to_string(first.epoch) + ".db");
  ASSERT_TRUE(wait([&] { return fs::exists(before) && fs::file_size(before) > 0; }));
  const std::uint64_t later = first.epoch + 1'000'000;
  fs::copy_file(before, saves() / ("v." + std::to_string(later) + ".db"));
  create("v");
  const WorldRecord second = open_record("v", first.epoch);
  EXPECT_EQ(second.epoch, later + 1);
  expect_playable(second);
}

// Other programs have the ports of the first world.
TEST_F(ClusterPrograms, APortInUseIsPassedOver) {
  const std::vector<int> ports = test::free_ports(1);
  const std::string port = std::to_string(ports.front() - 1);
  Program& other =
      start("mobula-server", {"--port", port, "--admin-port", "0", "--key-file", key_, "--level", level()});
  ASSERT_TRUE(wait([&] { return other.err().find("listening on udp port") != std::string::npos; })) << other.err();
  node("a", {{"--port", port}});
  create("w");
  EXPECT_EQ(open_record("w").addresses.front(), "udp://127.0.0.1:" + std::to_string(ports.front()));
}

TEST_F(ClusterPrograms, WrongOptionsAreRefused) {
  expect_refusal("mobula-server", options("a", {{"--capacity", "16"}}), "expected worlds=N");
  expect_refusal("mobula-server", options("a", {{"--capacity", "worlds=1025"}}), "N from 1 to 1024");
  expect_refusal("mobula-server", options("a", {{"--node", "a b"}}), "'a b' is no name");
  expect_refusal("mobula-server", options("a", {{"--cluster", "https://etcd"}}), "https://etcd");
  expect_refusal("mobula-server", options("a", {{"--port", "65535"}}), "would have port 65536");
  expect_refusal("mobula-server", options("a", {{"--max-disconnected", "0"}}), "--max-disconnected: allow 1 or more");
  expect_refusal("mobula-server", options("a", {{"--tcp-port", "7800"}, {"--ws-port", "7801"}}), "--ws-port 7801");
  expect_refusal("mobula-server", options("a", {{"--tcp-port", "7800"}, {"--admin-port", "7801"}}),
                 "--admin-port 7801");
  expect_refusal("mobula-server", options("a", {{"--db", "/nowhere/at/all"}}), "make it first");
  expect_refusal("mobula-server", options("a", {{"--level", "/nowhere.level"}}), "--level: ");
  expect_refusal("mobula-server", options("a", {{"--key-file", "/nowhere.key"}}), "--key-file: ");
  expect_refusal(
      "mobula-server",
      options("a", {{"--ws-port", "0"}, {"--certificate", "/nowhere.pem"}, {"--certificate-key", "/nowhere.key"}}),
      "--certificate /nowhere.pem: No such file");
  expect_refusal("mobula-server", options("a", {{"--public-address", "127.0.0.1:7777"}}), "give the host alone");
  expect_refusal("mobula-server", options("a", {{"--ws-port", "0"}, {"--web-port", "0"}}), "--web-port");
  expect_refusal("mobula-server", options("a", {{"--bans", "/nowhere.json"}}), "--bans: the file belongs to one world");
  expect_refusal("mobula-server", {"--cluster", "http://127.0.0.1:1", "--key-file", key_}, "node");
  std::vector<std::string> with_agones = options("a");
  with_agones.emplace_back("--agones");
  expect_refusal("mobula-server", with_agones, "--agones: Agones gives a server one port");
}

}  // namespace
}  // namespace mobula
