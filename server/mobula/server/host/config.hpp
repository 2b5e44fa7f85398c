// Settings of a server process: flags, environment variables and keys of a file, from one table.
#pragma once

#include <cstdint>
#include <memory>
#include <mobula/process/setting.hpp>
#include <mobula/transport/address.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mobula::server {

struct ServerConfig;
struct ZonePlace;

struct HostConfig {
  enum class Job { serve, check_health };

  std::string program;  // name of the program, for its messages
  Job job = Job::serve;
  std::string level;
  std::uint16_t port = 7777;
  std::optional<std::uint16_t> tcp_port;
  std::optional<std::uint16_t> ws_port;
  std::string certificate;  // PEM file for wss; empty for ws
  std::string certificate_key;
  // HOST:PORT of this server in connect tokens; empty for this machine's addresses.
  std::vector<std::string> public_addresses;
  std::vector<std::string> trusted_proxies;  // addresses and ranges of peers that name their clients
  std::string key_file;  // shared with the backend; empty for a new key and tokens at the admin address
  std::string admin_address = "127.0.0.1";
  std::uint16_t admin_port = 7780;
  std::vector<std::string> token_origins;    // origins of web pages that may request connect tokens
  std::vector<std::string> allowed_origins;  // origins of web pages that may connect over WebSocket
  std::optional<std::uint16_t> web_port;     // HTTP port of the game's page
  std::string web_address = "127.0.0.1";
  std::string web_root;             // folder of the page's files; empty for the installed game's
  std::string web_tokens = "auto";  // or "guests" or "none"
  std::string admin_token_file;     // empty for no token, allowed on loopback addresses alone
  std::uint32_t tick_rate = 20;     // per second
  std::uint32_t catch_up_ticks = 5;
  std::uint64_t ticks = 0;  // 0 runs until stopped
  std::uint64_t seed = 1;
  std::shared_ptr<ZonePlace> zone;  // which zone of its cluster the world is; null for a world of its own
  std::string db;  // SQLite file of the world, in a cluster the folder of such files; empty for no saves
  double checkpoint_seconds = 10;
  std::uint32_t clients_max = 1024;
  std::uint32_t players_max = 65535;
  std::uint32_t spectators_max = 100;
  std::string duplicate_login = "replace";  // or "refuse"
  std::string bans_file;                    // empty if bans end with the server
  std::uint32_t drain_seconds = 0;          // between the request to stop and the end
  std::uint32_t disconnected_max = 256;     // disconnected players that stay in the world
  std::uint32_t rejoin_grace_seconds = 30;
  std::uint32_t entities_max = 1u << 20;  // entities at a time
  std::uint64_t history_bytes = 16u << 20;
  std::uint32_t delta_bytes_per_tick_max = 24 * 1024;  // per client per tick
  std::uint32_t newcomer_budget_percent = 50;          // share of a tick's period
  std::uint32_t verify_one_in = 100;                   // clients; 0 verifies only clients that request it
  std::string cluster;                                 // URLs of etcd's members; empty for no cluster
  std::string cluster_name = "mobula";
  std::string node;  // name of the process in the cluster
  std::string capacity = "worlds=16";
  bool agones = false;
  bool agones_allocate = false;              // the server allocates itself while it has players
  std::uint32_t agones_reserve_seconds = 0;  // after its last player has left
  std::string log_level = "info";
  std::string log_format = "auto";
  std::string health_target;               // admin address, a URL
  std::vector<std::string> service_links;  // environment variables of Kubernetes services, which are ignored
};

/// Returns one row per setting: key, target in `config`, help, rules. Flag and variable names follow from the key.
std::vector<process::Setting> settings_of(HostConfig& config);
/// Checks a configuration that code made, as the command line checks its own. Error: "bad configuration", with the
/// option's name and what it accepts.
core::Status check_values(HostConfig config);
/// Parses flags, environment and file. Returns nothing if the program has to end with `status`: 0 after --help, 2 after
/// an error, which has been printed. A game's own settings follow the server's.
std::optional<HostConfig> parse_command_line(int argc, const char* const* argv, const char* const* environment,
                                             int& status, std::vector<process::Setting> of_game = {});
/// Returns the number of worlds of a capacity, "worlds=N". Errors: "bad capacity".
core::Result<std::uint32_t> parse_capacity(const std::string& text);
/// Returns the URL of a port as seen from this machine. Empty if the address is no IP address.
std::string http_url(const std::string& ip, std::uint16_t port);
/// Returns the URL of the admin port as seen from this machine.
std::string admin_url(const HostConfig& config);
/// Returns the part of the configuration that is the server's own, without level, store and sockets.
ServerConfig server_config_of(const HostConfig& config);

}  // namespace mobula::server
