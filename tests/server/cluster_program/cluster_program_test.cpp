// The program itself, with a real etcd.
#include <cluster/cluster_tool.hpp>
#include <mobula/net/http_client.hpp>
#include <mobula/process/key_file.hpp>
#include <mobula/server/cluster/node_thread.hpp>
#include <nlohmann/json.hpp>
#include <server/cluster/etcd_members.hpp>
#include <token/token_json.hpp>

namespace mobula::cluster {
namespace cluster_program_test {

using nlohmann::json;

constexpr const char* program = "mobula-cluster";

// A server process of the cluster, without a game: its worlds are open at once.
class NodeProcess {
 public:
  NodeProcess(const test::Members& members, const std::string& name)
      : node_({.cluster = "c/", .name = name, .offer = {.game = "game", .version = "test", .worlds_max = 4}},
              {.members = members.urls()}),
        thread_([this] {
          while (!stop_) {
            while (const std::optional<NodeTask> task = node_.poll_task()) carry_out(*task);
            std::this_thread::sleep_for(milliseconds(2));
          }
        }) {}
  ~NodeProcess() {
    stop_ = true;
    thread_.join();
  }
  [[nodiscard]] bool serving() const { return node_.serving(); }
  std::atomic<int> closed = 0;

 private:
  void carry_out(const NodeTask& task) {
    if (task.kind == NodeTask::Kind::open)
      return node_.opened(task.world, task.epoch, {"udp:127.0.0.1:7777", "ws:127.0.0.1:7778"});
    if (task.kind != NodeTask::Kind::close) return;
    ++closed;
    node_.closed(task.world, task.epoch);
  }

  NodeThread node_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;  // the last member: it uses the others
};

class ClusterProgram : public testing::Test {
 protected:
  ClusterProgram() { fs::create_directories(folder); }
  ~ClusterProgram() override { fs::remove_all(folder); }

  struct Result {
    int status;
    std::string out;
    std::string err;
  };
  Result run(std::vector<std::string> arguments) const {
    Program ran(folder, program, std::move(arguments));
    const int status = ran.wait();
    return {status, ran.out(), ran.err()};
  }
  // Runs a command on the cluster of the test.
  Result ask(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--etcd", etcd(), "--cluster", "c"});
    return run(std::move(arguments));
  }
  [[nodiscard]] std::string etcd() const { return members ? members->urls().front() : test::url(free_port); }
  template <class Condition>
  static bool wait_until(Condition condition) {
    for (const auto end = steady_clock::now() + patience; steady_clock::now() < end;) {
      if (condition()) return true;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return false;
  }
  std::string make_key(const std::string& name) const {
    EXPECT_TRUE(process::create_key_file((folder / name).string()).ok());
    return (folder / name).string();
  }
  static json opened(const json& answer, const std::string& key_file) {
    const std::string token = answer.at("tokens").at(0);
    const core::SecretKey key = process::load_key_file(key_file)->key;
    const auto read = server::token_json(core::as_bytes(token.data(), token.size()), &key);
    return read ? json::parse(*read) : json(read.error().reason);
  }

  fs::path folder = fs::path(testing::TempDir()) / ("cluster_program." + std::to_string(::getpid()));
  int free_port = test::free_ports(1).front();
  std::optional<test::Members> members;
};

class ClusterProgramWithEtcd : public ClusterProgram {
 protected:
  void SetUp() override {
    if (!fs::exists(test::etcd_program)) GTEST_SKIP() << "needs Debian's etcd-server";
    members.emplace(1);
    node.emplace(*members, "a");
    ASSERT_TRUE(wait_until([&] { return node->serving(); }));
  }
  // Starts the server of HTTP.
  std::unique_ptr<Program> serve(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"serve", "--etcd", etcd(), "--cluster", "c", "--port", "0"});
    auto started = std::make_unique<Program>(folder, program, std::move(arguments));
    EXPECT_TRUE(started->logs("contact with etcd; ")) << started->err();
    const std::string log = started->err();
    const std::string before = "HTTP address http://127.0.0.1:";
    EXPECT_NE(log.find(before), std::string::npos) << log;
    base = "http://127.0.0.1:" + std::to_string(std::stoi(log.substr(log.find(before) + before.size())));
    return started;
  }
  // Returns the body of the answer, or the error's message.
  std::string get(const std::string& path) const {
    const core::Result<std::string> answer = net::http_get(base + path);
    return answer ? *answer : answer.error().message;
  }
  std::string post(const std::string& path, const std::string& body) const {
    const core::Result<std::string> answer = net::http_post(base + path, body);
    return answer ? *answer : answer.error().message;
  }

  std::optional<NodeProcess> node;
  std::string base;
};

TEST_F(ClusterProgramWithEtcd, CommandsPlaceResolveAndDrain) {
  const Result placed = ask({"place", "w", "--game", "game"});
  ASSERT_EQ(placed.status, 0) << placed.err;
  EXPECT_EQ(json::parse(placed.out)["node"], "a");
  ASSERT_TRUE(wait_until([&] { return json::parse(ask({"resolve", "w"}).out)["state"] == "open"; }));
  const json world = json::parse(ask({"resolve", "w"}).out);
  EXPECT_EQ(world["addresses"], json::parse(R"(["udp:127.0.0.1:7777", "ws:127.0.0.1:7778"])"));
  const Result listed = ask({"list"});
  EXPECT_EQ(std::ranges::count(listed.out, '\n'), 1) << "one line";
  EXPECT_EQ(json::parse(listed.out)["nodes"][0]["version"], "test");
  EXPECT_EQ(json::parse(listed.out)["worlds"][0], world);
  const Result drained = ask({"drain", "a"});
  ASSERT_EQ(drained.status, 0) << drained.err;
  EXPECT_EQ(drained.out, "{\"node\":\"a\",\"draining\":true}\n");
  ASSERT_TRUE(wait_until([&] { return node->closed == 1; }));
  ASSERT_TRUE(wait_until([&] { return json::parse(ask({"resolve", "w"}).out)["state"] == "waiting"; }));
  EXPECT_TRUE(node->serving()) << "its lease was kept";
  EXPECT_EQ(json::parse(ask({"list"}).out)["nodes"][0]["draining"], true);
}

TEST_F(ClusterProgramWithEtcd, ATokenOpensWithItsKeyAlone) {
  const std::string key = make_key("a.key");
  ASSERT_EQ(ask({"place", "w", "--game", "game"}).status, 0);
  ASSERT_TRUE(wait_until([&] { return json::parse(ask({"resolve", "w"}).out)["state"] == "open"; }));
  const Result minted = ask({"token", "w", "anna", "--key-file", key});
  ASSERT_EQ(minted.status, 0) << minted.err;
  const json answer = json::parse(minted.out);
  EXPECT_EQ(answer["ws"], "ws://127.0.0.1:7778");
  EXPECT_EQ(opened(answer, key)["private"]["user_data"], "anna");
  EXPECT_EQ(opened(answer, key)["private"]["servers"], json::parse(R"(["127.0.0.1:7777", "127.0.0.1:7778"])"));
  EXPECT_EQ(opened(answer, make_key("b.key")), "wrong key");
}

TEST_F(ClusterProgramWithEtcd, CommandsNameWhatIsNotPossible) {
  ASSERT_EQ(ask({"place", "w", "--game", "another"}).status, 0) << "it waits, as no node has this game";
  const std::string key = make_key("a.key");
  write(folder / "bad.key", "secret");
  const std::pair<std::vector<std::string>, std::string> commands[] = {
      {{"place", "w", "--game", "game"}, "name taken: there already is a world \"w\""},
      {{"resolve", "v"}, "no such world: there is no world 'v'"},
      {{"drain", "b"}, "no such node: there is no node 'b'"},
      {{"token", "w", "anna", "--key-file", key}, "not open: world 'w' is waiting, not open; try again later"},
      {{"token", "v", "anna", "--key-file", key}, "no such world: there is no world 'v'"},
      {{"token", "w", "anna", "--key-file", (folder / "bad.key").string()},
       "malformed: " + (folder / "bad.key").string() +
           ": not a key: expected 64 hex digits (mobula-token --new-key creates one)"},
  };
  for (const auto& [arguments, error] : commands) {
    const Result refused = ask(arguments);
    EXPECT_EQ(refused.status, 1) << error;
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(refused.err, "mobula-cluster: " + error + "\n");
  }
}

TEST_F(ClusterProgramWithEtcd, ABackendPutsAPlayerIntoAWorld) {
  const std::string key = make_key("a.key");
  const std::unique_ptr<Program> server = serve({"--key-file", key});
  const std::string order = R"({"world": "w", "account": "anna", "create": true, "game": "game"})";
  std::string answer;
  ASSERT_TRUE(wait_until([&] {
    answer = post("/tokens", order);
    return answer.starts_with('{');
  })) << answer;
  EXPECT_EQ(opened(json::parse(answer), key)["private"]["user_data"], "anna");
  EXPECT_EQ(json::parse(get("/worlds/w"))["state"], "open");
  EXPECT_NE(post("/worlds", R"({"world": "w", "game": "game"})").find("409 there already is a world"),
            std::string::npos);
  EXPECT_EQ(json::parse(get("/health"))["status"], "ok");
  EXPECT_NE(get("/metrics").find("mobula_cluster_placements_total 1\n"), std::string::npos);
  EXPECT_EQ(json::parse(post("/nodes/a/drain", ""))["draining"], true);
  ASSERT_TRUE(wait_until([&] { return node->closed == 1; }));
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(), 0) << server->err();
}

TEST_F(ClusterProgramWithEtcd, AServerOutlivesItsCoordinator) {
  const std::unique_ptr<Program> server = serve();
  members->kill(0);
  ASSERT_TRUE(wait_until([&] { return get("/health").find("503") != std::string::npos; }));
  const std::string refused = post("/worlds", R"({"world": "w", "game": "game"})");
  EXPECT_NE(refused.find("no contact with etcd at " + etcd()), std::string::npos) << refused;
  EXPECT_TRUE(server->logs("no contact with etcd at " + etcd()));
  members->start(0);
  ASSERT_TRUE(wait_until([&] { return get("/health").find("ok") != std::string::npos; }));
  EXPECT_EQ(json::parse(post("/worlds", R"({"world": "w", "game": "game"})"))["name"], "w");
}

TEST_F(ClusterProgramWithEtcd, TwoServersMayRun) {
  const std::unique_ptr<Program> first = serve();
  const std::string other = base;
  const std::unique_ptr<Program> second = serve();
  for (int i = 0; i < 4; ++i) {
    const json made = json::parse(post("/worlds", R"({"world": "w)" + std::to_string(i) + R"(", "game": "game"})"));
    EXPECT_EQ(made["node"], "a");
    std::swap(base, const_cast<std::string&>(other));
  }
  EXPECT_EQ(json::parse(get("/worlds"))["worlds"].size(), 4u);
}

TEST_F(ClusterProgramWithEtcd, ABearerTokenProtectsTheServer) {
  write(folder / "bearer", "a-long-bearer-token\n");
  const std::unique_ptr<Program> server = serve({"--admin-token-file", (folder / "bearer").string()});
  EXPECT_NE(get("/nodes").find("401"), std::string::npos);
  const auto answer = net::http_get(base + "/nodes", {.bearer = "a-long-bearer-token"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(json::parse(*answer)["nodes"].size(), 1u);
  EXPECT_EQ(json::parse(get("/health"))["status"], "ok") << "for probes";
}

TEST_F(ClusterProgram, AnUnreachableEtcdIsNamedInTime) {
  std::vector<std::unique_ptr<Program>> started;
  const auto begin = steady_clock::now();
  for (std::vector<std::string> arguments :
       {std::vector<std::string>{"list"}, {"resolve", "w"}, {"drain", "a"}, {"place", "w", "--game", "game"}}) {
    arguments.insert(arguments.end(), {"--etcd", etcd()});
    started.push_back(std::make_unique<Program>(folder, program, std::move(arguments)));
  }
  for (const std::unique_ptr<Program>& each : started) {
    EXPECT_EQ(each->wait(), 1);
    const std::string err = each->err();
    EXPECT_TRUE(err.starts_with("mobula-cluster: unreachable: no contact with etcd at " + etcd())) << err;
  }
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(10)) << "4 s and the start of four programs";
}

TEST_F(ClusterProgram, AServerNeedsABearerTokenForOtherMachines) {
  const Result refused = run({"serve", "--etcd", etcd(), "--address", "0.0.0.0", "--port", "0"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("no token: --admin-token-file: 0.0.0.0:0 can be reached from other machines"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(run({"serve", "--etcd", etcd(), "--address", "localhost"}).status, 1);
}

// Runs the program in this process, up to its command line.
int status_of(std::vector<std::string> arguments, std::string& err) {
  arguments.insert(arguments.begin(), "/somewhere/mobula-cluster");
  std::vector<char*> argv;
  for (std::string& each : arguments) argv.push_back(each.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run_cluster_tool(static_cast<int>(argv.size()), argv.data());
  (void)testing::internal::GetCapturedStdout();
  err = testing::internal::GetCapturedStderr();
  return status;
}

TEST(ClusterTool, RefusesWrongCommandLines) {
  const std::string etcd = "http://127.0.0.1:2379";
  const std::vector<std::string> lines[] = {
      {},
      {"nonsense"},
      {"list"},
      {"list", "--etcd", "127.0.0.1:2379"},
      {"list", "--etcd", etcd, "--cluster", "a/b"},
      {"list", "--etcd", etcd, "more"},
      {"place", "w", "--etcd", etcd},
      {"place", "a/b", "--game", "game", "--etcd", etcd},
      {"place", "w", "--game", "a b", "--etcd", etcd},
      {"drain", "--etcd", etcd},
      {"drain", "a/b", "--etcd", etcd},
      {"resolve", "--etcd", etcd},
      {"token", "w", "--key-file", "k", "--etcd", etcd},
      {"token", "w", "anna", "--etcd", etcd},
      {"token", "w", std::string(257, 'a'), "--key-file", "k", "--etcd", etcd},
      {"serve", "--etcd", etcd, "--port", "65536"},
      {"serve", "--etcd", etcd, "--prot", "1"},
  };
  for (const std::vector<std::string>& line : lines) {
    std::string err;
    EXPECT_EQ(status_of(line, err), 2) << testing::PrintToString(line);
    EXPECT_TRUE(err.starts_with("mobula-cluster: ")) << err;
    EXPECT_NE(err.find("(see --help)"), std::string::npos) << err;
  }
}

TEST(ClusterTool, HelpsWithExamples) {
  std::string err;
  EXPECT_EQ(status_of({"--help"}, err), 0);
  for (const char* command : {"serve", "list", "place", "drain", "resolve", "token"})
    EXPECT_EQ(status_of({command, "--help"}, err), 0) << command;
}

}  // namespace cluster_program_test
}  // namespace mobula::cluster
