// What every program does with its command line: help goes to standard output, a mistake to standard error.
#pragma once

#include <optional>

namespace CLI {
class App;
}

namespace mobula::core {

// Nothing: the program goes on. Else its exit status: 0 after --help, 2 after a mistake, both of which have been told
// by the app's name.
std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv);

}  // namespace mobula::core
