// Commands of the program that ask a cluster something, and end. Each prints one line of JSON.
#pragma once

#include <cluster/etcd_session.hpp>
#include <mobula/core/content_hash.hpp>

namespace mobula::cluster {

struct CommandOptions {
  ClusterAddress at{};
  std::string world{};
  std::string game{};
  std::string node{};
  std::string account{};
  std::string key_file{};
};

/// Returns the line that a command prints. Errors: those of Control, of the key file and of world_token_json(), "no
/// such world", "not open".
core::Result<std::string> list(const CommandOptions& options);
core::Result<std::string> place(const CommandOptions& options);
core::Result<std::string> drain(const CommandOptions& options);
core::Result<std::string> resolve(const CommandOptions& options);
core::Result<std::string> token(const CommandOptions& options);

/// Loads the key of connect tokens. Prints a warning to the log if others may read the file.
core::Result<core::SecretKey> load_key(const std::string& path);

}  // namespace mobula::cluster
