// Command-line parsing shared by all programs: help goes to standard output, errors to standard error.
#pragma once

#include <optional>

namespace CLI {
class App;
}

namespace mobula::process {

/// Parses the command line. Returns nothing if the program should go on, otherwise its exit status: 0 after --help, 2
/// after an error. Help or error have then been printed. Help that cannot be written has status 1. An empty value
/// is an error, and so is a real number that is not finite.
std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv);

}  // namespace mobula::process
