// mobula-rewind-bench: equality of rewound and drawn pictures, and the cost of rewind.
#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/process/command_line.hpp>
#include <mobula/process/standard_output.hpp>

#include "rewind/claims.hpp"
#include "rewind/rewind_bench.hpp"

namespace {

int report_claims(std::uint32_t claims, std::uint64_t seed, bool json) {
  using namespace mobula;
  const auto reports = bench::run_claims(claims, seed);
  if (!reports) {
    std::cerr << "mobula-rewind-bench: " << reports.error().reason << ": " << reports.error().message << '\n';
    return 2;
  }
  process::print(json ? to_json(*reports) + "\n" : to_table(*reports));
  return process::end_output("mobula-rewind-bench", 0);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mobula;
  bench::RewindOptions options;
  std::uint32_t claims = 0;
  bool json = false;
  CLI::App app("Compares what a server judges with what a client drew, and measures the cost.", "mobula-rewind-bench");
  app.add_option("--shots", options.shots, "commands whose view is rewound and compared")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--targets", options.targets, "entities that are compared with each shot")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--entities", options.entities, "entities of rays and recording")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--rays", options.rays, "number of rays")->check(CLI::Range(1, 10'000'000))->capture_default_str();
  app.add_option("--claims", claims, "measure instead the ages of at least N claims over each of 24 networks")
      ->check(CLI::Range(100, 10'000'000));
  app.add_option("--seed", options.seed, "seed of world and network")->capture_default_str();
  app.add_flag("--json", json, "print JSON instead of a table");
  app.footer(
      "One server and one client share a process. The network between them has 30 ms each way, 10 ms of jitter\n"
      "and 5% loss. Each pose that the server judges is compared bit by bit with the one that the client drew.\n"
      "Status 0: none differs.");
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  if (claims > 0) return report_claims(claims, options.seed, json);
  bench::RewindReport report;
  for (const auto run : {&bench::run_shots, &bench::run_rays}) {
    if (const core::Status done = run(options, report); !done) {
      std::cerr << "mobula-rewind-bench: " << done.error().reason << ": " << done.error().message << '\n';
      return 2;
    }
  }
  bench::run_recording(options, report);
  process::print(json ? to_json(report) + "\n" : to_table(report, options));
  return process::end_output("mobula-rewind-bench", report.unequal == 0 ? 0 : 1);
}
