// Command line options of how a client connects, shared by all client programs.
#pragma once

#include <mobula/client/pipe/access.hpp>

namespace CLI {
class App;
}

namespace mobula::client {

/// Adds --connect, --admin, --admin-token-file, --key-file, --token, --ca-file and --simulate to a program.
void add_access_options(CLI::App& app, AccessOptions& options);

}  // namespace mobula::client
