// mobula-join-table: what it takes to join a server that has a large level.
#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/core/command_line.hpp>

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
  CLI::App app("Lets clients join a server with a level of which part is no longer as it was, and tells what it took.",
               "mobula-join-table");
  app.add_option("--objects", options.objects, "in the level, in hundreds")
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
      "The client sees everything there is: no layers, no limit but the session's own pace. It is compiled against no\n"
      "schema, and updates every 25 ms. Bytes are those of datagrams, without the headers of UDP and IP:\n"
      "  handshake  netcode's, until the session stands\n"
      "  welcome    then, until the first delta: Welcome, the level's alive bitmap, prototypes; also the schema, for "
      "who\n"
      "             does not have the resource, which contains it\n"
      "  deltas     from there on, with whatever came between\n"
      "all of it until the mirror is complete: it knows of nothing that it lacks. Then each entity is compared, value "
      "by\n"
      "value. A round trip is one answer to an answer, whatever it waited for. A client without the resource is told\n"
      "each entity; one that fetches it for the next time is sent it meanwhile.\n"
      "Status 0: all was right.");
  if (const auto status = core::parse_command_line(app, argc, argv)) return *status;
  options.round_trip = round_trip_ms * core::millisecond;
  std::vector<bench::JoinReport> reports;
  std::uint64_t mismatches = 0;
  for (const bench::JoinCase& join : bench::usual_joins()) {
    const auto report = bench::run_join(join, options);
    if (!report) return refuse(std::string(report.error().reason) + ": " + report.error().message);
    reports.push_back(*report);
    mismatches += report->mismatches;
  }
  std::cout << (json ? to_json(reports, options) + "\n" : to_table(reports, options));
  return mismatches == 0 ? 0 : mismatched;
}
