// mobula-sim: the real server, store and clients in a simulated world with faults, determined by a seed.
#include <poll.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <fstream>
#include <iostream>
#include <mobula/process/command_line.hpp>
#include <random>
#include <simulation/trial.hpp>
#include <thread>

namespace {

using namespace mobula;

constexpr int something_wrong = 1;
constexpr int cannot_write = 2;
constexpr std::uint32_t shrink_trials_max = 60;
constexpr std::uint32_t players_max = 10'000;      // in a cluster
constexpr std::uint32_t entities_max = 100'000;    // in a cluster
constexpr std::uint32_t server_players_max = 200;  // limits for a single server
constexpr std::uint32_t server_entities_max = 10'000;

struct Options {
  std::uint64_t seed = 0;  // the first one
  std::uint64_t seeds = 1;
  double minutes = 0;  // instead of `seeds`; 0 if unused
  std::string scenario = "all";
  std::string trace;
  sim::Size size;
  std::uint32_t at_once = std::max(1u, std::thread::hardware_concurrency());
  bool leaves_plan = false;  // a failing plan is not shrunk
  bool lists = false;        // scenarios are listed, and nothing is run
};

std::string line_of(const sim::Trial& trial) {
  char hash[17];
  std::snprintf(hash, sizeof(hash), "%016" PRIx64, trial.outcome.hash);
  return "seed " + std::to_string(trial.plan.seed) + " ticks " + std::to_string(trial.outcome.ticks) + " hash " + hash;
}

std::string again(const Options& options, std::uint64_t seed) {
  return "mobula-sim --seed " + std::to_string(seed) + " --scenario " + options.scenario + " --ticks " +
         std::to_string(options.size.ticks) + " --players " + std::to_string(options.size.players) + " --entities " +
         std::to_string(options.size.entities) + " --zones " + std::to_string(options.size.zones) + " --nodes " +
         std::to_string(options.size.nodes);
}

// Reports a failing seed: how to repeat it, the minimal plan and the trace.
void explain(const Options& options, const sim::Trial& failed) {
  std::cout << "\nWRONG at tick " << failed.outcome.ticks << ": " << failed.outcome.wrong << "\n"
            << failed.output << "again: " << again(options, failed.plan.seed) << "\n";
  sim::Plan plan = failed.plan;
  if (!options.leaves_plan) {
    plan = sim::shrink(plan, shrink_trials_max, [](std::uint32_t trials, std::size_t faults) {
      std::cerr << "\rshrinking: trial " << trials << ", " << faults << " faults   " << std::flush;
    });
    std::cerr << '\n';
  }
  const std::string path = options.trace.empty() ? "sim-" + std::to_string(plan.seed) + ".trace" : options.trace;
  const sim::Trial least = sim::run_trial(plan, path);
  std::cout << "minimal failing plan:\n"
            << to_string(plan) << "  tick " << least.outcome.ticks << ": " << least.outcome.wrong << "\ntrace: " << path
            << "\n";
}

struct Sums : sim::Results {
  std::uint64_t seeds = 0;

  void add(const sim::Results& outcome) {
    ++seeds;
    ticks += outcome.ticks;
    compared += outcome.compared;
    certain += outcome.certain;
    poses += outcome.poses;
    restarts += outcome.restarts;
    rejoins += outcome.rejoins;
    crossings += outcome.crossings;
    zone_changes += outcome.zone_changes;
    unseen += outcome.unseen;
    delays.merge(outcome.delays);
    delays_near_changes.merge(outcome.delays_near_changes);
  }
  void print() const {
    std::cout << seeds << " seeds, " << ticks << " ticks, " << compared << " states compared, " << certain
              << " ticks predicted for certain, " << poses << " rewound poses, " << restarts << " restarts of servers, "
              << rejoins << " rejoins, " << crossings << " crossings of entities, " << zone_changes << " of clients\n";
    if (delays.count() != 0) print_players();
  }

 private:
  void print_players() const {
    const auto print = [](const core::Histogram& of) {
      std::cout << "p50 " << of.percentile(0.5) << ", p99 " << of.percentile(0.99) << ", longest " << of.max() << " of "
                << of.count() << " commands";
    };
    std::cout << unseen << " updates without the own entity\nticks until commands are executed: ";
    print(delays);
    std::cout << "; near changes of zone: ";
    print(delays_near_changes);
    std::cout << '\n';
  }
};

// Runs several seeds at once. Ends at the first failing one and returns it.
std::optional<sim::Trial> run_many(const Options& options, Sums& sums) {
  using Clock = std::chrono::steady_clock;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.minutes * 60));
  std::vector<sim::RunningTrial> running;
  std::optional<sim::Trial> failed;
  std::uint64_t next = options.seed;
  const auto wants_more = [&] {
    return !failed && (options.minutes > 0 ? Clock::now() < end : next - options.seed < options.seeds);
  };
  while (wants_more() || !running.empty()) {
    while (wants_more() && running.size() < options.at_once)
      running.emplace_back(sim::draw_plan(next++, options.scenario, options.size), std::string());
    std::vector<pollfd> waits;
    for (const sim::RunningTrial& each : running) waits.push_back({each.descriptor(), POLLIN | POLLHUP, 0});
    ::poll(waits.data(), waits.size(), -1);
    for (std::size_t i = waits.size(); i-- > 0;) {
      if (waits[i].revents == 0) continue;
      const sim::Trial trial = running[i].finish();
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      std::cout << line_of(trial) << '\n';
      sums.add(trial.outcome);
      if (!trial.outcome.wrong.empty() && !failed) failed = trial;
    }
  }
  return failed;
}

int run(const Options& options) {
  Sums sums;
  if (options.seeds == 1 && options.minutes == 0) {
    const sim::Plan plan = sim::draw_plan(options.seed, options.scenario, options.size);
    std::cout << to_string(plan);
    const sim::Trial trial = sim::run_trial(plan, options.trace);
    if (trial.outcome.wrong.empty())
      std::cout << "nothing is wrong\n";
    else
      explain(options, trial);
    std::cout << line_of(trial) << '\n';
    sums.add(trial.outcome);
    sums.print();
    return trial.outcome.wrong.empty() ? 0 : something_wrong;
  }
  const std::optional<sim::Trial> failed = run_many(options, sums);
  if (failed) explain(options, *failed);
  sums.print();
  std::cout << (failed ? "something is wrong" : "nothing is wrong") << '\n';
  return failed ? something_wrong : 0;
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("--seed", options.seed, "seed, or first one of --seeds")
      ->check([](const std::string& seed) {
        std::uint64_t number = 0;
        const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), number);
        return error == std::errc() && *end == 0 ? std::string() : "a seed is an integer from 0 to 2^64 - 1";
      })
      ->capture_default_str();
  CLI::Option* seeds = app.add_option("--seeds", options.seeds, "number of seeds to run")
                           ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  app.add_option("--minutes", options.minutes, "run seeds for this many minutes instead of --seeds")
      ->check(CLI::Range(0.01, 100'000.0))
      ->excludes(seeds);
  app.add_option("--scenario", options.scenario, "faults to draw; see --list-scenarios")
      ->capture_default_str()
      ->check([](const std::string& name) {
        return sim::find_scenario(name) != nullptr ? std::string()
                                                   : "there is no scenario \"" + name + "\", see --list-scenarios";
      });
  app.add_option("--ticks", options.size.ticks, "ticks with faults per seed, before recovery is checked")
      ->check(CLI::Range(50u, 1'000'000u))
      ->capture_default_str();
  app.add_option("--players", options.size.players, "number of players at a time")
      ->check(CLI::Range(1u, players_max))
      ->capture_default_str();
  app.add_option("--zones", options.size.zones, "number of zones in scenarios of a cluster")
      ->check(CLI::Range(1u, 256u))
      ->capture_default_str();
  app.add_option("--nodes", options.size.nodes, "number of nodes in scenarios of a cluster")
      ->check(CLI::Range(1u, 64u))
      ->capture_default_str();
  app.add_option("--entities", options.size.entities, "number of entities in the world")
      ->check(CLI::Range(1u, entities_max))
      ->capture_default_str();
  app.add_option("--trace", options.trace,
                 "write events to a file: tick, tab, event, tab, entity; with several seeds those of a failing one")
      ->type_name("FILE");
  app.add_option("--at-once", options.at_once, "number of seeds at a time")->check(CLI::Range(1u, 256u));
  app.add_flag("--no-shrink", options.leaves_plan, "do not shrink a failing plan");
  app.add_flag("--list-scenarios", options.lists, "list scenarios, and the faults in a printed plan");
  app.footer(
      "Exit status: 0 all seeds pass, 1 a seed fails, 2 the trace cannot be written. A failing seed is shrunk "
      "to a minimal plan and traced.");
}

void list_scenarios() {
  for (const sim::Scenario& each : sim::scenarios()) std::cout << each.name << '\t' << each.about << '\n';
  std::cout << "\nIn a plan:\n";
  for (const sim::FaultKind& each : sim::fault_kinds()) std::cout << each.name << '\t' << each.about << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Runs the real server, store and clients on a virtual clock and a simulated network. A seed draws all "
      "events and faults. Invariants are checked after each tick.",
      "mobula-sim");
  add_options(app, options);
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  if (options.lists) {
    list_scenarios();
    return 0;
  }
  const bool fits = options.size.players <= server_players_max && options.size.entities <= server_entities_max;
  if (!fits && !sim::find_scenario(options.scenario)->has_zones) {
    std::cerr << "mobula-sim: a single server has at most " << server_players_max << " simulated players and "
              << server_entities_max << " entities\n";
    return cannot_write;
  }
  if (!options.trace.empty() && !std::ofstream(options.trace)) {
    std::cerr << "mobula-sim: " << options.trace << " cannot be written\n";
    return cannot_write;
  }
  try {
    const int status = run(options);
    return std::cout.flush() ? status : cannot_write;
  } catch (const std::exception& error) {  // a trial could not start
    std::cerr << "mobula-sim: " << error.what() << '\n';
    return cannot_write;
  }
}
