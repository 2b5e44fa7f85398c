// mobula-prediction-bench: mispredictions on bad networks, and the cost of prediction.
#include <CLI/CLI.hpp>
#include <mobula/process/command_line.hpp>
#include <mobula/process/standard_output.hpp>

#include "prediction/prediction_bench.hpp"

int main(int argc, char** argv) {
  using namespace mobula;
  std::uint32_t ticks = 20'000;
  std::uint32_t rounds = 20;
  bool json = false;
  CLI::App app("Measures mispredictions, corrections, and the cost of prediction.", "mobula-prediction-bench");
  app.add_option("--ticks", ticks, "ticks of each game")->check(CLI::Range(100, 10'000'000))->capture_default_str();
  app.add_option("--rounds", rounds, "measurements of the cost, of which the least counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--json", json, "print JSON instead of a table");
  app.footer(
      "A player runs among 8 crates at random, pushes them and throws stones, at 20 ticks per second and three\n"
      "frames per tick, on a simulated network. All of it is predicted. A misprediction is explained if the same\n"
      "rules give the server's values once late commands run where the server ran them. Corrections are of\n"
      "positions, before they are smoothed. Those below a metre are also followed as they are shown: how far they\n"
      "move a body per frame, and how long until less than 1 cm is left. The cost is without rules, of entities\n"
      "with 28 + 12 predicted bytes.\n"
      "Status 0: no misprediction was unexplained.");
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  const bench::PredictionReport report = bench::run_prediction_bench(ticks, rounds);
  std::uint64_t unexplained = 0;
  for (const bench::PredictedGame& game : report.games) unexplained += game.unexplained;
  process::print(json ? bench::to_json(report) + "\n" : bench::to_table(report));
  return process::end_output("mobula-prediction-bench", unexplained == 0 ? 0 : 1);
}
