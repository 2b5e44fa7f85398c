// Command line options of how a client connects, shared by all client programs.
#pragma once

#include <mobula/client/pipe/access.hpp>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mobula::client {

/// Adds --connect, --admin, --admin-token-file, --key-file, --token, --ca-file and --simulate to a program.
void add_access_options(CLI::App& app, AccessOptions& options);
/// Adds --cluster, --world and --account to a program of one client, after add_access_options(). --connect is not
/// required then.
void add_cluster_options(CLI::App& app, AccessOptions& options);
/// Adds --name, the player's name, to a program. A longer one than others would see is refused.
CLI::Option* add_name_option(CLI::App& app, std::string& name);

}  // namespace mobula::client
