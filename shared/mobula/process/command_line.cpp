#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/process/command_line.hpp>
#include <mobula/process/standard_output.hpp>

namespace mobula::process {

std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  constexpr int bad_input = 2;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return end_output(app.get_name(), 0);
  } catch (const CLI::ParseError& error) {
    std::cerr << app.get_name() << ": " << error.what() << " (see --help)\n";
    return bad_input;
  }
  return std::nullopt;
}

}  // namespace mobula::process
