// The real programs, over real sockets, as people and their scripts start them.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <mobula/core/random.hpp>
#include <mobula/schema/engine.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <server/hamlet.hpp>
#include <sstream>
#include <thread>

namespace mobula {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

// Far more than anything here takes: only a program that hangs sees its end.
constexpr auto patience = std::chrono::seconds(60);

std::string read(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}
void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// A child process with its output in files. It outlives neither this object nor the tests.
class Program {
 public:
  Program(const fs::path& folder, const std::string& name, std::vector<std::string> arguments) {
    static int count = 0;
    const std::string stem = name + "." + std::to_string(++count);
    out_ = folder / (stem + ".out");
    err_ = folder / (stem + ".err");
    arguments.insert(arguments.begin(), std::string(MOBULA_BIN_DIR "/") + name);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // even when the tests crash
    ::dup2(::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    ::dup2(::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~Program() {
    if (status_) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number) const { ::kill(pid_, number); }
  [[nodiscard]] bool running() {
    if (status_) return false;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == 0) return true;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return false;
  }
  // The exit status; 128 + n after signal n.
  int wait() {
    for (const auto end = steady_clock::now() + patience; running();) {
      if (steady_clock::now() > end) {
        ADD_FAILURE() << "does not end: " << err();
        return -1;
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    return *status_;
  }
  // Waits until the log says so.
  bool says(const std::string& text) { return comes_to_say(err_, text); }
  bool prints(const std::string& text) { return comes_to_say(out_, text); }
  [[nodiscard]] std::string out() const { return read(out_); }
  [[nodiscard]] std::string err() const { return read(err_); }

 private:
  bool comes_to_say(const fs::path& where, const std::string& text) {
    for (const auto end = steady_clock::now() + patience; steady_clock::now() < end;) {
      const bool alive = running();
      if (read(where).find(text) != std::string::npos) return true;
      if (!alive) return false;
      std::this_thread::sleep_for(milliseconds(5));
    }
    return false;
  }

  fs::path out_;
  fs::path err_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

std::string last_line(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::vector<std::string> keys_of(const nlohmann::ordered_json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

std::ptrdiff_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

class Programs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::temp_directory_path() / ("mobula_programs." + std::to_string(::getpid()));
    fs::create_directories(folder());
    Program compile(folder(), "mobula-compile", {MOBULA_SOURCE_DIR "/tests/server/levels/hamlet.json", "-o", level()});
    ASSERT_EQ(compile.wait(), 0) << compile.err();
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  static fs::path& folder() {
    static fs::path path;
    return path;
  }
  static std::string level() { return (folder() / "hamlet.level").string(); }

  // A good schema, though not the demo's.
  static std::string engine_schema() {
    const core::ByteView schema = engine::schema_bytes();
    const fs::path file = folder() / "engine.bfbs";
    write(file, std::string(reinterpret_cast<const char*>(schema.data()), schema.size()));
    return file.string();
  }
  // A server on a free port.
  Program& serve(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"--port", "0", "--admin-port", "0"};
    if (std::ranges::find(more, "--level") == more.end()) arguments.insert(arguments.end(), {"--level", level()});
    arguments.insert(arguments.end(), more.begin(), more.end());
    Program& server = start("mobula-server", arguments);
    EXPECT_TRUE(server.says("admin address ")) << server.err();
    const std::string log = server.err();
    port_ = number_after(log, "listening on udp port ");
    tcp_port_ = number_after(log, "listening on tcp port ");
    ws_port_ = number_after(log, "listening on ws port ");
    admin_ = "http://127.0.0.1:" + std::to_string(number_after(log, "admin address http://127.0.0.1:"));
    return server;
  }
  // -1: it is not there.
  static int number_after(const std::string& log, const std::string& marker) {
    const std::size_t place = log.find(marker);
    return place == std::string::npos ? -1 : std::stoi(log.substr(place + marker.size()));
  }
  // How often the log tells of something, lines that it only counts included.
  static std::size_t lines_like(const std::string& log, const std::string& text) {
    std::istringstream stream(log);
    std::size_t count = 0;
    for (std::string line; std::getline(stream, line);) {
      if (line.find(text) == std::string::npos || !line.ends_with('}')) continue;
      const std::string message = nlohmann::json::parse(line)["message"];
      const std::size_t more = message.find(" more like this: ");
      count += more == std::string::npos ? 1 : std::stoul(message.substr(0, more));
    }
    return count;
  }
  // Waits until so many players have.
  static bool have_joined(const Program& server, std::size_t players) {
    for (const auto end = steady_clock::now() + patience; steady_clock::now() < end;) {
      if (lines_like(server.err(), " joined from") == players) return true;
      std::this_thread::sleep_for(milliseconds(10));
    }
    return false;
  }
  static std::string new_key() {
    static int count = 0;
    const std::string path = (folder() / ("key." + std::to_string(++count))).string();
    Program token(folder(), "mobula-token", {"--new-key", path});
    EXPECT_EQ(token.wait(), 0) << token.err();
    return path;
  }
  // How clients get in.
  [[nodiscard]] std::vector<std::string> in(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--connect", address(), "--admin", admin_});
    return more;
  }
  Program& start(const std::string& name, const std::vector<std::string>& arguments) {
    return *programs_.emplace_back(std::make_unique<Program>(folder(), name, arguments));
  }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // Ends with status 2, and says why in one line.
  void expect_refusal(const std::string& name, const std::vector<std::string>& arguments, const std::string& why) {
    SCOPED_TRACE(name + " " + testing::PrintToString(arguments));
    Program& program = start(name, arguments);
    EXPECT_EQ(program.wait(), 2) << program.err();
    const std::string err = program.err();
    EXPECT_EQ(lines(err), 1) << err;
    EXPECT_THAT(err, HasSubstr(why));
    EXPECT_EQ(program.out(), "");
  }

  int port_ = 0;
  int tcp_port_ = 0;
  int ws_port_ = 0;
  std::string admin_;
  std::vector<std::unique_ptr<Program>> programs_;
};

TEST_F(Programs, AClientMirrorsAServerAndEndsWithItsJsonLine) {
  Program& server = serve();
  Program& client = start("mobula-client", in({"--ticks", "30", "--json"}));
  EXPECT_EQ(client.wait(), 0) << client.err() << server.err();
  const auto json = nlohmann::ordered_json::parse(last_line(client.out()));
  EXPECT_THAT(keys_of(json), testing::ElementsAre("ticks", "entities", "verified_ticks", "mismatched_ticks",
                                                  "bytes_received", "state_hash"));
  EXPECT_GE(json["ticks"], 30);
  EXPECT_GE(json["entities"], test::hamlet()->level().num_entities / 2);
  EXPECT_GE(json["verified_ticks"], 1);
  EXPECT_EQ(json["mismatched_ticks"], 0);
  EXPECT_GT(json["bytes_received"], 1000);
  EXPECT_EQ(json["state_hash"].get<std::string>().size(), 16u);
  EXPECT_EQ(client.out(), last_line(client.out()) + "\n") << "with --json there is nothing else";
}

TEST_F(Programs, AClientTellsOncePerSecondHowItGoes) {
  serve();
  Program& client = start("mobula-client", in({"--ticks", "50"}));
  EXPECT_EQ(client.wait(), 0) << client.err();
  EXPECT_THAT(client.out(), HasSubstr("entities"));
  EXPECT_GE(lines(client.out()), 2);
}

TEST_F(Programs, AClientListsEntitiesTheirPropertiesAndOneValue) {
  serve();
  const auto look = [&](std::vector<std::string> arguments) -> Program& {
    arguments = in(arguments);
    return start("mobula-client", arguments);
  };
  Program& entities = look({"--list"});
  ASSERT_EQ(entities.wait(), 0) << entities.err();
  const std::string listed = entities.out();
  EXPECT_THAT(listed, testing::ContainsRegex("^[0-9]+ entities, [0-9]+ kinds of them\n"));
  const std::size_t place = listed.find("Fog (RenderData)");
  ASSERT_NE(place, std::string::npos) << listed;
  const std::size_t line = listed.find('\n', place) + 3;
  const std::string handle = listed.substr(line, listed.find_first_of(" \n", line) - line);

  Program& properties = look({"--list", handle});
  ASSERT_EQ(properties.wait(), 0) << properties.err();
  EXPECT_THAT(properties.out(), HasSubstr("entity " + handle + ": "));
  EXPECT_THAT(properties.out(), testing::ContainsRegex("density +0\\.[0-9]+ +float32, 0 to 1 in steps of 0.01\n"));

  Program& density = look({"--get", handle + "/Fog/density"});
  ASSERT_EQ(density.wait(), 0) << density.err();
  EXPECT_THAT(density.out(), testing::MatchesRegex("0\\.[0-9]+\n")) << "the value and nothing else";
  EXPECT_THAT(properties.out(), HasSubstr(last_line(density.out())));
  EXPECT_EQ(density.err(), "");

  const auto expect_failure = [&](const std::vector<std::string>& arguments, const std::string& why) {
    Program& program = look(arguments);
    EXPECT_EQ(program.wait(), 1) << why;
    EXPECT_THAT(program.err(), HasSubstr(why));
    EXPECT_EQ(lines(program.err()), 1) << program.err();
    EXPECT_EQ(program.out(), "");
  };
  expect_failure({"--get", handle + "/Fogg/density"}, "did you mean 'Fog'?");
  expect_failure({"--get", handle + "/Fog/densty"}, "did you mean 'density'?");
  expect_failure({"--get", "999999.1/Fog/density"}, "this player sees no entity 999999.1");
  expect_failure({"--list", "999999.1"}, "this player sees no entity 999999.1");
}

TEST_F(Programs, BotsJoinWalkAndReport) {
  Program& server = serve();
  const fs::path report = folder() / "bots.json";
  Program& bots = start("mobula-bots", in({"--clients", "5", "--seconds", "2", "--json", report.string()}));
  EXPECT_EQ(bots.wait(), 0) << bots.err() << bots.out() << server.err();
  EXPECT_THAT(bots.out(), HasSubstr("5 of 5"));
  const auto json = nlohmann::ordered_json::parse(read(report));
  EXPECT_EQ(json["clients"], 5);
  EXPECT_EQ(json["joined"], 5);
  EXPECT_EQ(json["mismatches"], 0);
  EXPECT_EQ(json["good"], true);
  EXPECT_GT(json["bytes_in"], 1000);
  EXPECT_GT(json["p50_interval_ms"], 0);
  EXPECT_GT(json["commands"], 4);
  EXPECT_GE(json["samples"].size(), 4u);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_THAT(server.err(), HasSubstr("commands done"));
}

TEST_F(Programs, SomeBotsVerifyAndTheOthersOnlyAcknowledge) {
  serve();
  Program& some = start("mobula-bots", in({"--clients", "5", "--verify", "2", "--seconds", "2"}));
  EXPECT_EQ(some.wait(), 0) << some.err() << some.out();
  EXPECT_THAT(some.out(), HasSubstr("per bot, by 2 of them\n"));
  EXPECT_THAT(some.out(), HasSubstr(" times, 0 mismatches"));
  Program& none = start("mobula-bots", in({"--clients", "3", "--verify", "0", "--seconds", "1"}));
  EXPECT_EQ(none.wait(), 0) << none.err() << none.out();
  EXPECT_THAT(none.out(), HasSubstr("3 of 3"));
  EXPECT_THAT(none.out(), HasSubstr("mirrors verified        0 times"));
}

TEST_F(Programs, BotsComeInStepsChurnAndWriteAReport) {
  serve();
  const fs::path report = folder() / "bots.html";
  Program& bots = start("mobula-bots", in({"--ramp", "2@1s,1s,6@3s", "--behaviour", "wander=1,crowd=1,churn=1",
                                           "--html", report.string(), "--require", "joined>=6"}));
  EXPECT_EQ(bots.wait(), 0) << bots.err() << bots.out();
  EXPECT_THAT(bots.out(), HasSubstr("\n2     2 to 6 "));
  EXPECT_THAT(bots.out(), HasSubstr("met      joined>=6: 6\n"));
  EXPECT_THAT(read(report), HasSubstr("--behaviour wander=1,crowd=1,churn=1"));
}

TEST_F(Programs, BotsSayWhichLimitIsNotMet) {
  serve();
  Program& bots =
      start("mobula-bots",
            in({"--clients", "2", "--seconds", "1", "--require", "p99_interval_ms<=0.5", "--require", "joined==2"}));
  EXPECT_EQ(bots.wait(), 1) << bots.err();
  EXPECT_THAT(bots.out(), HasSubstr("NOT MET  p99_interval_ms<=0.5: "));
  EXPECT_THAT(bots.out(), HasSubstr("met      joined==2: 2\n"));
}

TEST_F(Programs, BotsListWhatCanBeRequired) {
  Program& bots = start("mobula-bots", {"--list-measures"});
  EXPECT_EQ(bots.wait(), 0);
  EXPECT_THAT(bots.out(), HasSubstr("p99_interval_ms "));
}

TEST_F(Programs, AClientTellsOfEventsWhenAsked) {
  serve();
  Program& bots = start("mobula-bots", in({"--clients", "8", "--seconds", "20"}));
  Program& client = start("mobula-client", in({"--events"}));
  EXPECT_TRUE(client.prints("event of tick ")) << client.out();
  client.signal(SIGTERM);
  client.wait();
  EXPECT_THAT(client.out(),
              testing::ContainsRegex("event of tick [0-9]+ about [0-9]+\\.[0-9]+: [0-9]+ bytes [0-9a-f]+\n"));
  bots.signal(SIGTERM);
  bots.wait();
}

TEST_F(Programs, BotsWhoseServerDiesFail) {
  Program& server = serve();
  Program& bots = start("mobula-bots", in({"--clients", "3", "--seconds", "6"}));
  ASSERT_TRUE(have_joined(server, 3)) << server.err();
  std::this_thread::sleep_for(milliseconds(500));
  server.signal(SIGKILL);
  EXPECT_EQ(bots.wait(), 1) << bots.out();
  EXPECT_THAT(bots.out(), HasSubstr("nothing heard for"));
}

TEST_F(Programs, AServerWhoseLogNobodyWatchesWritesJson) {
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

TEST_F(Programs, AServersLogIsTextWhereAskedWithLevelsPerModule) {
  Program& server = serve({"--ticks", "3", "--log-format", "text", "--log-level", "info,demo=off"});
  EXPECT_EQ(server.wait(), 0);
  EXPECT_THAT(server.err(), testing::ContainsRegex("T[0-9:.]+Z info +server +listening on udp port"));
  EXPECT_THAT(server.err(), testing::Not(HasSubstr(" demo ")));
}

TEST_F(Programs, AServerIsToldByItsFileWhatItPrintsAsItsConfiguration) {
  Program& printed = start("mobula-server", {"--ticks", "4", "--port", "0", "--admin-port", "0", "--print-config"});
  EXPECT_EQ(printed.wait(), 0);
  const fs::path file = folder() / "server.toml";
  write(file, printed.out());
  Program& server = start("mobula-server", {"--config", file.string(), "--level", level(), "--tick-rate", "100"});
  EXPECT_EQ(server.wait(), 0) << server.err();
  EXPECT_THAT(server.err(), HasSubstr("4 ticks"));
}

TEST_F(Programs, EveryMistakeOfAConfigurationIsToldAtOnce) {
  const fs::path file = folder() / "wrong.toml";
  write(file, "tick_rate = 1000\nprt = 7\n");
  Program& server = start("mobula-server", {"--config", file.string(), "--port", "x"});
  EXPECT_EQ(server.wait(), 2);
  EXPECT_EQ(server.err(), "mobula-server: " + file.string() + ":1: tick_rate: 1000 is not within 1 to 240\n" +
                              "mobula-server: " + file.string() +
                              ":2: there is no setting 'prt' (did you mean 'port'?)\n" +
                              "mobula-server: --port: 'x' is not a whole number\n");
}

TEST_F(Programs, AServerEndsAfterItsTicks) {
  Program& server = serve({"--ticks", "10", "--tick-rate", "100"});
  EXPECT_EQ(server.wait(), 0) << server.err();
  EXPECT_THAT(server.err(), HasSubstr("10 ticks"));
}

TEST_F(Programs, AServerEndsInGoodOrderWhenAsked) {
  for (const int number : {SIGTERM, SIGINT}) {
    Program& server = serve();
    Program& client = start("mobula-client", in({"--json"}));
    ASSERT_TRUE(server.says("joined")) << server.err();
    server.signal(number);
    EXPECT_EQ(server.wait(), 0) << server.err();
    client.wait();
    EXPECT_THAT(client.err(), HasSubstr("shutting down"));
    EXPECT_EQ(keys_of(nlohmann::ordered_json::parse(last_line(client.out()))).size(), 6u);
  }
}

TEST_F(Programs, AServerThatIsAskedToStopTellsClientsFirstAndASecondSignalForcesIt) {
  Program& server = serve({"--drain-seconds", "600"});
  Program& client = start("mobula-client", in());
  ASSERT_TRUE(server.says("joined")) << server.err();
  server.signal(SIGTERM);
  EXPECT_TRUE(client.says("the server closes in 600 s: the server ends")) << client.err();
  Program& late = start("mobula-client", in());
  EXPECT_EQ(late.wait(), 1);
  EXPECT_THAT(late.err(), HasSubstr("the server lets nobody in any more"));
  EXPECT_TRUE(server.running());
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 128 + SIGTERM);
}

TEST_F(Programs, AClientWhoseServerWasKilledAndStartedAgainComesInAnew) {
  Program& server = serve({"--tcp-port", "0"});
  Program& client =
      start("mobula-client", {"--connect", "tcp:127.0.0.1:" + std::to_string(tcp_port_), "--admin", admin_});
  ASSERT_TRUE(client.prints(" verified, 0 mismatched")) << client.err();
  server.signal(SIGKILL);
  server.wait();
  const std::string admin_port = admin_.substr(admin_.rfind(':') + 1);
  Program& again = start("mobula-server", {"--port", std::to_string(port_), "--tcp-port", std::to_string(tcp_port_),
                                           "--admin-port", admin_port, "--level", level()});
  ASSERT_TRUE(client.says("coming in anew")) << client.err();
  ASSERT_TRUE(again.says("joined")) << again.err();
  client.signal(SIGTERM);
  EXPECT_EQ(client.wait(), 0) << client.err();
  EXPECT_THAT(last_line(client.out()), HasSubstr("\"mismatched_ticks\":0"));
}

TEST_F(Programs, AServerLoadsItsLevelAgainOrKeepsTheOldOne) {
  const std::string good = read(level());
  const std::string mine = (folder() / "reloaded.level").string();
  write(mine, good);
  Program& server = serve({"--level", mine});
  write(mine, good.substr(0, good.size() / 2));
  server.signal(SIGHUP);
  ASSERT_TRUE(server.says("is kept as it was: truncated: ")) << server.err();
  Program& other = start("mobula-compile", {MOBULA_SOURCE_DIR "/server/game/level/village.json", "-o", mine});
  ASSERT_EQ(other.wait(), 0) << other.err();
  server.signal(SIGHUP);
  ASSERT_TRUE(server.says(" reloaded: ")) << server.err();
  Program& client = start("mobula-client", in({"--ticks", "20"}));
  EXPECT_EQ(client.wait(), 0) << client.err();
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
}

TEST_F(Programs, AClientEndsInGoodOrderWhenAsked) {
  Program& server = serve();
  Program& client = start("mobula-client", in());
  ASSERT_TRUE(server.says("joined")) << server.err();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  client.signal(SIGTERM);
  EXPECT_EQ(client.wait(), 0) << client.err();
  EXPECT_TRUE(server.says("left")) << server.err();
}

TEST_F(Programs, HealthIsTheServersToTell) {
  Program& server = serve();
  Program& healthy = start("mobula-server", {"health", "--admin", admin_});
  EXPECT_EQ(healthy.wait(), 0) << healthy.err();
  EXPECT_THAT(healthy.out(), HasSubstr("a server lives"));
  server.signal(SIGTERM);
  server.wait();
  Program& dead = start("mobula-server", {"health", "--admin", admin_});
  EXPECT_EQ(dead.wait(), 1);
  EXPECT_THAT(dead.out(), HasSubstr("no answer"));
}

TEST_F(Programs, APortInUseIsToldInOneLine) {
  serve();
  expect_refusal("mobula-server", {"--level", level(), "--port", std::to_string(port_)}, std::to_string(port_));
}

TEST_F(Programs, AnAdminPortThatOthersReachTakesAToken) {
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
  ASSERT_TRUE(server.says("admin address http://127.0.0.1:")) << server.err();
  const std::string admin =
      "http://127.0.0.1:" + std::to_string(number_after(server.err(), "admin address http://127.0.0.1:"));
  Program& healthy = start("mobula-server", {"health", "--admin", admin});
  EXPECT_EQ(healthy.wait(), 0) << "whether it lives everyone may know";
  Program& client = start("mobula-client", {"--connect", "127.0.0.1:1", "--admin", admin});
  EXPECT_EQ(client.wait(), 1);
  EXPECT_THAT(client.err(), HasSubstr("401"));
  expect_refusal("mobula-server", {"--level", level(), "--admin-address", "localhost"}, "--admin-address");
}

TEST_F(Programs, WrongCommandLinesAreToldInOneLine) {
  expect_refusal("mobula-server", {"--level", "x", "--nonsense"}, "--nonsense");
  for (const char* program : {"mobula-client", "mobula-bots"})
    expect_refusal(program, {"--connect", "127.0.0.1:1", "--level", "x", "--nonsense"}, "--nonsense");
  expect_refusal("mobula-server", {"--port", "notaport"}, "--port");
  expect_refusal("mobula-server", {"--port", "65536"}, "--port");
  expect_refusal("mobula-server", {"--tick-rate", "0"}, "--tick-rate");
  expect_refusal("mobula-client", {}, "--connect");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--ticks", "some"}, "--ticks");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--ticks", "-1"}, "--ticks");
  expect_refusal("mobula-client", {"--connect", "nowhere"}, "nowhere");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:99999"}, "99999");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--schema", "missing.bfbs"}, "missing.bfbs");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--schema", level()}, level());
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--schema", folder().string()}, folder().string());
  expect_refusal("mobula-client", {"--connect", "0.0.0.0:7777"}, "127.0.0.1");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--list", "boar"}, "boar");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--get", "Fog/density"}, "Fog/density");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--get"}, "--get");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--list", "--get", "1.1/Fog"}, "--get");
  expect_refusal("mobula-client", {"--replay", "x.rec", "--connect", "127.0.0.1:1"}, "--connect");
  expect_refusal("mobula-client", {"--connect", "127.0.0.1:1", "--speed", "2"}, "--replay");
  expect_refusal("mobula-client", {"--replay", "x.rec", "--speed", "-1"}, "--speed");
  expect_refusal("mobula-client", {"--replay", "x.rec", "--at", "-1"}, "--at");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--seconds", "nan"}, "--seconds");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--clients", "0"}, "--clients");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--seconds", "-1"}, "--seconds");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--verify", "21"}, "--verify: 21 of 20");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--ramp", "30"}, "--ramp: '30'");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--behaviour", "wnader"}, "did you mean 'wander'?");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--require", "p98_interval_ms<=5"},
                 "did you mean 'p99_interval_ms'?");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--require", "lost=0"}, "expected <=, <, >=, > or ==");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--json", "missing/bots.json"}, "missing/bots.json");
  expect_refusal("mobula-bots", {"--connect", "127.0.0.1:1", "--html", "missing/bots.html"}, "missing/bots.html");
  expect_refusal("mobula-bots", {"--clients", "2"}, "--connect");
}

TEST_F(Programs, HelpShowsExamples) {
  for (const char* name : {"mobula-compile", "mobula-server", "mobula-client", "mobula-bots"}) {
    Program& program = start(name, {"--help"});
    EXPECT_EQ(program.wait(), 0) << name;
    EXPECT_THAT(program.out(), HasSubstr("Examples:")) << name;
    EXPECT_EQ(program.err(), "") << name;
  }
}

TEST_F(Programs, ABadLevelIsToldInOneLine) {
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

  // Good, but not of this game.
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

TEST_F(Programs, AClientOfAnotherSchemaIsRefusedAndBothLogsSayWhy) {
  Program& server = serve();
  Program& client = start("mobula-client", in({"--schema", engine_schema(), "--ticks", "5"}));
  EXPECT_EQ(client.wait(), 1);
  EXPECT_THAT(client.err(), HasSubstr("other schema"));
  EXPECT_TRUE(server.says("other schema")) << server.err();
}

TEST_F(Programs, AClientWithTheRightSchemaIsLetIn) {
  serve();
  const core::ByteView schema = test::game_schema()->bytes();
  const std::string file = (folder() / "components.bfbs").string();
  write(file, std::string(reinterpret_cast<const char*>(schema.data()), schema.size()));
  Program& client = start("mobula-client", in({"--schema", file, "--ticks", "20", "--json"}));
  EXPECT_EQ(client.wait(), 0) << client.err();
}

TEST_F(Programs, AClientWithNobodyToTalkToSaysSo) {
  Program& server = serve();
  server.signal(SIGTERM);
  server.wait();  // now nobody has that port
  // Neither whom to ask for a token …
  Program& stranger = start("mobula-client", in({"--ticks", "5", "--json"}));
  EXPECT_EQ(stranger.wait(), 1);
  EXPECT_THAT(stranger.err(), HasSubstr("no connect token"));
  EXPECT_THAT(stranger.err(), HasSubstr("--key-file"));
  // … nor, for those who need not ask, a server.
  const auto with_key = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--connect", address(), "--key-file", new_key()});
    return more;
  };
  Program& client = start("mobula-client", with_key({"--ticks", "5", "--json"}));
  Program& look = start("mobula-client", with_key({"--list"}));
  Program& bots = start("mobula-bots", with_key({"--clients", "2", "--seconds", "1"}));
  EXPECT_EQ(bots.wait(), 1);
  EXPECT_THAT(bots.out(), HasSubstr("0 of 2"));
  EXPECT_EQ(client.wait(), 1);
  EXPECT_THAT(client.err(), HasSubstr("no answer"));
  EXPECT_EQ(lines(client.err()), 1) << client.err();
  EXPECT_EQ(look.wait(), 1);
  EXPECT_THAT(look.err(), HasSubstr("no answer"));
  EXPECT_EQ(look.out(), "");
  EXPECT_EQ(nlohmann::json::parse(last_line(client.out()))["verified_ticks"], 0);
}

TEST_F(Programs, EveryPipeCarriesTheSameSession) {
  Program& server = serve({"--tcp-port", "0", "--ws-port", "0"});
  const std::map<std::string, int> pipes{{"udp", port_}, {"tcp", tcp_port_}, {"ws", ws_port_}};
  std::vector<Program*> clients;
  for (const auto& [pipe, port] : pipes)
    for (const char* conditions : {"", "latency=40ms jitter=10ms loss=5% dup=1% reorder=2%"})
      clients.push_back(&start("mobula-client", {"--connect", pipe + ":127.0.0.1:" + std::to_string(port), "--admin",
                                                 admin_, "--ticks", "30", "--json", "--simulate", conditions}));
  for (Program* client : clients) {
    EXPECT_EQ(client->wait(), 0) << client->err() << server.err();
    EXPECT_EQ(nlohmann::json::parse(last_line(client->out()))["mismatched_ticks"], 0);
  }
  Program& bots = start("mobula-bots", {"--connect", "tcp:127.0.0.1:" + std::to_string(tcp_port_), "--admin", admin_,
                                        "--clients", "3", "--seconds", "1.5"});
  EXPECT_EQ(bots.wait(), 0) << bots.err() << bots.out();
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  EXPECT_THAT(server.err(), HasSubstr("over websocket: sent"));
}

TEST_F(Programs, WhoHasTheSharedKeyOrATokenMadeWithItGetsInAndNobodyElse) {
  const std::string key = new_key();
  Program& server = serve({"--key-file", key});
  EXPECT_THAT(server.err(), HasSubstr("tokens are the backend's to make"));
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

TEST_F(Programs, AClientKeepsTheLevelInAFolder) {
  serve();
  const fs::path store = folder() / "resources";
  Program& client = start("mobula-client", in({"--ticks", "20", "--json", "--resources", store.string()}));
  EXPECT_EQ(client.wait(), 0) << client.err();
  EXPECT_TRUE(fs::exists(store / (to_string(test::hamlet()->identity()) + ".level")));
}

TEST_F(Programs, ARecordedSessionIsReplayedWithoutAServer) {
  Program& server = serve();
  const std::string recording = (folder() / "walk.rec").string();
  Program& live =
      start("mobula-client",
            in({"--ticks", "30", "--json", "--record", recording, "--resources", (folder() / "untouched").string()}));
  ASSERT_EQ(live.wait(), 0) << live.err();
  EXPECT_FALSE(fs::exists(folder() / "untouched"));
  server.signal(SIGTERM);
  server.wait();

  const auto replay = [&](std::vector<std::string> more, const std::string& file) -> Program& {
    more.insert(more.begin(), {"--replay", file});
    return start("mobula-client", more);
  };
  Program& fast = replay({"--json"}, recording);
  Program& timed = replay({"--speed", "4"}, recording);
  EXPECT_EQ(fast.wait(), 0) << fast.err();
  EXPECT_EQ(fast.out(), live.out()) << "the same world, to the bit";
  EXPECT_EQ(timed.wait(), 0) << timed.err();
  EXPECT_EQ(last_line(timed.out()), last_line(live.out()));
  EXPECT_THAT(timed.out(), HasSubstr(" in the last second, "));
  Program& listed = replay({"--list"}, recording);
  EXPECT_EQ(listed.wait(), 0) << listed.err();
  EXPECT_THAT(listed.out(), HasSubstr("Fog (RenderData)"));

  const std::string bytes = read(recording);
  const std::string part = (folder() / "part.rec").string();
  write(part, bytes.substr(0, bytes.size() - 200));
  Program& cut_off = replay({}, part);
  EXPECT_EQ(cut_off.wait(), 0) << cut_off.err();
  EXPECT_THAT(cut_off.err(), HasSubstr("part.rec is cut off"));
  write(part, bytes.substr(0, 5000) + "?" + bytes.substr(5001));
  Program& damaged = replay({"--json"}, part);
  EXPECT_EQ(damaged.wait(), 1);
  EXPECT_THAT(damaged.err(), HasSubstr("is damaged"));
}

TEST_F(Programs, ASeventeenthClientOfSixteenIsToldThatTheServerIsFull) {
  Program& server = serve({"--max-clients", "16"});
  start("mobula-bots", in({"--clients", "16", "--seconds", "30"}));
  ASSERT_TRUE(have_joined(server, 16)) << server.err();
  Program& client = start("mobula-client", in({"--ticks", "5"}));
  EXPECT_EQ(client.wait(), 1);
  EXPECT_THAT(client.err(), HasSubstr("server full"));
}

TEST_F(Programs, GarbageAtTheServersPortDisturbsNobody) {
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
  EXPECT_THAT(server.err(), testing::ContainsRegex("led to nothing: .*wrong type [1-9][0-9]+"));
}

}  // namespace
}  // namespace mobula
