#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mobula/server/host/config.hpp>
#include <mobula/server/session/server.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace mobula::server {
namespace {

struct Parsed {
  std::optional<HostConfig> config;
  int status = -1;
  std::string out;
  std::string err;
};

// Splits at blanks.
std::vector<std::string> split_words(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

Parsed parse(std::vector<std::string> arguments, std::vector<std::string> variables = {},
             std::vector<process::Setting> of_game = {}) {
  arguments.insert(arguments.begin(), "mobula-server");
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  std::vector<const char*> environment;
  for (const std::string& variable : variables) environment.push_back(variable.c_str());
  environment.push_back(nullptr);
  Parsed parsed;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  parsed.config = parse_command_line(static_cast<int>(argv.size()), argv.data(), environment.data(), parsed.status,
                                     std::move(of_game));
  parsed.out = testing::internal::GetCapturedStdout();
  parsed.err = testing::internal::GetCapturedStderr();
  return parsed;
}

TEST(HostConfig, HasDefaults) {
  const Parsed parsed = parse({"--level", "a.level"});
  ASSERT_TRUE(parsed.config);
  EXPECT_EQ(parsed.config->level, "a.level");
  EXPECT_EQ(parsed.config->port, 7777);
  EXPECT_EQ(parsed.config->tick_rate, 20u);
  EXPECT_EQ(parsed.config->ticks, 0u);
  EXPECT_EQ(parsed.config->job, HostConfig::Job::serve);
  EXPECT_EQ(parsed.err, "");
}

TEST(HostConfig, APageIsOffAndOfThisMachineByDefault) {
  const Parsed none = parse({});
  ASSERT_TRUE(none.config);
  EXPECT_FALSE(none.config->web_port);
  EXPECT_EQ(none.config->web_address, "127.0.0.1");
  EXPECT_EQ(none.config->web_tokens, "auto");
  const Parsed page =
      parse(split_words("--ws-port 7778 --web-port 8080 --web-address 0.0.0.0 --web-root site --web-tokens guests"));
  ASSERT_TRUE(page.config) << page.err;
  EXPECT_EQ(page.config->web_port, 8080);
  EXPECT_EQ(page.config->web_root, "site");
  EXPECT_EQ(http_url("0.0.0.0", 8080), "http://127.0.0.1:8080");
  EXPECT_EQ(http_url("::1", 8080), "http://[::1]:8080");
  for (const auto& [line, error] :
       {std::pair("--web-port 8080", "--web-port: requires --ws-port"),
        std::pair("--web-tokens all", "--web-tokens: 'all' is not one of auto, guests, none"),
        std::pair("--web-address localhost", "--web-address: 'localhost' is not an IP address")})
    EXPECT_NE(parse(split_words(line)).err.find(error), std::string::npos) << parse(split_words(line)).err;
}

TEST(HostConfig, TakesEveryOption) {
  const Parsed parsed = parse(split_words(
      "--level a --port 0 --tick-rate 60 --ticks 5 --seed 9 --max-clients 3 --log-level warn,net=debug "
      "--log-format json --max-disconnected 5 --rejoin-grace-seconds 6 --entities-max 4096 --history-bytes "
      "65536 --max-delta-bytes 2000 --verify-one-in 0 --tcp-port 7 --ws-port 0 --certificate c.pem "
      "--certificate-key k.pem --public-address a:1 --public-address b:2 --key-file shared.key --admin-port "
      "9 --trusted-proxy 10.0.0.0/8 --trusted-proxy ::1"));
  ASSERT_TRUE(parsed.config);
  EXPECT_EQ(parsed.config->port, 0);
  EXPECT_EQ(parsed.config->tick_rate, 60u);
  EXPECT_EQ(parsed.config->ticks, 5u);
  EXPECT_EQ(parsed.config->seed, 9u);
  EXPECT_EQ(parsed.config->clients_max, 3u);
  EXPECT_EQ(parsed.config->log_level, "warn,net=debug");
  EXPECT_EQ(parsed.config->log_format, "json");
  const ServerConfig server = server_config_of(*parsed.config);
  EXPECT_EQ(server.ticks_per_second, 60u);
  EXPECT_EQ(server.seed, 9u);
  EXPECT_EQ(server.disconnected_max, 5u);
  EXPECT_EQ(server.rejoin_grace, 6 * core::second);
  EXPECT_EQ(server.entities_max, 4096u);
  EXPECT_EQ(server.history_bytes, 65536u);
  EXPECT_EQ(server.delta_bytes_per_tick_max, 2000u);
  EXPECT_EQ(server.verify_one_in, 0u);
  EXPECT_EQ(parsed.config->tcp_port, 7);
  EXPECT_EQ(parsed.config->ws_port, 0);
  EXPECT_EQ(parsed.config->certificate, "c.pem");
  EXPECT_EQ(parsed.config->certificate_key, "k.pem");
  EXPECT_EQ(parsed.config->public_addresses, (std::vector<std::string>{"a:1", "b:2"}));
  EXPECT_EQ(parsed.config->trusted_proxies, (std::vector<std::string>{"10.0.0.0/8", "::1"}));
  EXPECT_EQ(parsed.config->key_file, "shared.key");
  EXPECT_EQ(parsed.config->admin_port, 9);
}

TEST(HostConfig, TakesANodeOfACluster) {
  const Parsed parsed = parse(split_words(
      "--cluster http://a:2379,http://b:2379 --node n1 --key-file k --capacity worlds=3 --cluster-name other"));
  ASSERT_TRUE(parsed.config) << parsed.err;
  EXPECT_EQ(parsed.config->cluster, "http://a:2379,http://b:2379");
  EXPECT_EQ(parsed.config->cluster_name, "other");
  EXPECT_EQ(parsed.config->node, "n1");
  EXPECT_EQ(parse_capacity(parsed.config->capacity).value(), 3u);
  for (const auto& [line, error] :
       {std::pair("--cluster http://a:2379 --key-file k", "--cluster: requires --node"),
        std::pair("--cluster http://a:2379 --node n", "--cluster: requires --key-file"),
        std::pair("--node n", "--node: requires --cluster"),
        std::pair("--cluster http://a --node n --key-file k", "--cluster: 'http://a' is not an address of etcd"),
        std::pair("--cluster-name a/b", "'a/b' is no name")})
    EXPECT_NE(parse(split_words(line)).err.find(error), std::string::npos) << parse(split_words(line)).err;
}

TEST(HostConfig, ACapacityHasAFormAndALimit) {
  EXPECT_EQ(parse_capacity("worlds=1").value(), 1u);
  EXPECT_EQ(parse_capacity("worlds=1024").value(), 1024u);
  for (const char* const wrong : {"", "16", "worlds=", "worlds=0", "worlds=1025", "worlds=-1", "worlds=1x", "worlds= 1",
                                  "players=1", "worlds=99999999999"}) {
    const core::Result<std::uint32_t> worlds = parse_capacity(wrong);
    ASSERT_FALSE(worlds) << wrong;
    EXPECT_STREQ(worlds.error().reason, "bad capacity") << wrong;
  }
}

TEST(HostConfig, TakesOriginsOfTokenRequests) {
  const Parsed parsed = parse({"--token-origin", "http://localhost:5173", "--token-origin", "https://[::1]"});
  ASSERT_TRUE(parsed.config) << parsed.err;
  EXPECT_EQ(parsed.config->token_origins, (std::vector<std::string>{"http://localhost:5173", "https://[::1]"}));
  const Parsed pages = parse({"--allow-origin", "https://game.example", "--allow-origin", "*"});
  ASSERT_TRUE(pages.config) << pages.err;
  EXPECT_EQ(pages.config->allowed_origins, (std::vector<std::string>{"https://game.example", "*"}));
  EXPECT_NE(parse({"--allow-origin", "null"}).err.find("--allow-origin: 'null' is not an origin"), std::string::npos);
  for (const std::string origin : {"*", "https://dev.example"}) {
    const Parsed refused = parse({"--token-origin", origin});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("--token-origin: '" + origin + "' is not an origin of this machine"), std::string::npos)
        << refused.err;
  }
}

TEST(HostConfig, RefusesALogLevelOfAnUnknownModule) {
  EXPECT_EQ(parse({"--log-level", "info,srever=debug"}).err,
            "mobula-server: --log-level: no lines have the module 'srever' (did you mean 'server'?): expected one of "
            "admin, agones, cluster, net, server, store\n");
  const Parsed parsed = parse({}, {"MOBULA_LOG_LEVEL=transport=debug"});
  EXPECT_EQ(parsed.status, 2);
  EXPECT_NE(parsed.err.find("no lines have the module 'transport'"), std::string::npos) << parsed.err;
  EXPECT_TRUE(parse({"--log-level", "info,admin=off,net=debug,server=warn,store=trace"}).config);
}

TEST(HostConfig, RefusesAMalformedRangeOfProxies) {
  EXPECT_EQ(parse({"--trusted-proxy", "10.0.0.0/33"}).err,
            "mobula-server: --trusted-proxy: '10.0.0.0/33' is not a range of addresses: the number after the slash is "
            "not within 0 to 32\n");
  const Parsed parsed = parse({}, {"MOBULA_TRUSTED_PROXY=10.0.0.0/8,proxy.example"});
  EXPECT_EQ(parsed.status, 2);
  EXPECT_NE(parsed.err.find("'proxy.example' is not a range"), std::string::npos) << parsed.err;
}

TEST(HostConfig, HealthHasItsOwnOptions) {
  const Parsed parsed = parse({"health", "--admin", "http://localhost:99"});
  ASSERT_TRUE(parsed.config);
  EXPECT_EQ(parsed.config->job, HostConfig::Job::check_health);
  EXPECT_EQ(parsed.config->health_target, "http://localhost:99");
  EXPECT_EQ(parse({"health"}).config->health_target, "http://127.0.0.1:7780");
  EXPECT_EQ(parse({"health"}, {"MOBULA_ADMIN_PORT=9"}).config->health_target, "http://127.0.0.1:9")
      << "it finds the server of its container by the same environment";
  EXPECT_EQ(parse({"health", "--admin-port", "8"}).config->health_target, "http://127.0.0.1:8");
}

TEST(HostConfig, DefaultsEqualServerConfig) {
  const ServerConfig told = server_config_of(*parse({}).config);
  const ServerConfig untold;
  EXPECT_EQ(told.ticks_per_second, untold.ticks_per_second);
  EXPECT_EQ(told.seed, untold.seed);
  EXPECT_EQ(told.disconnected_max, untold.disconnected_max);
  EXPECT_EQ(told.rejoin_grace, untold.rejoin_grace);
  EXPECT_EQ(told.entities_max, untold.entities_max);
  EXPECT_EQ(told.history_bytes, untold.history_bytes);
  EXPECT_EQ(told.delta_bytes_per_tick_max, untold.delta_bytes_per_tick_max);
  EXPECT_EQ(told.verify_one_in, untold.verify_one_in);
}

TEST(HostConfig, AGameMayAddSettings) {
  std::uint32_t balls = 3;
  const auto row = [&] { return std::vector<process::Setting>{{"max_balls", &balls, "balls at a time", {.most = 9}}}; };
  EXPECT_TRUE(parse({}, {"MOBULA_MAX_BALLS=5"}, row()).config);
  EXPECT_EQ(balls, 5u);
  EXPECT_NE(parse({"--help"}, {}, row()).out.find("Game:\n  --max-balls N=5"), std::string::npos);
  EXPECT_EQ(parse({"--max-balls", "10"}, {}, row()).err, "mobula-server: --max-balls: 10 is not within 0 to 9\n");
}

TEST(HostConfig, IsPrintedWithItsOrigins) {
  const Parsed parsed = parse({"--tick-rate", "60", "--print-config"}, {"MOBULA_PORT=9000"});
  EXPECT_EQ(parsed.status, 0);
  EXPECT_NE(parsed.out.find("tick_rate = 60  # --tick-rate\n"), std::string::npos) << parsed.out;
  EXPECT_NE(parsed.out.find("port = 9000  # environment variable MOBULA_PORT\n"), std::string::npos) << parsed.out;

  const std::string path = std::filesystem::temp_directory_path() / ("mobula_config." + std::to_string(::getpid()));
  std::ofstream(path) << parsed.out;
  const Parsed again = parse({"--config", path});
  std::filesystem::remove(path);
  ASSERT_TRUE(again.config) << again.err;
  EXPECT_EQ(again.config->tick_rate, 60u);
  EXPECT_EQ(again.config->port, 9000);
}

TEST(HostConfig, FormerNamesHoldInEverySource) {
  for (const Parsed& parsed : {parse({"--index-limit", "4096", "--max-away", "7"}),
                               parse({}, {"MOBULA_INDEX_LIMIT=4096", "MOBULA_MAX_AWAY=7"})}) {
    ASSERT_TRUE(parsed.config) << parsed.err;
    EXPECT_EQ(parsed.config->entities_max, 4096u);
    EXPECT_EQ(parsed.config->disconnected_max, 7u);
  }
  const std::string path = std::filesystem::temp_directory_path() / ("mobula_former." + std::to_string(::getpid()));
  std::ofstream(path) << "index_limit = 4096\nmax_away = 7\n";
  const Parsed parsed = parse({"--config", path});
  std::filesystem::remove(path);
  ASSERT_TRUE(parsed.config) << parsed.err;
  EXPECT_EQ(parsed.config->entities_max, 4096u);
  EXPECT_EQ(parsed.config->disconnected_max, 7u);
}

TEST(HostConfig, EntitiesMaxIsAtMostFourMillion) {
  const Parsed largest = parse({"--entities-max", "4194304"});
  ASSERT_TRUE(largest.config) << largest.err;
  EXPECT_EQ(server_config_of(*largest.config).entities_max, 4'194'304u);
  EXPECT_EQ(parse({"--entities-max", "4194305"}).err,
            "mobula-server: --entities-max: 4194305 is not within 1024 to 4194304\n");
}

TEST(HostConfig, HelpIsNoError) {
  const Parsed parsed = parse({"--help"});
  EXPECT_FALSE(parsed.config);
  EXPECT_EQ(parsed.status, 0);
  EXPECT_NE(parsed.out.find("Examples:"), std::string::npos);
  EXPECT_EQ(parsed.err, "");
}

TEST(HostConfig, RefusesMistakesInOneLine) {
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
                                                       {"health", "--port", "x"},
                                                       {"health", "--nonsense"},
                                                       {"--tcp-port", "many"},
                                                       {"--ws-port", "70000"},
                                                       {"--ws-port", "1", "--certificate-key", "k.pem"},
                                                       {"--ws-port", "1", "--certificate", "c.pem"},
                                                       {"--certificate", "c.pem", "--certificate-key", "k.pem"},
                                                       {"--index-limit", "9"},
                                                       {"--log-level", "loud"},
                                                       {"--log-format", "xml"},
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
