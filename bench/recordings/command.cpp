#include "recordings/command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

namespace mobula::bench {
namespace {

constexpr int bad_input = 2;

}  // namespace

void add_options(CLI::App& app, PlayCommand& command, const char* recording_help, const char* age_flags) {
  command.program = app.get_name();
  app.add_option("--recording", command.path, recording_help)->required();
  app.add_option(age_flags, command.options.baseline_age, "frames until a state that a client has serves as baseline")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--loss", command.options.loss_percent, "percent of lost deltas and inputs")
      ->check(CLI::Range(0, 90))
      ->capture_default_str();
  app.add_option("--frames", command.options.frames, "maximum number of frames")->check(CLI::Range(2u, 1'000'000'000u));
  app.add_flag("--json", command.json, "print JSON instead of a table");
}

int refuse(const PlayCommand& command, const core::Error& error) {
  std::cerr << command.program << ": " << command.path << ": " << error.reason << ": " << error.message << '\n';
  return bad_input;
}

}  // namespace mobula::bench
