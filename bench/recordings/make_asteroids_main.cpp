// make-asteroids: writes a recording for mobula-asteroids, made without a physics engine.
#include <CLI/CLI.hpp>
#include <iostream>
#include <mobula/process/command_line.hpp>
#include <mobula/process/complete_files.hpp>

#include "recordings/asteroids_flight.hpp"

int main(int argc, char** argv) {
  using namespace mobula;
  bench::FlightOptions options;
  std::string path;
  CLI::App app("Writes a recording of 250 bodies that fly straight, turn evenly, and are kicked now and then.",
               "make-asteroids");
  app.add_option("FILE", path, "file to be written")->required();
  app.add_option("--frames", options.frames, "number of frames, 30 for each second")
      ->check(CLI::Range(2, 100'000))
      ->capture_default_str();
  app.add_option("--kicks", options.kicks_permille, "bodies in a thousand whose velocity and spin change in a frame")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of the random numbers")->capture_default_str();
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  const core::Bytes bytes = bench::make_flight(options);
  const core::Status written = process::write_files({{path, bytes}});
  if (written) return 0;
  std::cerr << "make-asteroids: " << written.error().reason << ": " << written.error().message << '\n';
  return 2;
}
