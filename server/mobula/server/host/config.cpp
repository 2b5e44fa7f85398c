#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <mobula/core/format.hpp>
#include <mobula/core/log_levels.hpp>
#include <mobula/core/name.hpp>
#include <mobula/core/text.hpp>
#include <mobula/net/address_range.hpp>
#include <mobula/net/origin.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/process/settings.hpp>
#include <mobula/server/admin/listen_address.hpp>
#include <mobula/server/cluster/etcd.hpp>
#include <mobula/server/host/config.hpp>
#include <mobula/server/session/server.hpp>
#include <mobula/server/tick/work_budget.hpp>

namespace mobula::server {
namespace {

constexpr std::uint32_t capacity_max = 1024;

std::vector<process::Setting> world_settings(HostConfig& config) {
  const std::string group = "World";
  return {{"level",
           &config.level,
           "compiled level to spawn (made by mobula-compile); default: an empty world, which a game may refuse",
           {.type = "FILE", .group = group}},
          {"tick_rate", &config.tick_rate, "ticks per second", {.least = 1, .most = 240, .group = group}},
          {"catch_up_ticks",
           &config.catch_up_ticks,
           "maximum number of late ticks that are caught up, the rest is lost; 0 disables it, and an overloaded world "
           "runs slower",
           {.most = 1000, .group = group}},
          {"ticks",
           &config.ticks,
           "number of ticks after which the server ends; 0 runs until it is stopped",
           {.group = group}},
          {"seed", &config.seed, "seed of the world's random numbers", {.group = group}},
          {"db",
           &config.db,
           "SQLite file of the saved world, which continues from its last checkpoint; default: the world is not saved. "
           "With "
           "--cluster, the folder of all worlds' files, which all nodes share",
           {.type = "FILE", .group = group}},
          {"checkpoint_seconds",
           &config.checkpoint_seconds,
           "interval between checkpoints; a crash loses at most this much",
           {.least = 0.05, .most = 86'400, .group = group}},
          {"entities_max",
           &config.entities_max,
           "maximum number of entities at a time; the memory of servers and clients grows with it",
           {.least = 1024, .most = wire::entities_max_limit, .former_key = "index_limit", .group = group}}};
}

template <class Value>
core::Status status_of(const core::Result<Value>& result) {
  return result ? core::Status(core::Done{}) : result.error();
}

core::Status check_ip(const std::string& text) { return status_of(admin::listen_address(text, 0)); }

core::Status check_range(const std::string& text) { return status_of(net::parse_address_range(text)); }

std::vector<process::Setting> network_settings(HostConfig& config) {
  const std::string group = "Network";
  return {{"port", &config.port, "UDP port; 0 takes any free port", {.group = group}},
          {"tcp_port",
           &config.tcp_port,
           "TCP port, for clients over TCP; 0 takes any free port; default: no TCP",
           {.type = "PORT", .group = group}},
          {"ws_port",
           &config.ws_port,
           "TCP port for clients over WebSocket; 0 takes any free port; default: no WebSocket",
           {.type = "PORT", .group = group}},
          {"certificate",
           &config.certificate,
           "certificate chain (PEM); enables wss for WebSocket clients",
           {.type = "FILE", .needs = {"ws_port", "certificate_key"}, .group = group}},
          {"certificate_key",
           &config.certificate_key,
           "private key of the certificate (PEM)",
           {.type = "FILE", .needs = {"certificate"}, .group = group}},
          {"public_address",
           &config.public_addresses,
           "address of this server in connect tokens, HOST[:PORT] or a URL; may be given several times; default: this "
           "machine's addresses, with the UDP port",
           {.type = "HOST:PORT", .group = group}},
          {"trusted_proxy",
           &config.trusted_proxies,
           "address or range of proxies that name the address of each client (PROXY protocol, Forwarded or "
           "X-Forwarded-For); may be given several times; default: none",
           {.type = "CIDR", .check = check_range, .group = group}},
          {"admin_address",
           &config.admin_address,
           "IP address of the admin port; an address that other machines reach needs --admin-token-file",
           {.type = "IP", .check = check_ip, .group = group}},
          {"admin_port",
           &config.admin_port,
           "HTTP port of the inspector, the metrics and the API; 0 takes any free port",
           {.type = "PORT", .group = group}},
          {"admin_token_file",
           &config.admin_token_file,
           "file whose first line is the bearer token of the admin port",
           {.type = "FILE", .group = group}},
          {"token_origin",
           &config.token_origins,
           "origin of web pages of this machine that may request connect tokens, for development; may be given several "
           "times; default: none",
           {.type = "ORIGIN", .check = net::check_local_origin, .group = group}}};
}

std::vector<process::Setting> web_settings(HostConfig& config) {
  const std::string group = "Web pages";
  return {
      {"allow_origin",
       &config.allowed_origins,
       "origin of other web pages that may connect over WebSocket, or * for all; may be given several times; default: "
       "none",
       {.type = "ORIGIN", .check = net::check_allowed_origin, .group = group}},
      {"web_port",
       &config.web_port,
       "HTTP port of the game's page; 0 takes any free port; default: no web address",
       {.type = "PORT", .needs = {"ws_port"}, .group = group}},
      {"web_address",
       &config.web_address,
       "IP address of the web port",
       {.type = "IP", .check = check_ip, .group = group}},
      {"web_root",
       &config.web_root,
       "folder of the page's files; default: that of the installed game",
       {.type = "FOLDER", .group = group}},
      {"web_tokens",
       &config.web_tokens,
       "connect tokens of the web address: none, guests (without an account), or auto (for any account, on this "
       "machine, without --key-file and --trusted-proxy)",
       {.type = "WORD", .check = process::one_of({"auto", "guests", "none"}), .group = group}}};
}

std::vector<process::Setting> client_settings(HostConfig& config) {
  const std::string group = "Clients";
  return {
      {"key_file",
       &config.key_file,
       "key shared with the backend that makes connect tokens (mobula-token --new-key makes one); default: a new key, "
       "and tokens at the admin address",
       {.type = "FILE", .group = group}},
      {"max_clients", &config.clients_max, "maximum number of sessions", {.least = 1, .most = 65535, .group = group}},
      {"max_players",
       &config.players_max,
       "maximum number of players, disconnected ones included",
       {.most = 65535, .group = group}},
      {"max_spectators",
       &config.spectators_max,
       "maximum number of spectators, if the game admits any",
       {.most = 65535, .group = group}},
      {"duplicate_login",
       &config.duplicate_login,
       "second log-in of an account: replace (it takes the player over, the first client is disconnected) or refuse; "
       "tokens without user data have no account",
       {.type = "WORD", .check = process::one_of({"replace", "refuse"}), .group = group}},
      {"bans",
       &config.bans_file,
       "file of the bans, one JSON object per line; default: bans end with the server",
       {.type = "FILE", .group = group}},
      {"drain_seconds",
       &config.drain_seconds,
       "time between a request to stop and the end; clients are notified, new clients are refused",
       {.most = 86'400, .group = group}},
      {"rejoin_grace_seconds",
       &config.rejoin_grace_seconds,
       "time that a disconnected player stays in the world for its client to rejoin",
       {.most = 86'400, .group = group}},
      {"max_disconnected",
       &config.disconnected_max,
       "maximum number of disconnected players; a player over the limit leaves at once",
       {.most = 65535, .former_key = "max_away", .group = group}},
      {"max_delta_bytes",
       &config.delta_bytes_per_tick_max,
       "maximum delta bytes per client per tick",
       {.least = 1200, .most = 1u << 20, .group = group}},
      {"history_bytes",
       &config.history_bytes,
       "memory of a world for past values (baselines of clients that acknowledge late), in bytes; an entity whose "
       "baseline was overwritten is sent in full",
       {.least = 1u << 16, .most = double{1ull << 36}, .group = group}},
      {"newcomer_budget_percent",
       &config.newcomer_budget_percent,
       "share of a tick's period, in percent, until which joining clients are served after those that play; the rest "
       "waits for the next tick. 5 leaves them their least time, a tenth of the period",
       {.least = WorkBudget::percent_least, .most = 100, .group = group}},
      {"verify_one_in",
       &config.verify_one_in,
       "verify the mirror of one client in N; 0 verifies only clients that request it",
       {.most = 1e9, .group = group}}};
}

// An empty text is a setting without a value.
core::Status check_members(const std::string& text) {
  return text.empty() ? core::Status(core::Done{}) : status_of(cluster::parse_members(text));
}

core::Status check_name(const std::string& text) { return core::check_name(text); }

core::Status check_node(const std::string& text) {
  return text.empty() ? core::Status(core::Done{}) : check_name(text);
}

core::Status check_capacity(const std::string& text) { return status_of(parse_capacity(text)); }

std::vector<process::Setting> cluster_settings(HostConfig& config) {
  const std::string group = "Cluster";
  return {
      {"cluster",
       &config.cluster,
       "members of etcd, http://HOST:PORT, separated by commas. The process opens the worlds that the cluster gives "
       "it, world n at the ports plus n; default: no cluster",
       {.type = "URL", .check = check_members, .needs = {"node", "key_file"}, .group = group}},
      {"cluster_name",
       &config.cluster_name,
       "name of the cluster, as several can share an etcd",
       {.type = "NAME", .check = check_name, .group = group}},
      {"node",
       &config.node,
       "name of this process in the cluster",
       {.type = "NAME", .check = check_node, .needs = {"cluster"}, .group = group}},
      {"capacity",
       &config.capacity,
       "maximum number of worlds of this process in a cluster, worlds=N; N is 1 to 1024",
       {.type = "worlds=N", .check = check_capacity, .group = group}}};
}

std::vector<process::Setting> agones_settings(HostConfig& config) {
  const std::string group = "Agones";
  return {{"agones",
           &config.agones,
           "report to the sidecar of Agones at 127.0.0.1, port AGONES_SDK_HTTP_PORT or 9358. Without a public address, "
           "tokens name the one that Agones has chosen",
           {.group = group}},
          {"agones_allocate",
           &config.agones_allocate,
           "allocate the game server while it has players, for players that come without an allocation",
           {.needs = {"agones"}, .group = group}},
          {"agones_reserve_seconds",
           &config.agones_reserve_seconds,
           "time for which a self-allocated game server is reserved after its last player has left",
           {.most = 86'400, .needs = {"agones_allocate"}, .group = group}}};
}

// Modules of the lines of a server's rooms, and of the libraries below them.
void add_log_modules() { core::add_log_modules({"admin", "agones", "cluster", "net", "server", "store"}); }

core::Status check_log_level(const std::string& text) { return status_of(core::LogLevels::parse(text)); }

std::vector<process::Setting> log_settings(HostConfig& config) {
  const std::string group = "Log";
  return {{"log_level",
           &config.log_level,
           "trace, debug, info, warn, error or off; levels of single modules follow it: info,net=debug,store=trace",
           {.type = "LEVEL", .check = check_log_level, .group = group}},
          {"log_format",
           &config.log_format,
           "text, json, or auto: text if standard error is a terminal, else json",
           {.type = "FORMAT", .check = process::one_of({"auto", "text", "json"}), .group = group}}};
}

std::string footer(const std::string& program) {
  return core::format(
      "Each option is also an environment variable (--tick-rate: MOBULA_TICK_RATE) and a key of a TOML file "
      "(tick_rate).\n"
      "A flag overrides a variable, and a variable overrides the file.\n\n"
      "Examples:\n"
      "  {0} --level village.level\n"
      "  {0} --level village.level --port 9000 --tick-rate 60 --seed 7\n"
      "  {0} --level village.level --tcp-port 7777 --ws-port 7778 --key-file shared.key\n"
      "  {0} --level village.level --tick-rate 60 --print-config > server.toml\n"
      "  MOBULA_PORT=9000 {0} --config server.toml\n"
      "  {0} health\n"
      "  {0} --level village.level --cluster http://etcd:2379 --node a --key-file shared.key --db worlds\n"
      "SIGINT and SIGTERM stop the server in good order. A second SIGINT (Ctrl-C), a second after the first or more, "
      "ends it at once. SIGHUP reloads the level.",
      program);
}

}  // namespace

core::Result<std::uint32_t> parse_capacity(const std::string& text) {
  constexpr std::string_view prefix = "worlds=";
  std::uint32_t worlds = 0;
  if (text.starts_with(prefix)) {
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + prefix.size(), end, worlds);
    if (parsed.ec != std::errc() || parsed.ptr != end) worlds = 0;
  }
  if (worlds >= 1 && worlds <= capacity_max) return worlds;
  return core::Error{"bad capacity", core::format("'{}' is no capacity; expected worlds=N, N from 1 to {}",
                                                  core::shown(text, 40), capacity_max)};
}

// An address that listens everywhere is reached through the loopback address.
std::string http_url(const std::string& ip, std::uint16_t port) {
  const core::Result<transport::Address> address = admin::listen_address(ip, port);
  if (!address) return {};
  const bool all = address->is_any() || *address == transport::Address::v4(0, 0, 0, 0, port);
  return "http://" + to_string(all ? transport::Address::v4(127, 0, 0, 1, port) : *address);
}

std::string admin_url(const HostConfig& config) { return http_url(config.admin_address, config.admin_port); }

std::vector<process::Setting> settings_of(HostConfig& config) {
  std::vector<process::Setting> settings;
  for (auto* const part : {world_settings, network_settings, web_settings, client_settings, cluster_settings,
                           agones_settings, log_settings})
    for (process::Setting& setting : part(config)) settings.push_back(std::move(setting));
  return settings;
}

core::Status check_values(HostConfig config) {
  for (const process::Setting& setting : settings_of(config))
    if (const core::Status good = process::check_target(setting); !good)
      return core::Error{"bad configuration", process::flag_of(setting.key) + ": " + good.error().message};
  return core::Done{};
}

std::optional<HostConfig> parse_command_line(int argc, const char* const* argv, const char* const* environment,
                                             int& status, std::vector<process::Setting> of_game) {
  add_log_modules();
  HostConfig config;
  config.program = std::filesystem::path(argv[0]).filename();
  CLI::App app("Serves a world: spawns a compiled level, runs the game at a fixed tick rate, replicates it to clients.",
               config.program);
  std::vector<process::Setting> rows = settings_of(config);
  for (process::Setting& setting : of_game) {
    if (setting.rules.group.empty()) setting.rules.group = "Game";
    rows.push_back(std::move(setting));
  }
  process::Settings settings(std::move(rows));
  settings.add_options(app);
  CLI::App* health = app.add_subcommand("health", "exit with status 0 if a server answers at an admin address, else 1");
  health->fallthrough();
  health->add_option("--admin", config.health_target,
                     "URL; default: the admin port of a server with the same settings on this machine");
  app.footer(footer(config.program));
  if (const auto ended = settings.read(app, argc, argv, environment)) {
    status = *ended;
    return std::nullopt;
  }
  config.service_links = settings.service_links();
  if (*health) config.job = HostConfig::Job::check_health;
  if (config.health_target.empty()) config.health_target = admin_url(config);
  return config;
}

ServerConfig server_config_of(const HostConfig& config) {
  return {.ticks_per_second = config.tick_rate,
          .seed = config.seed,
          .entities_max = config.entities_max,
          .history_bytes = config.history_bytes,
          .verify_one_in = config.verify_one_in,
          .delta_bytes_per_tick_max = config.delta_bytes_per_tick_max,
          .players_max = config.players_max,
          .spectators_max = config.spectators_max,
          .duplicate_login = config.duplicate_login == "refuse" ? DuplicateLogin::refuse : DuplicateLogin::replace,
          .rejoin_grace = config.rejoin_grace_seconds * core::second,
          .disconnected_max = config.disconnected_max,
          .newcomer_budget_percent = config.newcomer_budget_percent,
          .checkpoint_ticks = std::max(1u, static_cast<std::uint32_t>(config.checkpoint_seconds * config.tick_rate))};
}

}  // namespace mobula::server
