#include <CLI/CLI.hpp>
#include <filesystem>
#include <mobula/core/command_line.hpp>
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
  CLI::App app("Serves a world: spawns a compiled level, runs the game at a fixed tick, mirrors it to every client.",
               config.program);
  app.add_option(
      "--level", config.level,
      "compiled level to spawn (made by mobula-compile); without one the world starts empty, which a game may refuse");
  app.add_option("--port", config.port, "UDP port; 0 takes any free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--tcp-port", config.tcp_port, "also take clients over TCP here; 0 takes any free port")
      ->check(CLI::Range(0, 65535));
  CLI::Option* ws_port =
      app.add_option("--ws-port", config.ws_port, "also take clients over WebSocket here; 0 takes any free port")
          ->check(CLI::Range(0, 65535));
  CLI::Option* certificate =
      app.add_option("--certificate", config.certificate, "certificate chain (PEM): WebSocket clients come by wss")
          ->type_name("FILE")
          ->needs(ws_port);
  CLI::Option* key = app.add_option("--certificate-key", config.certificate_key, "the certificate's private key (PEM)")
                         ->type_name("FILE")
                         ->needs(certificate);
  certificate->needs(key);
  app.add_option(
         "--public-address", config.public_addresses,
         "where clients find this server's UDP port, as connect tokens say it; may be given several times. Default: "
         "this machine's own addresses")
      ->type_name("HOST:PORT")
      ->allow_extra_args(false);
  app.add_option(
         "--key-file", config.key_file,
         "the key that this server shares with the backend that makes connect tokens (mobula-token --new-key makes "
         "one). Without it the server makes a key for itself and hands out tokens at its admin address")
      ->type_name("FILE");
  app.add_option("--admin-port", config.admin_port,
                 "HTTP port on 127.0.0.1 for tokens and health; 0 takes any free one")
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
  CLI::App* health = app.add_subcommand("health", "exit 0 if a server lives at an admin address, 1 if not");
  health->add_option("--admin", config.health_target, "URL")->default_val("http://127.0.0.1:7780");
  app.footer(
      core::format("Examples:\n"
                   "  {0} --level village.level\n"
                   "  {0} --level village.level --port 9000 --tick-rate 60 --seed 7\n"
                   "  {0} --level village.level --tcp-port 7777 --ws-port 7778 --key-file shared.key\n"
                   "  {0} health\n"
                   "Stops in good order on SIGINT and SIGTERM; loads the level again on SIGHUP.",
                   config.program));
  if (const auto ended = core::parse_command_line(app, argc, argv)) {
    status = *ended;
    return std::nullopt;
  }
  if (*health) config.job = Config::Job::check_health;
  return config;
}

}  // namespace mobula::server
