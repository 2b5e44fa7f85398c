// Commands of the program that ask a cluster something, and end. Each prints one line of JSON.
#pragma once

#include <cluster/etcd_session.hpp>

namespace mobula::cluster {

struct CommandOptions {
  ClusterAddress at{};
  std::string world{};
  std::string game{};
  std::string node{};
  std::string account{};
  std::string key_file{};
  std::string node_token_file{};  // bearer token of the nodes' admin ports; empty for none
  std::string map{};
  std::string map_file{};
  std::string zone{};
  std::string into{};
  server::ZoneCut cut{};
};

/// Returns the line that a command prints. Errors: those of Control, of the files, of ZoneMap::parse() and of
/// world_token_json() and of PlayerSender, "no such world", "not open".
core::Result<std::string> list(const CommandOptions& options);
core::Result<std::string> place(const CommandOptions& options);
core::Result<std::string> map(const CommandOptions& options);
core::Result<std::string> split(const CommandOptions& options);
core::Result<std::string> merge(const CommandOptions& options);
core::Result<std::string> drain(const CommandOptions& options);
core::Result<std::string> resolve(const CommandOptions& options);
core::Result<std::string> send(const CommandOptions& options);
core::Result<std::string> token(const CommandOptions& options);

}  // namespace mobula::cluster
