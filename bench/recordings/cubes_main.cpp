// mobula-cubes: bytes needed to keep a client's copy of 901 tumbling cubes correct.
#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/core/command_line.hpp>

#include "recordings/cubes_play.hpp"

namespace {

constexpr int mismatched = 1;
constexpr int bad_input = 2;

int refuse(const std::string& message) {
  std::cerr << "mobula-cubes: " << message << '\n';
  return bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mobula;
  bench::CubesOptions options;
  std::string path;
  bool json = false;
  CLI::App app("Plays a recording of tumbling cubes through publisher, codec and mirror, and compares every cube.",
               "mobula-cubes");
  app.add_option("--recording", path, "frames of 901 cubes of 8 little-endian int32, unpacked")->required();
  app.add_option("--baseline-age", options.baseline_age, "frames until a state that a client has serves as baseline")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--loss", options.loss_percent, "percent of lost deltas and inputs")
      ->check(CLI::Range(0, 90))
      ->capture_default_str();
  app.add_option("--frames", options.frames, "maximum number of frames")->check(CLI::Range(2u, 1'000'000'000u));
  app.add_flag("--json", json, "print JSON instead of a table");
  app.footer(
      "Example:\n"
      "  xz -dc cubes.bin.xz > cubes.bin && mobula-cubes --recording cubes.bin\n"
      "Status 0: every cube was correct in every frame. With loss, a cube is compared with the frame of its last "
      "update.");
  if (const auto status = core::parse_command_line(app, argc, argv)) return *status;
  const auto recording = bench::CubesRecording::load(path);
  if (!recording) return refuse(path + ": " + recording.error().reason + ": " + recording.error().message);
  const auto report = bench::play_cubes(*recording, options);
  if (!report) return refuse(path + ": " + report.error().reason + ": " + report.error().message);
  std::cout << (json ? to_json(*report) + "\n" : to_table(*report, options));
  return report->mismatches == 0 ? 0 : mismatched;
}
