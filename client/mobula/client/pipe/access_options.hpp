// The command line's words for how a client gets in, for every program that is one.
#pragma once

#include <mobula/client/pipe/access.hpp>

namespace CLI {
class App;
}

namespace mobula::client {

void add_access_options(CLI::App& app, AccessOptions& options);

}  // namespace mobula::client
