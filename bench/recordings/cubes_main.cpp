// mobula-cubes: bytes needed to keep a client's copy of 901 tumbling cubes correct.
#include <CLI/CLI.hpp>
#include <mobula/process/command_line.hpp>

#include "recordings/command.hpp"
#include "recordings/cubes.hpp"

int main(int argc, char** argv) {
  using namespace mobula;
  bench::PlayCommand command;
  CLI::App app("Plays a recording of tumbling cubes through publisher, codec and mirror, and compares every cube.",
               "mobula-cubes");
  bench::add_options(app, command, "frames of 901 cubes of 8 little-endian int32, unpacked", "--baseline-age");
  app.footer(
      "Example:\n"
      "  xz -dc cubes.bin.xz > cubes.bin && mobula-cubes --recording cubes.bin\n"
      "Status 0: every cube was correct in every frame. With loss, a cube is compared with the frame of its last "
      "update.");
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  return bench::run(command, bench::parse_cubes, bench::play_cubes);
}
