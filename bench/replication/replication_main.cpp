// mobula-replication-bench: what the server takes per client and tick, with thousands of clients in one process.
#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/core/command_line.hpp>

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
  CLI::App app("Runs a server and many clients, and tells what the server's core takes for each of them in a tick.",
               "mobula-replication-bench");
  app.add_option("--entities", options.walkers.entities, "in the world")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--moving", options.walkers.moving, "so many of them walk about")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--clients", options.clients, "how many")->check(CLI::Range(1, 60'000))->capture_default_str();
  app.add_option("--view", options.walkers.view, "so many entities each client sees, about; as many as there are: all")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--tick-rate", options.walkers.ticks_per_second, "ticks per second, and inputs of each client")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "of the world's time, after all have joined")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  app.add_option("--loss", options.loss_percent, "percent of datagrams that never arrive, each way")
      ->check(CLI::Range(0, 50))
      ->capture_default_str();
  app.add_flag("--sockets", options.sockets, "over UDP, the clients in a thread of their own; in real time");
  app.add_flag("--json", json, "print JSON instead of a table");
  app.footer(
      "Times are the CPU's of the server's thread, shared out by a clock that is read between:\n"
      "  publish   what changed is found, quantised and kept; where everything is, for interest\n"
      "  choose    what each client sees, and what of it goes out\n"
      "  encode    strings of entities, made or found, and deltas written\n"
      "  seal      sessions' datagrams made and encrypted, acknowledgements and keep-alives\n"
      "  send      the output's part: a copy into the network, or the socket's\n"
      "  receive   decryption, session, input, acknowledgements; and what the socket takes\n"
      "The game's own rules are in the tick, and not in these. Inputs carry acknowledgements and no commands; what a\n"
      "client acknowledges is rested on 3 to 6 ticks after it was sent. Eight clients have mirrors, whose values are\n"
      "compared with the world's, and with the server's hashes; with --sockets with the hashes alone.\n"
      "Example: 5,000 clients at 20 Hz that each see their own 100 of 1,000\n"
      "  mobula-replication-bench --clients 5000 --view 100\n"
      "Status 0: all joined, and what was mirrored was right.");
  if (const auto status = core::parse_command_line(app, argc, argv)) return *status;
  if (options.walkers.moving > options.walkers.entities) return refuse(bad_input, "--moving: more than --entities");
  const auto report = bench::run_replication(options);
  if (!report) return refuse(mismatched, std::string(report.error().reason) + ": " + report.error().message);
  std::cout << (json ? to_json(*report) + "\n" : to_table(*report, options));
  return report->mismatches == 0 ? 0 : mismatched;
}
