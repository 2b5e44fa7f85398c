// Tests of mobula-server and mobula-token as programs.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <client/programs.hpp>
#include <mobula/core/random.hpp>
#include <process/unread_pipe.hpp>

namespace mobula {
namespace {

TEST_F(ServerPrograms, AServerLogsJsonIfItsOutputIsNoTerminal) {
  Program& server = serve();
  Program& client = start("mobula-client", in({"--ticks", "5", "--json", "--name", "Anna \"the\" first"}));
  EXPECT_EQ(client.wait(), 0) << client.err();
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  std::istringstream log(server.err());
  bool joined = false;
  for (std::string line; std::getline(log, line);) {
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << line;
    const std::vector<std::string> keys = keys_of(json);
    ASSERT_GE(keys.size(), 4u) << line;
    EXPECT_EQ((std::vector<std::string>{keys.begin(), keys.begin() + 4}),
              (std::vector<std::string>{"time", "level", "module", "message"}));
    if (json["message"].get<std::string>().find("\"Anna \"the\" first\" joined from") == std::string::npos) continue;
    joined = true;
    EXPECT_GE(json["tick"], 1);
    EXPECT_EQ(json["session"], 1);
    EXPECT_THAT(json.value("entity", ""), testing::MatchesRegex("[0-9]+\\.[0-9]+"));
  }
  EXPECT_TRUE(joined) << server.err();
}

TEST_F(ServerPrograms, AServerLogsTextWithLevelsPerModuleOnRequest) {
  Program& server = serve({"--ticks", "3", "--log-format", "text", "--log-level", "info,demo=off"});
  EXPECT_EQ(server.wait(), 0);
  EXPECT_THAT(server.err(), testing::ContainsRegex("T[0-9:.]+Z info +server +listening on udp port"));
  EXPECT_THAT(server.err(), testing::Not(HasSubstr(" demo ")));
}

TEST_F(ServerPrograms, AServerReadsTheConfigurationThatItPrinted) {
  Program& printed = start("mobula-server", {"--ticks", "4", "--port", "0", "--admin-port", "0", "--print-config"});
  EXPECT_EQ(printed.wait(), 0);
  const fs::path file = folder() / "server.toml";
  write(file, printed.out());
  Program& server = start("mobula-server", {"--config", file.string(), "--level", level(), "--tick-rate", "100"});
  EXPECT_EQ(server.wait(), 0) << server.err();
  EXPECT_THAT(server.err(), HasSubstr("4 ticks"));
}

TEST_F(ServerPrograms, AllMistakesOfAConfigurationAreReported) {
  const fs::path file = folder() / "wrong.toml";
  write(file, "tick_rate = 1000\nprt = 7\n");
  Program& server = start("mobula-server", {"--config", file.string(), "--port", "x"});
  EXPECT_EQ(server.wait(), 2);
  EXPECT_EQ(server.err(), "mobula-server: " + file.string() + ":1: tick_rate: 1000 is not within 1 to 240\n" +
                              "mobula-server: " + file.string() + ":2: unknown setting 'prt' (did you mean 'port'?)\n" +
                              "mobula-server: --port: 'x' is not a whole number\n");
}

TEST_F(ServerPrograms, AServerEndsAfterItsTicks) {
  Program& server = serve({"--ticks", "10", "--tick-rate", "100"});
  EXPECT_EQ(server.wait(), 0) << server.err();
  EXPECT_THAT(server.err(), HasSubstr("10 ticks"));
}

TEST_F(ServerPrograms, AServerWhoseLogIsNotReadTicksAndEnds) {
  const test::UnreadPipe unread;
  Program server(folder(), "mobula-server",
                 {"--port", "0", "--admin-port", "0", "--level", level(), "--ticks", "50", "--tick-rate", "100"},
                 unread.writer());
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(ServerPrograms, AServerWhoseLogCannotBeWrittenEndsWell) {
  test::UnreadPipe without_reader;
  without_reader.close_reader();
  const int full_disk = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  for (const int err : {without_reader.writer(), full_disk}) {
    Program server(folder(), "mobula-server",
                   {"--port", "0", "--admin-port", "0", "--level", level(), "--ticks", "10", "--tick-rate", "100"},
                   err);
    EXPECT_EQ(server.wait(), 0);
  }
  ::close(full_disk);
}

TEST_F(ServerPrograms, AServerShutsDownOnASignal) {
  for (const int number : {SIGTERM, SIGINT}) {
    Program& server = serve();
    Program& client = start("mobula-client", in({"--json"}));
    ASSERT_TRUE(server.logs("joined")) << server.err();
    server.signal(number);
    EXPECT_EQ(server.wait(), 0) << server.err();
    client.wait();
    EXPECT_THAT(client.err(), HasSubstr("shutting down"));
    EXPECT_EQ(keys_of(nlohmann::ordered_json::parse(last_line(client.out()))).size(), 6u);
  }
}

TEST_F(ServerPrograms, AServerFailsIfItsWorldsFileWasMoved) {
  const fs::path world = folder() / "gone.db";
  Program& server = serve({"--db", world.string()});
  fs::rename(world, folder() / "elsewhere.db");
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 1);
  EXPECT_THAT(server.err(), HasSubstr("the last save failed: moved: " + world.string()));
}

TEST_F(ServerPrograms, AServerDrainsOnASignalUntilASecondInterrupt) {
  Program& server = serve({"--drain-seconds", "600"});
  Program& client = start("mobula-client", in());
  ASSERT_TRUE(server.logs("joined")) << server.err();
  server.signal(SIGTERM);
  EXPECT_TRUE(client.logs("the server closes in 600 s: the server is shutting down")) << client.err();
  Program& late = start("mobula-client", in());
  EXPECT_EQ(late.wait(), 1);
  EXPECT_THAT(late.err(), HasSubstr("the server is closing and admits no new clients"));
  server.signal(SIGTERM);
  std::this_thread::sleep_for(milliseconds(1100));
  EXPECT_TRUE(server.running()) << "a repeated SIGTERM changes nothing";
  server.signal(SIGINT);
  std::this_thread::sleep_for(milliseconds(1100));
  EXPECT_TRUE(server.running()) << "the first Ctrl-C changes nothing after a SIGTERM";
  server.signal(SIGINT);
  EXPECT_EQ(server.wait(), 128 + SIGINT);
  EXPECT_THAT(server.err(), HasSubstr("ended at once by a second Ctrl-C"));
}

// The start takes long, because its level is large.
TEST_F(ServerPrograms, SignalsDuringTheStartWait) {
  const std::string json = (folder() / "large.json").string();
  const std::string large = (folder() / "large.level").string();
  const std::string db = (folder() / "start.db").string();
  write(json, "{\"include\": [\"" + std::string(MOBULA_SOURCE_DIR) + "/server/examples/demo/level/prefabs.json\"]," +
                  R"("placements": [{"name": "many", "prefab": "crate",
                                     "scatter": {"count": 30000, "seed": 1, "area": [0, 0, 99, 99]}}]})");
  Program& compile = start("mobula-compile", {json, "-o", large});
  ASSERT_EQ(compile.wait(), 0) << compile.err();
  for (const int number : {SIGTERM, SIGINT}) {
    Program& server = start("mobula-server", {"--level", large, "--port", "0", "--admin-port", "0", "--db", db});
    ASSERT_TRUE(server.logs("the world is kept")) << server.err();
    server.signal(number);
    EXPECT_EQ(server.wait(), 0) << server.err();
    EXPECT_THAT(server.err(), HasSubstr("stopped by a signal before the first tick"));
  }
  Program& server = start("mobula-server", {"--level", large, "--port", "0", "--admin-port", "0", "--db", db});
  ASSERT_TRUE(server.logs("the world is kept")) << server.err();
  server.signal(SIGHUP);
  EXPECT_TRUE(server.logs("level")) << server.err();
  EXPECT_THAT(server.err(), HasSubstr("start 1 of")) << "a start without a tick uses up none";
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0) << server.err();
}

TEST_F(ServerPrograms, AServerReloadsItsLevelOrKeepsTheOldOne) {
  const std::string good = read(level());
  const std::string mine = (folder() / "reloaded.level").string();
  write(mine, good);
  Program& server = serve({"--level", mine});
  write(mine, good.substr(0, good.size() / 2));
  server.signal(SIGHUP);
  ASSERT_TRUE(server.logs("not reloaded: truncated: ")) << server.err();
  Program& other = start("mobula-compile", {MOBULA_SOURCE_DIR "/server/examples/demo/level/village.json", "-o", mine});
  ASSERT_EQ(other.wait(), 0) << other.err();
  server.signal(SIGHUP);
  ASSERT_TRUE(server.logs(" reloaded: ")) << server.err();
  Program& client = start("mobula-client", in({"--ticks", "20"}));
  EXPECT_EQ(client.wait(), 0) << client.err();
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(ServerPrograms, HealthReportsWhetherAServerAnswers) {
  Program& server = serve();
  Program& healthy = start("mobula-server", {"health", "--admin", admin_});
  EXPECT_EQ(healthy.wait(), 0) << healthy.err();
  EXPECT_THAT(healthy.out(), HasSubstr("a server answers"));
  Program& slashed = start("mobula-server", {"health", "--admin", admin_ + "/"});
  EXPECT_EQ(slashed.wait(), 0) << slashed.out();
  server.signal(SIGTERM);
  server.wait();
  Program& dead = start("mobula-server", {"health", "--admin", admin_});
  EXPECT_EQ(dead.wait(), 1);
  EXPECT_THAT(dead.out(), HasSubstr("no answer"));
}

TEST_F(ServerPrograms, APortInUseIsReportedInOneLine) {
  serve();
  expect_refusal("mobula-server", {"--level", level(), "--port", std::to_string(port_)}, std::to_string(port_));
}

TEST_F(ServerPrograms, AnAdminPortOpenToOtherMachinesNeedsAToken) {
  const std::vector<std::string> beyond{"--level",      level(), "--port",          "0",
                                        "--admin-port", "0",     "--admin-address", "0.0.0.0"};
  expect_refusal("mobula-server", beyond, "--admin-token-file");
  std::vector<std::string> with = beyond;
  with.insert(with.end(), {"--admin-token-file", "missing.token"});
  expect_refusal("mobula-server", with, "missing.token");
  const fs::path token = folder() / "bearer.token";
  write(token, "short\n");
  with.back() = token.string();
  expect_refusal("mobula-server", with, "openssl rand -hex 32");
  write(token, "0123456789abcdef\n");
  Program& server = start("mobula-server", with);
  ASSERT_TRUE(server.logs("admin address http://127.0.0.1:")) << server.err();
  const std::string admin =
      "http://127.0.0.1:" + std::to_string(number_after(server.err(), "admin address http://127.0.0.1:"));
  Program& healthy = start("mobula-server", {"health", "--admin", admin});
  EXPECT_EQ(healthy.wait(), 0) << "health needs no token";
  Program& client = start("mobula-client", {"--connect", "127.0.0.1:1", "--admin", admin});
  EXPECT_EQ(client.wait(), 1);
  EXPECT_THAT(client.err(), HasSubstr("401"));
  expect_refusal("mobula-server", {"--level", level(), "--admin-address", "localhost"}, "--admin-address");
  expect_refusal("mobula-server", {"--level", level(), "--admin-address", "fe80::1%eth0"}, "link-local addresses");
}

TEST_F(ServerPrograms, ABadLevelIsReportedInOneLine) {
  const std::string good = read(level());
  const std::string bad = (folder() / "bad.level").string();
  const auto expect_refused = [&](const std::string& bytes) {
    write(bad, bytes);
    expect_refusal("mobula-server", {"--level", bad, "--port", "0"}, "bad.level");
  };
  expect_refusal("mobula-server", {"--level", "missing.level", "--port", "0"}, "missing.level");
  expect_refusal("mobula-server", {"--level", folder().string(), "--port", "0"}, folder().string());
  expect_refused("");
  expect_refused("PNG, or whatever it may be");
  expect_refused(good.substr(0, good.size() / 2));
  expect_refused(good.substr(0, 20));

  // A valid level, but not of this game.
  write(folder() / "empty.json", "{}");
  Program& compile =
      start("mobula-compile", {(folder() / "empty.json").string(), "-o", bad, "--schema", engine_schema()});
  ASSERT_EQ(compile.wait(), 0) << compile.err();
  expect_refusal("mobula-server", {"--level", bad, "--port", "0"}, "spawnable prefab \"avatar\"");

  core::Random random(8);
  for (int i = 0; i < 8; ++i) {
    std::string flipped = good;
    flipped[random.below(static_cast<std::uint32_t>(good.size()))] ^= static_cast<char>(1 << random.below(8));
    expect_refused(flipped);
  }
}

TEST_F(ServerPrograms, ClientsNeedTheSharedKeyOrATokenMadeWithIt) {
  const std::string key = new_key();
  Program& server = serve({"--key-file", key});
  EXPECT_THAT(server.err(), HasSubstr("connect tokens come from the backend"));
  Program& by_key = start("mobula-client", {"--connect", address(), "--key-file", key, "--ticks", "10", "--json"});
  EXPECT_EQ(by_key.wait(), 0) << by_key.err();

  const std::string token = (folder() / "one.token").string();
  Program& minted = start("mobula-token", {"--key-file", key, "--server", address(), "--client-id", "7", "-o", token});
  ASSERT_EQ(minted.wait(), 0) << minted.err();
  Program& by_token = start("mobula-client", {"--connect", address(), "--token", token, "--ticks", "10", "--json"});
  EXPECT_EQ(by_token.wait(), 0) << by_token.err();

  Program& asks = start("mobula-client", in({"--json"}));
  EXPECT_EQ(asks.wait(), 1);
  EXPECT_THAT(asks.err(), HasSubstr("no connect token"));
  Program& other_key = start("mobula-client", {"--connect", address(), "--key-file", new_key(), "--json"});
  EXPECT_EQ(other_key.wait(), 1);
  EXPECT_THAT(other_key.err(), HasSubstr("no answer"));
}

TEST_F(ServerPrograms, AClientBeyondTheMaximumIsRefused) {
  Program& server = serve({"--max-clients", "16"});
  start("mobula-bots", in({"--clients", "16", "--seconds", "30"}));
  ASSERT_TRUE(have_joined(server, 16)) << server.err();
  Program& client = start("mobula-client", in({"--ticks", "5"}));
  EXPECT_EQ(client.wait(), 1);
  EXPECT_THAT(client.err(), HasSubstr("server full"));
}

TEST_F(ServerPrograms, GarbageAtTheServersPortDisturbsNoClient) {
  Program& server = serve();
  Program& client = start("mobula-client", in({"--ticks", "60", "--json"}));
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  ASSERT_GE(socket, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port_));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  core::Random random(6);
  std::vector<char> garbage(1400);
  int sent = 0;
  while (client.running()) {
    for (char& byte : garbage) byte = static_cast<char>(random.next());
    if (random.chance(1, 2)) garbage[0] = static_cast<char>(random.below(9));  // a kind that exists
    const ssize_t size =
        ::sendto(socket, garbage.data(), random.below(1400), 0, reinterpret_cast<const sockaddr*>(&to), sizeof(to));
    sent += size >= 0 ? 1 : 0;
    std::this_thread::sleep_for(milliseconds(1));
  }
  ::close(socket);
  EXPECT_EQ(client.wait(), 0) << client.err();
  EXPECT_EQ(nlohmann::json::parse(last_line(client.out()))["mismatched_ticks"], 0);
  EXPECT_GT(sent, 100);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0) << server.err();
  EXPECT_THAT(server.err(), testing::ContainsRegex("datagrams dropped: .*wrong type [1-9][0-9]+"));
}

}  // namespace
}  // namespace mobula
