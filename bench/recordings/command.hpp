// Options and output of the programs that play a recording.
#pragma once

#include <mobula/process/standard_output.hpp>
#include <string>

#include "recordings/play_report.hpp"
#include "recordings/recording.hpp"

namespace CLI {
class App;
}

namespace mobula::bench {

struct PlayCommand {
  std::string program;
  std::string path;
  PlayOptions options;
  bool json = false;
};

// Adds the options of a command to its program. `age_flags` are the names of the option of the baseline's age.
void add_options(CLI::App& app, PlayCommand& command, const char* recording_help, const char* age_flags);

// Prints an error about the recording. Returns the program's exit status.
int refuse(const PlayCommand& command, const core::Error& error);

// Loads the recording, plays it by play(recording, options), and prints the report. Returns the program's exit status.
template <class Parse, class Play>
int run(const PlayCommand& command, Parse parse, Play play) {
  const auto recording = load_recording(command.path, parse);
  if (!recording) return refuse(command, recording.error());
  const auto report = play(*recording, command.options);
  if (!report) return refuse(command, report.error());
  process::print(command.json ? to_json(*report) + "\n" : to_table(*report, command.options));
  return process::end_output(command.program, is_right(*report) ? 0 : 1);
}

}  // namespace mobula::bench
