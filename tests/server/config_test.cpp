#include <gtest/gtest.h>

#include <algorithm>
#include <mobula/server/config.hpp>
#include <string>
#include <vector>

namespace mobula::server {
namespace {

struct Parsed {
  std::optional<Config> config;
  int status = -1;
  std::string out;
  std::string err;
};

Parsed parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "mobula-server");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  Parsed parsed;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  parsed.config = parse_command_line(static_cast<int>(argv.size()), argv.data(), parsed.status);
  parsed.out = testing::internal::GetCapturedStdout();
  parsed.err = testing::internal::GetCapturedStderr();
  return parsed;
}

TEST(Config, HasDefaults) {
  const Parsed parsed = parse({"--level", "a.level"});
  ASSERT_TRUE(parsed.config);
  EXPECT_EQ(parsed.config->level, "a.level");
  EXPECT_EQ(parsed.config->port, 7777);
  EXPECT_EQ(parsed.config->tick_rate, 20u);
  EXPECT_EQ(parsed.config->ticks, 0u);
  EXPECT_EQ(parsed.config->job, Config::Job::serve);
  EXPECT_EQ(parsed.err, "");
}

TEST(Config, TakesEveryOption) {
  const Parsed parsed = parse({"--level",
                               "a",
                               "--port",
                               "0",
                               "--tick-rate",
                               "60",
                               "--ticks",
                               "5",
                               "--seed",
                               "9",
                               "--max-clients",
                               "3",
                               "--verbose",
                               "--tcp-port",
                               "7",
                               "--ws-port",
                               "0",
                               "--certificate",
                               "c.pem",
                               "--certificate-key",
                               "k.pem",
                               "--public-address",
                               "a:1",
                               "--public-address",
                               "b:2",
                               "--key-file",
                               "shared.key",
                               "--admin-port",
                               "9"});
  ASSERT_TRUE(parsed.config);
  EXPECT_EQ(parsed.config->port, 0);
  EXPECT_EQ(parsed.config->tick_rate, 60u);
  EXPECT_EQ(parsed.config->ticks, 5u);
  EXPECT_EQ(parsed.config->seed, 9u);
  EXPECT_EQ(parsed.config->clients_max, 3u);
  EXPECT_TRUE(parsed.config->verbose);
  EXPECT_EQ(parsed.config->tcp_port, 7);
  EXPECT_EQ(parsed.config->ws_port, 0);
  EXPECT_EQ(parsed.config->certificate, "c.pem");
  EXPECT_EQ(parsed.config->certificate_key, "k.pem");
  EXPECT_EQ(parsed.config->public_addresses, (std::vector<std::string>{"a:1", "b:2"}));
  EXPECT_EQ(parsed.config->key_file, "shared.key");
  EXPECT_EQ(parsed.config->admin_port, 9);
}

TEST(Config, HealthIsAJobOfItsOwn) {
  const Parsed parsed = parse({"health", "--admin", "http://localhost:99"});
  ASSERT_TRUE(parsed.config);
  EXPECT_EQ(parsed.config->job, Config::Job::check_health);
  EXPECT_EQ(parsed.config->health_target, "http://localhost:99");
  EXPECT_EQ(parse({"health"}).config->health_target, "http://127.0.0.1:7780");
}

TEST(Config, HelpIsNoError) {
  const Parsed parsed = parse({"--help"});
  EXPECT_FALSE(parsed.config);
  EXPECT_EQ(parsed.status, 0);
  EXPECT_NE(parsed.out.find("Examples:"), std::string::npos);
  EXPECT_EQ(parsed.err, "");
}

TEST(Config, RefusesWhatIsWrongInOneLine) {
  const std::vector<std::vector<std::string>> wrong = {{"--nonsense"},
                                                       {"--port", "70000"},
                                                       {"--port", "-1"},
                                                       {"--port", "many"},
                                                       {"--tick-rate", "0"},
                                                       {"--tick-rate", "1000"},
                                                       {"--ticks", "-5"},
                                                       {"--seed", "x"},
                                                       {"--max-clients", "0"},
                                                       {"--port"},
                                                       {"stray"},
                                                       {"health", "--port", "1"},
                                                       {"--tcp-port", "many"},
                                                       {"--ws-port", "70000"},
                                                       {"--certificate-key", "k.pem"},
                                                       {"--ws-port", "1", "--certificate", "c.pem"},
                                                       {"--certificate", "c.pem", "--certificate-key", "k.pem"},
                                                       {"--admin-port", "-1"},
                                                       {"--ticks", "99999999999999999999999"}};
  for (const std::vector<std::string>& arguments : wrong) {
    SCOPED_TRACE(arguments.front() + (arguments.size() > 1 ? " " + arguments[1] : ""));
    const Parsed parsed = parse(arguments);
    EXPECT_FALSE(parsed.config);
    EXPECT_EQ(parsed.status, 2);
    EXPECT_EQ(std::count(parsed.err.begin(), parsed.err.end(), '\n'), 1) << parsed.err;
    EXPECT_TRUE(parsed.err.starts_with("mobula-server: ")) << parsed.err;
    EXPECT_EQ(parsed.out, "");
  }
}

}  // namespace
}  // namespace mobula::server
