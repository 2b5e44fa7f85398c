#include <unistd.h>

#include <CLI/CLI.hpp>
#include <bots/limit.hpp>
#include <bots/progress.hpp>
#include <bots/report_html.hpp>
#include <bots/report_json.hpp>
#include <bots/run.hpp>
#include <cmath>
#include <demo/demo_player.hpp>
#include <examples/demo/rules/rules.hpp>
#include <fstream>
#include <iostream>
#include <mobula/client/pipe/access_options.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/process/command_line.hpp>
#include <mobula/process/log_output.hpp>
#include <mobula/process/standard_output.hpp>
#include <mobula/transport/simulation/conditions_text.hpp>

namespace {

using namespace mobula;

constexpr const char* program = "mobula-bots";
constexpr int failed = 1;
constexpr int bad_input = 2;
constexpr std::uint32_t clients_max = client::RampLimits().clients_max;
// Without a bound, CLI11 parses -1 as the greatest number.
const CLI::Range count(std::uint64_t{0}, std::uint64_t{1'000'000'000'000'000'000});

int refuse(const std::string& message) {
  std::cerr << program << ": " << message << '\n';
  return bad_input;
}

// Options as given on the command line.
struct Line {
  client::AccessOptions access;
  std::uint32_t clients = 0;  // 0 if not given
  std::optional<std::uint32_t> verify;
  double seconds = 0;  // 0 if not given
  std::string ramp;
  std::string behaviours = "wander";
  bool predict = false;
  std::uint64_t seed = 1;
  std::string json_path;
  std::string html_path;
  std::vector<std::string> required;
  bool list_measures = false;
};

std::string behaviours_help() {
  std::string help = "behaviour of the bots: one of these, or a mix such as wander=70,churn=30.";
  for (const client::Behaviour& each : client::behaviours()) help += core::format("\n{}: {}", each.name, each.help);
  return help;
}

void add_options(CLI::App& app, Line& line) {
  line.access.account = "bot";
  client::add_access_options(app, line.access);
  client::add_cluster_options(app, line.access);
  app.get_option("--account")
      ->description("in a cluster the bots have the accounts NAME-1, NAME-2 and so on")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--clients", line.clients, "number of bots; default: 20, or the greatest number of --ramp")
      ->check(CLI::Range(1u, clients_max));
  app.add_option("--seconds", line.seconds, "length of the run; default: 10 (after a --ramp that climbs)")
      ->check(CLI::Range(0.1, 1e6));
  app.add_option(
         "--ramp", line.ramp,
         "number of bots over time: \"30s\" climbs to all in that time; \"100@10s,500@30s\" holds 100 for 10 s, then "
         "500 for 30 s; \"30s,500@1m\" climbs to 500 and holds. Times in ms, s, m, h. Default: all at once")
      ->type_name("RAMP");
  app.add_option("--behaviour", line.behaviours, behaviours_help())->type_name("MIX")->capture_default_str();
  app.add_option(
      "--verify", line.verify,
      "number of bots that mirror the world and verify it; the others acknowledge deltas without reading them, which "
      "needs less CPU time; default: all");
  app.add_flag(
      "--predict", line.predict,
      "bots that mirror (--verify) also predict by the demo's rules; the report has their mispredictions; one client "
      "receives the level before the run");
  app.add_option("--seed", line.seed, "seed of the bots' random decisions")->check(count)->capture_default_str();
  app.add_option("--require", line.required,
                 "a limit: \"p99_interval_ms<=100\"; with <=, <, >=, > or ==. May be repeated; status 1 if "
                 "one is not met")
      ->type_name("LIMIT")
      ->allow_extra_args(false);
  app.add_flag("--list-measures", line.list_measures, "list the measures of --require and the JSON, and exit");
  app.add_option("--json", line.json_path, "also write the result to this file, as JSON")->type_name("FILE");
  app.add_option("--html", line.html_path, "also write a report with charts to this file; it is self-contained")
      ->type_name("FILE");
  app.footer(
      "Examples:\n"
      "  mobula-bots --connect 127.0.0.1:7777 --clients 20 --seconds 5\n"
      "  mobula-bots --connect localhost:7777 --ramp 30s --clients 1000 --verify 10 --seconds 120 --html report.html\n"
      "  mobula-bots --connect localhost:7777 --ramp 100@10s,500@30s,1000@30s --behaviour wander=70,churn=30\n"
      "  mobula-bots --connect localhost:7777 --clients 500 --require \"p99_interval_ms<=60\" --require \"lost<=5\"\n"
      "  mobula-bots --connect localhost:7777 --clients 50 --predict --require \"remote_mispredictions==0\"\n"
      "  mobula-bots --cluster http://localhost:7790 --world land.west --behaviour roam\n"
      "  mobula-bots --connect tcp:localhost:7777 --simulate \"latency=80ms jitter=20ms loss=5%\"\n"
      "By default a run requires that all bots joined and stayed, that all mirrors matched the server, and\n"
      "that mirrors were verified (joined, lost, mismatches, verified_ticks); --require with the same name overrides "
      "them.\n"
      "Status 0: all limits are met; 1: they are not; 2: wrong input.");
}

core::Result<client::BotsOptions> read(Line& line) {
  client::BotsOptions options;
  const core::Result<client::Access> access = client::parse_access(line.access);
  if (!access) return access.error();
  options.access = *access;
  const core::Result<client::Ramp> ramp = client::Ramp::parse(
      line.ramp, {.clients = line.clients, .length = static_cast<core::Nanoseconds>(line.seconds * core::second)});
  if (!ramp) return core::Error{ramp.error().reason, "--ramp: " + ramp.error().message};
  options.ramp = *ramp;
  core::Result<client::BehaviourMix> mix = client::parse_behaviours(line.behaviours);
  if (!mix) return core::Error{mix.error().reason, "--behaviour: " + mix.error().message};
  options.behaviours = std::move(*mix);
  const std::uint32_t clients = ramp->most();
  if (clients == 0) return core::Error{"bad ramp", "--ramp: it has no bots"};
  if (line.verify && *line.verify > clients)
    return core::Error{"bad verify", core::format("--verify: {} of {} bots cannot be", *line.verify, clients)};
  options.verify = line.verify.value_or(clients);
  if (line.predict && options.verify == 0)
    return core::Error{"bad predict", "--predict: no bot mirrors the world, as --verify is 0"};
  if (line.predict) options.predicts = {&demo::rules, client::demo_schema(), {}};
  options.seed = line.seed;
  return options;
}

core::Result<std::vector<client::BotsLimit>> read_limits(const std::vector<std::string>& texts) {
  std::vector<client::BotsLimit> limits;
  for (const std::string& text : texts) {
    core::Result<client::BotsLimit> limit = client::parse_limit(text);
    if (!limit) return core::Error{limit.error().reason, "--require: " + limit.error().message};
    limits.push_back(std::move(*limit));
  }
  return limits;
}

// Checked before the run, so that a long run is not lost.
core::Status check_writable(const std::string& path) {
  if (path.empty() || std::ofstream(path, std::ios::app)) return core::Done{};
  return core::Error{"cannot be written", path + ": cannot be written"};
}

core::Status write(const std::string& path, const std::string& text) {
  if (path.empty()) return core::Done{};
  std::ofstream file(path);
  file << text;
  if (file.flush()) return core::Done{};
  return core::Error{"cannot be written", path + ": cannot be written"};
}

// Quotes an argument for a shell.
std::string shell_word(std::string_view argument) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string_view::npos) return std::string(argument);
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string whole_line(int argc, char** argv) {
  std::string text = program;
  for (int i = 1; i < argc; ++i) text += " " + shell_word(argv[i]);
  return text;
}

int run(const Line& line, client::BotsOptions options, const std::vector<client::BotsLimit>& required,
        client::BotsRunInfo info) {
  client::BotsProgress progress(stderr, isatty(STDERR_FILENO) != 0, core::in_seconds(options.ramp.length()));
  options.progress = [&](const client::BotsSample& sample) { progress.show(sample); };
  core::Result<client::BotsReport> report = client::run_bots(options);
  progress.end();
  if (!report) return refuse(report.error().message);
  report->info = std::move(info);
  const auto verdicts = client::judge(*report, client::limits_of(required, report->clients, options.verify > 0));
  process::print(client::to_table(*report) + '\n' + client::to_table(verdicts));
  for (const core::Status& written : {write(line.json_path, client::to_json(*report, verdicts) + "\n"),
                                      write(line.html_path, client::to_html(*report, verdicts))})
    if (!written) return refuse(written.error().message);
  const bool cut_short = report->stopped && !required.empty();
  if (cut_short) process::print("stopped before its time: the limits are not met by that\n");
  return client::all_met(verdicts) && !cut_short ? 0 : failed;
}

}  // namespace

int main(int argc, char** argv) {
  Line line;
  CLI::App app("Connects many clients to a server, as a load and as a check that each mirrors it.", program);
  add_options(app, line);
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  if (line.list_measures) {
    process::print(client::list_measures());
    return process::end_output(program, 0);
  }
  if (line.access.connect.empty() && line.access.cluster.empty())
    return refuse("--connect or --cluster is required (see --help)");
  if (app.count("--seconds") > 0 && !std::isfinite(line.seconds))
    return refuse("--seconds: expected a number from 0.1 to 1000000 (see --help)");
  core::Result<client::BotsOptions> options = read(line);
  if (!options) return refuse(options.error().message);
  const core::Result<std::vector<client::BotsLimit>> required = read_limits(line.required);
  if (!required) return refuse(required.error().message);
  if (!line.json_path.empty() && line.json_path == line.html_path)
    return refuse("--json and --html name the same file (see --help)");
  for (const std::string& path : {line.json_path, line.html_path})
    if (const core::Status writable = check_writable(path); !writable) return refuse(writable.error().message);
  core::set_log_level(core::LogLevel::warn);  // bots join and leave often; the report has their number
  process::log_in_background();
  client::BotsRunInfo info{.command_line = whole_line(argc, argv),
                           .server = line.access.cluster.empty() ? line.access.connect : line.access.cluster,
                           .behaviours = to_string(options->behaviours),
                           .simulated = line.access.simulate,
                           .version = MOBULA_VERSION,
                           .seed = line.seed,
                           .began_at = core::unix_now()};
  return process::end_output(program, run(line, std::move(*options), *required, std::move(info)));
}
