// What a server is told, by flags, environment and file: the table of its settings.
#pragma once

#include <cstdint>
#include <mobula/core/setting.hpp>
#include <mobula/transport/address.hpp>
#include <optional>
#include <string>
#include <vector>

namespace mobula::server {

struct ServerConfig;

struct HostConfig {
  enum class Job { serve, check_health };

  std::string program;  // what the process was started as, for its messages
  Job job = Job::serve;
  std::string level;
  std::uint16_t port = 7777;
  std::optional<std::uint16_t> tcp_port;
  std::optional<std::uint16_t> ws_port;
  std::string certificate;  // of wss; empty: ws without encryption of its own
  std::string certificate_key;
  // HOST:PORT by which connect tokens name this server; empty: this machine's addresses.
  std::vector<std::string> public_addresses;
  std::string key_file;  // shared with the backend; empty: a key of this run alone, and tokens for whoever asks here
  std::string admin_address = "127.0.0.1";
  std::uint16_t admin_port = 7780;
  std::string admin_token_file;  // empty: who reaches the address may ask; only where no other machine does
  std::uint32_t tick_rate = 20;  // per second
  std::uint32_t catch_up_ticks = 5;
  std::uint64_t ticks = 0;  // 0: until told to stop
  std::uint64_t seed = 1;
  std::string db;  // where the world is kept; empty: nowhere
  double checkpoint_seconds = 10;
  std::uint32_t clients_max = 1024;
  std::uint32_t players_max = 65535;
  std::uint32_t spectators_max = 100;
  std::string duplicate_login = "replace";  // or "refuse"
  std::string bans_file;                    // empty: bans are forgotten when the server ends
  std::uint32_t drain_seconds = 0;          // between being asked to stop and the end
  std::uint32_t away_max = 256;             // players whose connection was lost, kept for them to come back
  std::uint32_t rejoin_grace_seconds = 30;
  std::uint32_t entities_max = 1u << 20;  // entities at a time
  std::uint64_t history_bytes = 16u << 20;
  std::uint32_t delta_bytes_max = 24 * 1024;  // for one client in one tick
  std::uint32_t verify_one_in = 100;          // clients; 0: none but who asks
  std::string log_level = "info";
  std::string log_format = "auto";
  std::string health_target;  // admin address, a URL
};

// Each with its target in `config`: one row is the flag, the variable, the key, the help and the default.
std::vector<core::Setting> settings_of(HostConfig& config);
// Nothing if the program is done: help was asked for (status 0) or something is wrong (status 2); what there is to say
// has been printed. A game's own settings come behind the server's.
std::optional<HostConfig> parse_command_line(int argc, const char* const* argv, const char* const* environment,
                                             int& status, std::vector<core::Setting> of_game = {});
// Where the admin port listens. Reason: "bad address".
core::Result<transport::Address> admin_listen(const std::string& ip, std::uint16_t port);
// By which this machine reaches it.
std::string admin_url(const HostConfig& config);
// Of a server's configuration what it is told alone.
ServerConfig server_config_of(const HostConfig& config);

}  // namespace mobula::server
