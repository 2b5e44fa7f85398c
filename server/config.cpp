#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <mobula/core/format.hpp>
#include <mobula/server/config.hpp>

namespace mobula::server {
namespace {

// Without a bound CLI11 takes -1 for the greatest number there is.
const CLI::Range count(std::uint64_t{0}, std::uint64_t{1'000'000'000'000'000'000});

}  // namespace

std::optional<Config> parse_command_line(int argc, char** argv, int& status) {
  Config config;
  config.program = std::filesystem::path(argv[0]).filename();
  CLI::App app("Serves a world: spawns a compiled level, runs the game at a fixed tick, mirrors it to every client.");
  app.add_option(
      "--level", config.level,
      "compiled level to spawn (made by mobula-compile); without one the world starts empty, which a game may refuse");
  app.add_option("--port", config.port, "UDP port; 0 takes any free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--tick-rate", config.tick_rate, "ticks per second")->check(CLI::Range(1, 240))->capture_default_str();
  app.add_option("--ticks", config.ticks, "end after so many ticks; 0: when told to stop")
      ->check(count)
      ->capture_default_str();
  app.add_option("--seed", config.seed, "seed of everything random in the world")->check(count)->capture_default_str();
  app.add_option("--max-clients", config.clients_max, "sessions at once")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  app.add_flag("--verbose", config.verbose, "log debug lines too");
  CLI::App* health = app.add_subcommand("health", "exit 0 if a server answers at an address, 1 if not");
  health->add_option("--connect", config.health_target, "HOST:PORT")->default_val("127.0.0.1:7777");
  app.footer(
      core::format("Examples:\n"
                   "  {0} --level village.level\n"
                   "  {0} --level village.level --port 9000 --tick-rate 60 --seed 7\n"
                   "  {0} health --connect 127.0.0.1:7777\n"
                   "Stops in good order on SIGINT and SIGTERM; loads the level again on SIGHUP.",
                   config.program));
  try {
    app.parse(argc, argv);
    if (*health) config.job = Config::Job::check_health;
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    status = 0;
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    std::cerr << config.program << ": " << error.what() << " (see --help)\n";
    status = 2;
    return std::nullopt;
  }
  return config;
}

}  // namespace mobula::server
