// mobula-join-table: cost of joining a server with a large level.
#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/process/command_line.hpp>
#include <mobula/process/standard_output.hpp>

#include "join/join_bench.hpp"

namespace {

constexpr int mismatched = 1;

int refuse(const std::string& message) {
  std::cerr << "mobula-join-table: " << message << '\n';
  return mismatched;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mobula;
  bench::JoinOptions options;
  std::uint32_t round_trip_ms = 100;
  bool json = false;
  CLI::App app("Measures the cost of joining a server whose level has changed in part.", "mobula-join-table");
  app.add_option("--objects", options.objects, "number of objects in the level, a multiple of 100")
      ->check(CLI::Range(100, 20'000))
      ->capture_default_str();
  app.add_option("--round-trip", round_trip_ms, "milliseconds, simulated")
      ->check(CLI::Range(2, 2000))
      ->capture_default_str();
  app.add_option("--tick-rate", options.ticks_per_second, "ticks per second")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_flag("--json", json, "print JSON instead of a table");
  app.footer(
      "The client sees all entities, limited only by the session's rate control. It has no schema of its own\n"
      "and updates every 25 ms. Bytes are those of datagrams, without the headers of UDP and IP:\n"
      "  handshake  netcode's, until the session is established\n"
      "  welcome    then, until the first delta: Welcome, the level's alive bitmap, prototypes; also the schema, for\n"
      "             a client without the resource that contains it\n"
      "  deltas     from then on, including everything else\n"
      "All are measured until the mirror is complete. Then all values of all entities are compared. A round trip\n"
      "is an answer to an answer, whatever it waited for. A client without the resource receives each entity. One\n"
      "that fetches the resource for the next time receives it meanwhile.\n"
      "Status 0: all values were correct.");
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  options.round_trip = round_trip_ms * core::millisecond;
  std::vector<bench::JoinReport> reports;
  std::uint64_t mismatches = 0;
  for (const bench::JoinCase& join : bench::usual_joins()) {
    const auto report = bench::run_join(join, options);
    if (!report) return refuse(std::string(report.error().reason) + ": " + report.error().message);
    reports.push_back(*report);
    mismatches += report->mismatches;
  }
  process::print(json ? to_json(reports, options) + "\n" : to_table(reports, options));
  return process::end_output("mobula-join-table", mismatches == 0 ? 0 : mismatched);
}
