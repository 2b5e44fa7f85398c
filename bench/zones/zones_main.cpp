// mobula-zone-bench: costs of ghosts and crossings, and what a cluster of many nodes carries by them.
#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/core/log.hpp>
#include <mobula/process/command_line.hpp>
#include <mobula/process/standard_output.hpp>
#include <mobula/server/cluster/etcd.hpp>

#include "zones/zone_bench.hpp"

int main(int argc, char** argv) {
  using namespace mobula;
  std::uint32_t ghosts = 1000;
  std::uint32_t clients = 100;
  std::uint32_t ticks = 400;
  std::uint32_t crossings = 500;
  std::string etcd;
  double seconds = 4;
  bool json = false;
  CLI::App app("Measures the costs of ghosts and crossings between two zones.", "mobula-zone-bench");
  app.add_option("--ghosts", ghosts, "number of ghosts")->check(CLI::Range(1, 20'000))->capture_default_str();
  app.add_option("--clients", clients, "number of clients of the zone without neighbours")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app.add_option("--ticks", ticks, "ticks measured")->check(CLI::Range(1, 100'000))->capture_default_str();
  app.add_option("--crossings", crossings, "number of crossings")->check(CLI::Range(1, 20'000))->capture_default_str();
  app.add_option("--etcd", etcd, "members of an etcd to measure: http://HOST:PORT, separated by commas");
  app.add_option("--seconds", seconds, "time of each measurement of etcd")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app.add_flag("--json", json, "print JSON instead of tables");
  app.footer(
      "Two zones in this process, and the nodes of a cluster with an in-process twin of etcd. Costs are CPU times of\n"
      "this thread. The last table follows from them: a square world with a zone of 1 km per node. A zone has 5,000\n"
      "entities, of which 1,000 move, and 500 players, all at 1.5 m/s in random directions, seen from 50 m, at 20 "
      "ticks\n"
      "per second. Each entity crosses alone.\n"
      "Status 0: no ghost differed.");
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  core::set_log_level(core::LogLevel::warn);
  bench::ZoneReport report{.border = bench::measure_border(ghosts, ticks),
                           .alone = bench::measure_alone(ghosts, clients, ticks),
                           .crossings = bench::measure_crossings(crossings)};
  if (!etcd.empty()) {
    const core::Result<std::vector<std::string>> members = cluster::parse_members(etcd);
    if (!members) {
      std::cerr << "mobula-zone-bench: --etcd: " << members.error().message << '\n';
      return 2;
    }
    report.etcd = bench::measure_etcd(*members, static_cast<std::size_t>(report.crossings.record_bytes),
                                      static_cast<core::Nanoseconds>(seconds * core::second));
  }
  process::print(json ? bench::to_json(report) + "\n" : bench::to_table(report));
  return process::end_output("mobula-zone-bench", report.border.mismatches == 0 ? 0 : 1);
}
