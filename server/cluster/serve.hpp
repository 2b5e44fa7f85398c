// The command that places worlds and answers HTTP until it is stopped.
#pragma once

#include <cluster/etcd_session.hpp>

namespace mobula::cluster {

inline constexpr std::uint16_t default_port = 7790;

struct ServeOptions {
  ClusterAddress at{};
  std::string address = "127.0.0.1";
  std::uint16_t port = default_port;  // 0 takes any free port
  std::string key_file{};             // the key of connect tokens; empty for none
  std::string token_file{};           // bearer token; empty for none, allowed on loopback addresses alone
  std::string node_token_file{};      // bearer token of the nodes' admin ports; empty for that of token_file
};

/// Runs until SIGINT or SIGTERM. Errors: those of files and of HttpServer::start().
core::Status serve(const ServeOptions& options);

}  // namespace mobula::cluster
