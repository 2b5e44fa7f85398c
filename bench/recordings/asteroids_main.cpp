// mobula-asteroids: bytes needed to keep a client's copy of 250 flying and colliding bodies correct.
#include <CLI/CLI.hpp>
#include <mobula/process/command_line.hpp>

#include "recordings/asteroids.hpp"
#include "recordings/command.hpp"

int main(int argc, char** argv) {
  using namespace mobula;
  bench::PlayCommand command;
  command.options.baseline_age = 2;
  CLI::App app("Plays a recording of asteroids through publisher, codec and mirror, and measures every body's error.",
               "mobula-asteroids");
  bench::add_options(app, command, "frames of 250 bodies of 7 little-endian floats, unpacked", "--age,--baseline-age");
  std::pair<double, double> tolerance{0.005, 0.0009};
  app.add_option(
         "--tolerance", tolerance,
         "errors of dead reckoning, in metres and of a part of a quaternion; 0,0 disables it; default: 0.005,0.0009")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 1.0));
  app.footer(
      "An update is one body in one frame.\n"
      "  goodput  deltas with their headers\n"
      "  wire     datagrams: with the headers of session, packet, UDP and IP, and the seal\n"
      "  errors   greatest difference between a mirrored and the recorded pose: of a coordinate in metres, and of a\n"
      "           part of the quaternion. With loss, a body is compared with the frame of its last update.\n"
      "  missing  bodies in frames that the mirror did not have, or without loss, not at the newest tick\n"
      "Example:\n"
      "  make-asteroids asteroids.bin && mobula-asteroids --recording asteroids.bin\n"
      "Status 0: no body was missing.");
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  const auto [position, rotation] = tolerance;
  if ((position > 0) != (rotation > 0) || (position > 0 && (position < 0.0001 || rotation < 0.0001)))
    return bench::refuse(command, {"bad tolerance", "both are 0, or both at least 0.0001"});
  return bench::run(command, bench::parse_asteroids, [&](const auto& recording, const bench::PlayOptions& options) {
    return bench::play_asteroids(recording, options, {position, rotation});
  });
}
