#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <mobula/core/format.hpp>
#include <mobula/core/log_levels.hpp>
#include <mobula/core/settings.hpp>
#include <mobula/net/resolve.hpp>
#include <mobula/server/host/config.hpp>
#include <mobula/server/session/server.hpp>

namespace mobula::server {
namespace {

std::vector<core::Setting> world_settings(HostConfig& config) {
  const std::string group = "World";
  return {{"level",
           &config.level,
           "compiled level to spawn (made by mobula-compile); without one the world starts empty, which a game may "
           "refuse",
           {.type = "FILE", .group = group}},
          {"tick_rate", &config.tick_rate, "ticks per second", {.least = 1, .most = 240, .group = group}},
          {"catch_up_ticks",
           &config.catch_up_ticks,
           "ticks that came late are made up for, so many at most, what is more is lost; 0: an overloaded world goes "
           "slower, evenly",
           {.most = 1000, .group = group}},
          {"ticks", &config.ticks, "end after so many ticks; 0: when told to stop", {.group = group}},
          {"seed", &config.seed, "seed of everything random in the world", {.group = group}},
          {"db",
           &config.db,
           "SQLite file that keeps the world: what is saved there goes on. Without one the world ends with the server",
           {.type = "FILE", .group = group}},
          {"checkpoint_seconds",
           &config.checkpoint_seconds,
           "how often the world is saved, and so at most what a crash loses",
           {.least = 0.05, .most = 86'400, .group = group}},
          {"entities_max",
           &config.entities_max,
           "maximum number of entities at a time; the memory of servers and clients grows with it",
           {.least = 1024, .most = wire::entities_max_limit, .former_key = "index_limit", .group = group}}};
}

core::Status check_ip(const std::string& text) {
  const core::Result<transport::Address> address = admin_listen(text, 0);
  return address ? core::Status(core::Done{}) : address.error();
}

std::vector<core::Setting> network_settings(HostConfig& config) {
  const std::string group = "Network";
  return {{"port", &config.port, "UDP port; 0 takes any free one", {.group = group}},
          {"tcp_port",
           &config.tcp_port,
           "also take clients over TCP here; 0 takes any free port",
           {.type = "PORT", .group = group}},
          {"ws_port",
           &config.ws_port,
           "also take clients over WebSocket here; 0 takes any free port",
           {.type = "PORT", .group = group}},
          {"certificate",
           &config.certificate,
           "certificate chain (PEM): WebSocket clients come by wss",
           {.type = "FILE", .needs = {"ws_port", "certificate_key"}, .group = group}},
          {"certificate_key",
           &config.certificate_key,
           "the certificate's private key (PEM)",
           {.type = "FILE", .needs = {"certificate"}, .group = group}},
          {"public_address",
           &config.public_addresses,
           "where clients find this server's UDP port, as connect tokens say it; may be given several times. Default: "
           "this machine's own addresses",
           {.type = "HOST:PORT", .group = group}},
          {"admin_address",
           &config.admin_address,
           "IP address of the admin port; one that other machines reach takes a token",
           {.type = "IP", .check = check_ip, .group = group}},
          {"admin_port",
           &config.admin_port,
           "HTTP port for people and programs that run the server: page, metrics, API; 0 takes any free one",
           {.type = "PORT", .group = group}},
          {"admin_token_file",
           &config.admin_token_file,
           "a bearer token that the admin port asks for, as the file's first line",
           {.type = "FILE", .group = group}}};
}

std::vector<core::Setting> client_settings(HostConfig& config) {
  const std::string group = "Clients";
  return {
      {"key_file",
       &config.key_file,
       "the key that this server shares with the backend that makes connect tokens (mobula-token --new-key makes one). "
       "Without it the server makes a key for itself and hands out tokens at its admin address",
       {.type = "FILE", .group = group}},
      {"max_clients", &config.clients_max, "sessions at once", {.least = 1, .most = 65535, .group = group}},
      {"max_players",
       &config.players_max,
       "players at once, those that are away included",
       {.most = 65535, .group = group}},
      {"max_spectators",
       &config.spectators_max,
       "spectators at once, in a game that has a place for them",
       {.most = 65535, .group = group}},
      {"duplicate_login",
       &config.duplicate_login,
       "of an account that is in already: replace (the newcomer takes the player over, the other client is told so) or "
       "refuse (the newcomer). Tokens without user data are nobody's account",
       {.type = "WORD", .check = core::one_of({"replace", "refuse"}), .group = group}},
      {"bans",
       &config.bans_file,
       "file in which bans are kept, a line of JSON each; without it they are forgotten when the server ends",
       {.type = "FILE", .group = group}},
      {"drain_seconds",
       &config.drain_seconds,
       "when asked to stop: lets nobody in, tells clients, and goes on for so long",
       {.most = 86'400, .group = group}},
      {"rejoin_grace_seconds",
       &config.rejoin_grace_seconds,
       "how long the player of a lost connection stays for its client to come back",
       {.most = 86'400, .group = group}},
      {"max_away",
       &config.away_max,
       "players that are kept so at a time; whoever would be one more is gone at once",
       {.most = 65535, .group = group}},
      {"max_delta_bytes",
       &config.delta_bytes_max,
       "of deltas that a client is sent in a tick at most",
       {.least = 1200, .most = 1u << 20, .group = group}},
      {"history_bytes",
       &config.history_bytes,
       "memory for values that are no longer, on which deltas to slow clients rest",
       {.least = 1u << 16, .most = double{1ull << 36}, .group = group}},
      {"verify_one_in",
       &config.verify_one_in,
       "of so many clients one has its mirror verified; 0: only who asks for it",
       {.most = 1e9, .group = group}}};
}

core::Status check_log_level(const std::string& text) {
  const core::Result<core::LogLevels> levels = core::LogLevels::parse(text);
  return levels ? core::Status(core::Done{}) : levels.error();
}

std::vector<core::Setting> log_settings(HostConfig& config) {
  const std::string group = "Log";
  return {
      {"log_level",
       &config.log_level,
       "trace, debug, info, warn, error or off; other levels for some modules behind it: info,net=debug,store=trace",
       {.type = "LEVEL", .check = check_log_level, .group = group}},
      {"log_format",
       &config.log_format,
       "text for people, json for what collects logs; auto: text if standard error is a terminal, else json",
       {.type = "FORMAT", .check = core::one_of({"auto", "text", "json"}), .group = group}}};
}

std::string footer(const std::string& program) {
  return core::format(
      "Each option is also an environment variable (--tick-rate: MOBULA_TICK_RATE) and a key of a TOML file "
      "(tick_rate).\n"
      "A flag counts before a variable, and that before the file.\n\n"
      "Examples:\n"
      "  {0} --level village.level\n"
      "  {0} --level village.level --port 9000 --tick-rate 60 --seed 7\n"
      "  {0} --level village.level --tcp-port 7777 --ws-port 7778 --key-file shared.key\n"
      "  {0} --level village.level --tick-rate 60 --print-config > server.toml\n"
      "  MOBULA_PORT=9000 {0} --config server.toml\n"
      "  {0} health\n"
      "Stops in good order on SIGINT and SIGTERM, at once on a second one; loads the level again on SIGHUP.",
      program);
}

}  // namespace

core::Result<transport::Address> admin_listen(const std::string& ip, std::uint16_t port) {
  const bool v6 = ip.find(':') != std::string::npos;
  core::Result<transport::Address> address =
      net::parse_listen(core::format("{}{}{}:{}", v6 ? "[" : "", ip, v6 ? "]" : "", port));
  if (address) return address;
  return core::Error{"bad address", core::format("'{}' is no IP address", ip)};
}

// Where everyone may ask, this machine may.
std::string admin_url(const HostConfig& config) {
  core::Result<transport::Address> address = admin_listen(config.admin_address, config.admin_port);
  if (!address) return {};
  const bool all = address->is_any() || *address == transport::Address::v4(0, 0, 0, 0, config.admin_port);
  return "http://" + to_string(all ? transport::Address::v4(127, 0, 0, 1, config.admin_port) : *address);
}

std::vector<core::Setting> settings_of(HostConfig& config) {
  std::vector<core::Setting> settings;
  for (auto* const part : {world_settings, network_settings, client_settings, log_settings})
    for (core::Setting& setting : part(config)) settings.push_back(std::move(setting));
  return settings;
}

std::optional<HostConfig> parse_command_line(int argc, const char* const* argv, const char* const* environment,
                                             int& status, std::vector<core::Setting> of_game) {
  HostConfig config;
  config.program = std::filesystem::path(argv[0]).filename();
  CLI::App app("Serves a world: spawns a compiled level, runs the game at a fixed tick, mirrors it to every client.",
               config.program);
  std::vector<core::Setting> rows = settings_of(config);
  for (core::Setting& setting : of_game) {
    if (setting.rules.group.empty()) setting.rules.group = "Game";
    rows.push_back(std::move(setting));
  }
  core::Settings settings(std::move(rows));
  settings.add_options(app);
  CLI::App* health = app.add_subcommand("health", "exit 0 if a server lives at an admin address, 1 if not");
  health->fallthrough();
  health->add_option("--admin", config.health_target,
                     "URL; if not given, the admin port of a server with the same settings, on this machine");
  app.footer(footer(config.program));
  if (const auto ended = settings.read(app, argc, argv, environment)) {
    status = *ended;
    return std::nullopt;
  }
  if (*health) config.job = Config::Job::check_health;
  if (config.health_target.empty()) config.health_target = admin_url(config);
  return config;
}

ServerConfig server_config_of(const HostConfig& config) {
  return {.ticks_per_second = config.tick_rate,
          .seed = config.seed,
          .entities_max = config.entities_max,
          .history_bytes = config.history_bytes,
          .verify_one_in = config.verify_one_in,
          .delta_bytes_per_tick_max = config.delta_bytes_max,
          .players_max = config.players_max,
          .spectators_max = config.spectators_max,
          .duplicate_login = config.duplicate_login == "refuse" ? DuplicateLogin::refuse : DuplicateLogin::replace,
          .rejoin_grace = config.rejoin_grace_seconds * core::second,
          .disconnected_max = config.away_max,
          .checkpoint_ticks = std::max(1u, static_cast<std::uint32_t>(config.checkpoint_seconds * config.tick_rate))};
}

}  // namespace mobula::server
