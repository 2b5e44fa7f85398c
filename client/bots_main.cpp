#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <iostream>
#include <mobula/client/access_options.hpp>
#include <mobula/client/bots.hpp>
#include <mobula/core/command_line.hpp>

namespace {

constexpr int failed = 1;
constexpr int bad_input = 2;
// Without a bound CLI11 takes -1 for the greatest number there is.
const CLI::Range count(std::uint64_t{0}, std::uint64_t{1'000'000'000'000'000'000});

int refuse(const std::string& message) {
  std::cerr << "mobula-bots: " << message << '\n';
  return bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  mobula::client::BotsOptions options;
  mobula::client::AccessOptions access;
  std::string json_path;
  CLI::App app("Connects many clients that walk about, and checks that each mirrors the server.", "mobula-bots");
  mobula::client::add_access_options(app, access);
  app.add_option("--clients", options.clients, "how many")->check(CLI::Range(1, 10000))->capture_default_str();
  app.add_option("--verify", options.verify,
                 "so many of the bots mirror the world and check it, the others acknowledge what comes unread, which "
                 "takes less of this machine; default: all")
      ->check(CLI::Range(0, 10000));
  app.add_option("--seconds", options.seconds, "for how long")->check(CLI::Range(0.1, 1e6))->capture_default_str();
  app.add_option("--json", json_path, "also write the result to this file, as JSON");
  app.add_option("--seed", options.seed, "seed of where the bots walk")->check(count)->capture_default_str();
  app.footer(
      "Examples:\n"
      "  mobula-bots --connect 127.0.0.1:7777 --clients 20 --seconds 5\n"
      "  mobula-bots --connect localhost:7777 --clients 200 --seconds 60 --json bots.json\n"
      "  mobula-bots --connect localhost:7777 --clients 1000 --verify 10\n"
      "  mobula-bots --connect tcp:localhost:7777 --simulate \"latency=80ms jitter=20ms loss=5%\"\n"
      "Status 0 only if every bot joined and stayed, and all mirrors were verified without a mismatch.");
  if (const auto status = mobula::core::parse_command_line(app, argc, argv)) return *status;
  if (!std::isfinite(options.seconds)) return refuse("--seconds: expected a number from 0.1 to 1000000 (see --help)");
  const auto parsed = mobula::client::parse_access(std::move(access));
  if (!parsed) return refuse(parsed.error().message);
  options.access = *parsed;
  const auto report = mobula::client::run_bots(options);
  if (!report) return refuse(report.error().message);
  std::cout << to_table(*report);
  if (!json_path.empty()) {
    std::ofstream file(json_path);
    file << to_json(*report) << '\n';
    if (!file.flush()) return refuse(json_path + ": cannot be written");
  }
  const bool good = report->joined == report->clients && report->lost == 0 && report->mismatches == 0 &&
                    (options.verify == 0 || report->verified_ticks > 0);
  return good ? 0 : failed;
}
