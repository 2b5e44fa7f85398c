// mobula-workload: public benchmarks of other libraries, run by Mobula's server and clients.
#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/process/command_line.hpp>
#include <mobula/process/standard_output.hpp>

#include "workload/purrnet.hpp"

namespace {

using namespace mobula;

constexpr int wrong = 1;
constexpr int bad_input = 2;

int refuse(const std::string& message) {
  std::cerr << "mobula-workload: " << message << '\n';
  return bad_input;
}

constexpr const char* move_y = "move_y";

// Values of options that are converted later.
struct Texts {
  std::string motion = "wander";
  std::pair<double, double> tolerance;
};

void add_options(CLI::App& app, bench::PurrnetOptions& options, Texts& texts) {
  app.add_option("motion", texts.motion, "wander or move_y; default: wander")->check(CLI::IsMember({"wander", move_y}));
  app.add_option("--clients", options.clients, "number of clients, which all see all objects")
      ->check(CLI::Range(1u, bench::purrnet_clients_max))
      ->capture_default_str();
  app.add_option("--objects", options.objects, "number of objects")
      ->check(CLI::Range(1u, bench::purrnet_objects_max))
      ->capture_default_str();
  app.add_option("--tick-rate", options.ticks_per_second, "ticks per second")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "time measured")->check(CLI::Range(0.1, 3600.0))->capture_default_str();
  app.add_option("--settle", options.settle_seconds, "seconds between the last client's join and the measurement")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  app.add_option("--latency", options.latency, "delay of each direction, such as 85ms")->capture_default_str();
  app.add_option("--tolerance", texts.tolerance,
                 "errors of dead reckoning, in metres and of a part of a quaternion; 0,0 disables it; default: "
                 "0.064,0.125")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 1.0));
}

}  // namespace

int main(int argc, char** argv) {
  bench::PurrnetOptions options;
  Texts texts{.tolerance = {options.tolerance.position, options.tolerance.rotation}};
  bool json = false;
  CLI::App app("Runs public benchmarks of other libraries with Mobula's server and clients.", "mobula-workload");
  app.require_subcommand(1);
  CLI::App& purrnet = *app.add_subcommand("purrnet", "objects that wander, or move up and down, seen by all clients");
  add_options(purrnet, options, texts);
  purrnet.add_flag("--json", json, "print JSON instead of a table");
  purrnet.footer(
      "An update is one object in one tick for one client.\n"
      "  goodput  deltas with their headers\n"
      "  wire     datagrams to clients, with the headers of session, packet, UDP and IP, and the seal\n"
      "  server   CPU time of the whole server process, the kernel's work for it included; clients run in another one\n"
      "  errors   greatest difference between a client's pose of a tick and the true one: of a coordinate in metres,\n"
      "           and of a part of the quaternion\n"
      "  missing  poses that a client did not have in a tick\n"
      "Status 0: clients had poses, and all agreed with the server's hashes.");
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  const auto [position, rotation] = texts.tolerance;
  options.motion = texts.motion == move_y ? bench::Motion::move_y : bench::Motion::wander;
  options.tolerance = {position, rotation};
  if ((position > 0) != (rotation > 0) || (position > 0 && (position < 0.0001 || rotation < 0.0001)))
    return refuse("--tolerance: both are 0, or both at least 0.0001");
  const core::Result<bench::PurrnetReport> report = bench::run_purrnet(options);
  if (!report) return refuse(report.error().message);
  process::print(json ? to_json(*report, options) + "\n" : to_table(*report, options));
  return process::end_output("mobula-workload", is_right(*report) ? 0 : wrong);
}
