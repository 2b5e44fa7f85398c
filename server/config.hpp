// What the command line of a server says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mobula::server {

struct Config {
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
  std::uint16_t admin_port = 7780;
  std::uint32_t tick_rate = 20;  // per second
  std::uint64_t ticks = 0;       // 0: until told to stop
  std::uint64_t seed = 1;
  std::uint32_t clients_max = 1024;
  bool verbose = false;
  std::string health_target;  // admin address, a URL
};

// Nothing if the program is done: help was asked for (status 0) or the line is wrong (status 2); what there is
// to say has been printed.
std::optional<Config> parse_command_line(int argc, char** argv, int& status);

}  // namespace mobula::server
