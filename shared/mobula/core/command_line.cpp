#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/core/command_line.hpp>

namespace mobula::core {

std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  constexpr int bad_input = 2;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help() << std::flush;
    return 0;
  } catch (const CLI::ParseError& error) {
    std::cerr << app.get_name() << ": " << error.what() << " (see --help)\n";
    return bad_input;
  }
  return std::nullopt;
}

}  // namespace mobula::core
