#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <mobula/process/command_line.hpp>
#include <mobula/process/standard_output.hpp>

namespace mobula::process {
namespace {

// CLI::Range permits nan, which compares with no bound.
void check_finite(const CLI::Option& option) {
  if (option.get_type_name().find("FLOAT") == std::string::npos) return;
  for (const std::string& given : option.results()) {
    double number = 0;
    if (CLI::detail::lexical_cast(given, number) && !std::isfinite(number))
      throw CLI::ValidationError(option.get_name(), given + " is not a finite number");
  }
}

// An empty value is a variable of a script that is not set.
void check_not_empty(const CLI::Option& option) {
  if (option.get_expected_min() > 0 && std::ranges::find(option.results(), "") != option.results().end())
    throw CLI::ValidationError(option.get_name(), "its value is empty");
}

void check_values(const CLI::App& app) {
  for (const CLI::Option* const option : app.get_options()) {
    check_not_empty(*option);
    check_finite(*option);
  }
  for (const CLI::App* const subcommand : app.get_subcommands({})) check_values(*subcommand);
}

}  // namespace

std::optional<int> parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  constexpr int bad_input = 2;
  try {
    app.parse(argc, argv);
    check_values(app);
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
