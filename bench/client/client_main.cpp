// mobula-client-bench: the cost of a client per tick, through C++ and through the C interface.
#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/process/command_line.hpp>
#include <mobula/process/standard_output.hpp>

#include "client/client_bench.hpp"

int main(int argc, char** argv) {
  using namespace mobula;
  bench::ClientOptions options;
  bool json = false;
  CLI::App app("Measures a client through C++ and through the C interface, in turns.", "mobula-client-bench");
  app.add_option("--entities", options.entities, "number of entities, all of which move and are visible")
      ->check(CLI::Range(1, 4000))
      ->capture_default_str();
  app.add_option("--ticks", options.ticks, "number of ticks that are measured")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--joins", options.joins, "number of joins over the loopback interface, through each")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--json", json, "print JSON instead of a table");
  app.footer(
      "A tick is: its datagrams are received, the connection is updated, changes are read, and all Transforms are\n"
      "copied to arrays with their entities. The server is in the same process, and its time is not included.\n"
      "Exit status 0: all hashes of the server matched both mirrors, and the mirrors were equal.");
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  const auto report = bench::run_clients(options);
  if (!report) {
    std::cerr << "mobula-client-bench: " << report.error().reason << ": " << report.error().message << '\n';
    return 1;
  }
  process::print(json ? to_json(*report) + "\n" : to_table(*report));
  return process::end_output("mobula-client-bench", report->mismatches == 0 && report->verified_ticks > 0 ? 0 : 1);
}
