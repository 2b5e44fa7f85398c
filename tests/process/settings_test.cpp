#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <fstream>
#include <mobula/process/settings.hpp>

namespace mobula::process {
namespace {

using testing::HasSubstr;
using testing::Not;

struct ServedProgram {
  std::uint16_t port = 7777;
  std::uint32_t rate = 20;
  bool quiet = false;
  std::string level = "a.level";
  std::string token = "hidden";
  std::vector<std::string> addresses;
  std::optional<std::uint16_t> tcp_port;
  double share = 0.5;
};

struct Outcome {
  std::optional<int> status;
  ServedProgram program;
  std::string out;
  std::string err;
};

class SettingsTest : public testing::Test {
 protected:
  ~SettingsTest() override { std::filesystem::remove(path_); }

  Outcome read(std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
    Outcome outcome;
    ServedProgram& program = outcome.program;
    Settings settings({{"port", &program.port, "UDP port"},
                       {"tick_rate", &program.rate, "ticks per second", {.least = 1, .most = 240, .group = "World"}},
                       {"quiet", &program.quiet, "write less"},
                       {"level", &program.level, "what to spawn", {.type = "FILE"}},
                       {"token", &program.token, "the secret", {.secret = true}},
                       {"public_address", &program.addresses, "where it is", {.type = "HOST:PORT"}},
                       {"tcp_port", &program.tcp_port, "TCP port", {.needs = {"level"}}},
                       {"share", &program.share, "of all", {.former_key = "part"}}});
    CLI::App app("Does something.", "mobula-thing");
    settings.add_options(app);
    app.add_subcommand("check", "looks");
    arguments.insert(arguments.begin(), "/bin/mobula-thing");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    outcome.status = settings.read(app, static_cast<int>(arguments.size()), pointers(arguments).data(),
                                   pointers(environment).data());
    outcome.out = testing::internal::GetCapturedStdout();
    outcome.err = testing::internal::GetCapturedStderr();
    return outcome;
  }
  std::string file(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }

  std::string path_ = std::filesystem::temp_directory_path() / ("mobula_settings_test." + std::to_string(::getpid()));

 private:
  static std::vector<const char*> pointers(const std::vector<std::string>& texts) {
    std::vector<const char*> all;
    for (const std::string& text : texts) all.push_back(text.c_str());
    all.push_back(nullptr);
    return all;
  }
};

TEST_F(SettingsTest, FlagOverridesVariableFileAndDefault) {
  const std::string path = file("port = 1\ntick_rate = 2\nlevel = 'file'\n");
  const Outcome outcome = read({"--port", "3", "--config", path}, {"MOBULA_PORT=4", "MOBULA_TICK_RATE=5", "PATH=x"});
  EXPECT_EQ(outcome.status, std::nullopt) << outcome.err;
  EXPECT_EQ(outcome.program.port, 3);
  EXPECT_EQ(outcome.program.rate, 5u);
  EXPECT_EQ(outcome.program.level, "file");
  EXPECT_EQ(outcome.program.share, 0.5);
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST_F(SettingsTest, FlagValueIsTheNextArgumentOrAfterEquals) {
  const Outcome outcome = read({"--port=3", "--quiet", "--public-address", "a:1", "--public-address=b:2",
                                "--level=", "--token", "", "--share", "-1.5"});
  EXPECT_EQ(outcome.status, std::nullopt) << outcome.err;
  EXPECT_EQ(outcome.program.port, 3);
  EXPECT_TRUE(outcome.program.quiet);
  EXPECT_EQ(outcome.program.addresses, (std::vector<std::string>{"a:1", "b:2"}));
  EXPECT_EQ(outcome.program.level, "");
  EXPECT_EQ(outcome.program.token, "");
  EXPECT_EQ(outcome.program.share, -1.5);
  EXPECT_FALSE(read({"--quiet=false"}, {"MOBULA_QUIET=1"}).program.quiet);
}

TEST_F(SettingsTest, IgnoresEmptyVariables) {
  const Outcome outcome = read({}, {"MOBULA_PORT=", "MOBULA_LEVEL=", "MOBULA_NONSENSE="});
  EXPECT_EQ(outcome.status, std::nullopt) << outcome.err;
  EXPECT_EQ(outcome.program.level, "a.level");
}

TEST_F(SettingsTest, VariableMayNameTheFile) {
  const Outcome outcome = read({}, {"MOBULA_CONFIG=" + file("port = 9\n"), "MOBULA_PUBLIC_ADDRESS=a:1,b:2"});
  EXPECT_EQ(outcome.status, std::nullopt) << outcome.err;
  EXPECT_EQ(outcome.program.port, 9);
  EXPECT_EQ(outcome.program.addresses.size(), 2u);
}

TEST_F(SettingsTest, ReportsAllErrorsAtOnceAndSetsNothing) {
  const std::string path = file("port = 'x'\ntick_rat = 2\ntick_rate = 500\nshare = 1\n[more]\n");
  const Outcome outcome = read({"--port", "70000", "--tick-rte", "9", "stray", "--config", path, "--level"},
                               {"MOBULA_PRT=1", "MOBULA_QUIET=maybe", "MOBULA_PUBLIC_ADDRESS=a,,"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  const std::string start = "mobula-thing: ";
  EXPECT_EQ(outcome.err,
            start + "--level: its value is missing\n" +                                                       //
                start + path + ":5: tables are not supported: write one key = value per line\n" +             //
                start + path + ":1: port: expected a whole number, not a text\n" +                            //
                start + path + ":2: unknown setting 'tick_rat' (did you mean 'tick_rate'?)\n" +               //
                start + path + ":3: tick_rate: 500 is not within 1 to 240\n" +                                //
                start + "environment variable MOBULA_PRT: unknown setting (did you mean 'MOBULA_PORT'?)\n" +  //
                start + "environment variable MOBULA_PUBLIC_ADDRESS: a list item is empty\n" +                //
                start + "environment variable MOBULA_QUIET: 'maybe' is not true or false\n" +                 //
                start + "--port: 70000 is not within 0 to 65535\n" +                                          //
                start + "--tick-rte: unknown option (did you mean '--tick-rate'?)\n" + start +
                "unexpected argument 'stray' (see --help)\n");
  EXPECT_EQ(outcome.program.share, 0.5);
}

TEST_F(SettingsTest, RefusesAnInvalidValueThatIsOverridden) {
  EXPECT_EQ(read({"--port", "3"}, {"MOBULA_PORT=x"}).status, 2);
  EXPECT_EQ(read({"--port", "3", "--config", file("port = 99999\n")}).status, 2);
}

TEST_F(SettingsTest, RefusesDuplicatesAndMissingNeeds) {
  EXPECT_THAT(read({"--port", "3", "--port", "4"}).err, HasSubstr("--port: given more than once\n"));
  EXPECT_THAT(read({"--config", "x", "--config", "x"}).err, HasSubstr("--config: given more than once\n"));
  EXPECT_THAT(read({"stray"}).err, HasSubstr("unexpected argument 'stray' (see --help)\n"));
  EXPECT_THAT(read({"check", "stray"}).err, HasSubstr("unexpected argument 'stray' (see --help)\n"));
  EXPECT_THAT(read({"--tcp-port", "3"}).err, HasSubstr("--tcp-port: requires --level\n"));
  EXPECT_THAT(read({}, {"MOBULA_TCP_PORT=3"}).err,
              HasSubstr("environment variable MOBULA_TCP_PORT: requires --level\n"));
  EXPECT_EQ(read({"--tcp-port", "3", "--level", "x"}).status, std::nullopt);
}

TEST(SettingsDeathTest, AnUnknownOrDoubleKeyFailsACheck) {
  std::uint32_t value = 1;
  const auto read = [&](std::vector<Setting> rows) {
    Settings settings(std::move(rows));
    CLI::App app("Does something.", "mobula-thing");
    settings.add_options(app);
    const std::array<const char*, 4> arguments{"mobula-thing", "--one", "2", nullptr};
    const char* const nothing = nullptr;
    return settings.read(app, 3, arguments.data(), &nothing);
  };
  EXPECT_DEATH(read({{"one", &value, "x", {.needs = {"nothing"}}}}), "a setting needs an undefined one: nothing");
  EXPECT_DEATH(read({{"one", &value, "x"}, {"one", &value, "y"}}), "a setting is defined twice: one");
  EXPECT_DEATH(read({{"Odd key", &value, "x"}}), "the key 'Odd key' is not of a to z, digits and '_'");
  EXPECT_DEATH(read({{"config", &value, "x"}}), "a setting has the flag of another option: --config");
  EXPECT_DEATH(read({{"help", &value, "x"}}), "a setting has the flag of another option: --help");
}

TEST_F(SettingsTest, FormerKeyIsAcceptedButNotShown) {
  EXPECT_EQ(read({"--part", "0.25"}).program.share, 0.25);
  EXPECT_EQ(read({}, {"MOBULA_PART=0.25"}).program.share, 0.25);
  const std::string path = file("part = 0.25\n");
  EXPECT_EQ(read({"--config", path}).program.share, 0.25);
  EXPECT_EQ(read({"--share", "1", "--config", path}).program.share, 1);
  EXPECT_THAT(read({"--help"}).out, Not(HasSubstr("part")));
  EXPECT_THAT(read({"--part", "1", "--print-config"}).out, HasSubstr("share = 1.0  # --share\n"));

  EXPECT_THAT(read({"--part", "1", "--share", "1"}).err, HasSubstr("--share: given more than once\n"));
  EXPECT_THAT(read({}, {"MOBULA_PART=1", "MOBULA_SHARE=1"}).err, HasSubstr("MOBULA_SHARE: given more than once\n"));
  EXPECT_THAT(read({"--config", file("part = 1\nshare = 1\n")}).err, HasSubstr("share: given more than once\n"));
}

TEST_F(SettingsTest, IgnoresVariablesOfKubernetesServices) {
  const Outcome outcome =
      read({}, {"MOBULA_PORT=udp://10.0.0.1:7777", "MOBULA_SERVICE_HOST=10.0.0.1", "MOBULA_TICK_RATE=60"});
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.program.port, read({}).program.port);
  EXPECT_EQ(outcome.program.rate, 60u);
}

TEST_F(SettingsTest, IgnoresVariablesOfClientLibraries) {
  EXPECT_EQ(read({}, {"MOBULA_CLIENT_LIBRARY=/usr/lib/libmobula-client.so.0"}).err, "");
  EXPECT_THAT(read({}, {"MOBULA_CLIENTS=7"}).err, HasSubstr("environment variable MOBULA_CLIENTS: unknown setting"));
}

TEST_F(SettingsTest, ReportsAMissingFileWithItsPath) {
  const Outcome outcome = read({"--config", "/no/such.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("/no/such.toml: No such file"));
}

TEST_F(SettingsTest, PrintedConfigurationRoundTrips) {
  const std::vector<std::string> given{"--port",           "3",   "--quiet",          "--level", "a \"b\"\n",
                                       "--public-address", "a:1", "--public-address", "b:2"};
  std::vector<std::string> arguments = given;
  arguments.emplace_back("--print-config");
  const Outcome printed = read(arguments, {"MOBULA_TICK_RATE=60", "MOBULA_TOKEN=abcdef"});
  EXPECT_EQ(printed.status, 0);
  EXPECT_THAT(printed.out, HasSubstr("# --- World ---\n\n# ticks per second (1 to 240)\n"
                                     "tick_rate = 60  # environment variable MOBULA_TICK_RATE\n"));
  EXPECT_THAT(printed.out, HasSubstr("share = 0.5  # default\n"));
  EXPECT_THAT(printed.out, HasSubstr("port = 3  # --port\n"));
  EXPECT_THAT(printed.out, HasSubstr("# tcp_port =  # default\n"));
  EXPECT_THAT(printed.out, Not(HasSubstr("abcdef")));

  const Outcome again = read({"--config", file(printed.out)});
  EXPECT_EQ(again.status, std::nullopt) << again.err;
  EXPECT_EQ(again.program.port, 3);
  EXPECT_EQ(again.program.rate, 60u);
  EXPECT_TRUE(again.program.quiet);
  EXPECT_EQ(again.program.level, "a \"b\"\n");
  EXPECT_EQ(again.program.addresses, (std::vector<std::string>{"a:1", "b:2"}));
}

TEST_F(SettingsTest, HelpHasTypeDefaultRangeAndGroup) {
  const Outcome outcome = read({"--help", "--port", "wrong"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("--port N=7777"));
  EXPECT_THAT(outcome.out, HasSubstr("--level FILE=a.level"));
  EXPECT_THAT(outcome.out, HasSubstr("World:\n  --tick-rate N=20"));
  EXPECT_THAT(outcome.out, HasSubstr("ticks per second (1 to 240)"));
  EXPECT_THAT(outcome.out, HasSubstr("--public-address HOST:PORT ..."));
  EXPECT_THAT(outcome.out, Not(HasSubstr("hidden")));
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace mobula::process
