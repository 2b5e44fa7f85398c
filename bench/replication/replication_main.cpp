// mobula-replication-bench: the server's cost per client and tick, with thousands of clients in one process.
#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/process/command_line.hpp>
#include <mobula/process/standard_output.hpp>

#include "replication/replication_bench.hpp"

namespace {

constexpr int mismatched = 1;
constexpr int bad_input = 2;

int refuse(int status, const std::string& message) {
  std::cerr << "mobula-replication-bench: " << message << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mobula;
  bench::ReplicationOptions options;
  bool json = false;
  CLI::App app("Runs a server and many clients, and measures the server's CPU time per client and tick.",
               "mobula-replication-bench");
  app.add_option("--entities", options.walkers.entities, "number of entities in the world")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--moving", options.walkers.moving, "number of entities that move")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--clients", options.clients, "number of clients")
      ->check(CLI::Range(1, 60'000))
      ->capture_default_str();
  app.add_option("--view", options.walkers.view,
                 "average number of entities visible to a client; the value of --entities makes all visible")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--tick-rate", options.walkers.ticks_per_second, "ticks per second, and inputs of each client")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "duration in seconds of the world's time, after all clients have joined")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  app.add_option("--loss", options.loss_percent, "percent of datagrams lost in each direction")
      ->check(CLI::Range(0, 50))
      ->capture_default_str();
  app.add_flag("--sockets", options.sockets, "use UDP sockets in real time, with the clients in a thread of their own");
  app.add_flag("--json", json, "print JSON instead of a table");
  app.footer(
      "Times are the CPU times of the server's thread, divided by a clock that is read between the phases:\n"
      "  publish   changes are found, quantised and kept; positions are updated for interest\n"
      "  choose    visibility queries, and the selection of what is sent\n"
      "  encode    entities encoded, or found in the cache; deltas written\n"
      "  seal      datagrams of sessions made and encrypted, acknowledgements and keep-alives\n"
      "  send      output: a copy into the simulated network, or the socket's send\n"
      "  receive   decryption, session, input, acknowledgements; the socket's receive\n"
      "The game's own rules are part of the tick, but of no phase. Inputs carry acknowledgements and no commands. "
      "Deltas\n"
      "are encoded against states sent 3 to 6 ticks before. Eight clients have mirrors, whose values are\n"
      "compared with the world's, and with the server's hashes; with --sockets with the hashes alone.\n"
      "Example: 5,000 clients at 20 Hz that each see their own 100 of 1,000\n"
      "  mobula-replication-bench --clients 5000 --view 100\n"
      "Exit status 0: all clients joined, and all mirrored values were right.");
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  if (options.walkers.moving > options.walkers.entities) return refuse(bad_input, "--moving is more than --entities");
  const auto report = bench::run_replication(options);
  if (!report) return refuse(mismatched, std::string(report.error().reason) + ": " + report.error().message);
  process::print(json ? to_json(*report) + "\n" : to_table(*report, options));
  return process::end_output("mobula-replication-bench", report->mismatches == 0 ? 0 : mismatched);
}
