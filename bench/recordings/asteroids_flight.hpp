// Makes recordings of asteroids without a physics engine: bodies that fly straight and turn evenly, inside a sphere.
#pragma once

#include <cstdint>
#include <mobula/core/bytes.hpp>

namespace mobula::bench {

struct FlightOptions {
  std::uint32_t frames = 960;
  std::uint32_t kicks_permille = 40;  // bodies in a thousand that get another velocity and spin in a frame
  std::uint64_t seed = 1;
};

// Returns a recording of 250 bodies at 30 frames a second. Speeds are 1 to 4 m/s, spins up to 45 degrees per second. A
// body that leaves the sphere, of radius 32 m, is reflected.
core::Bytes make_flight(const FlightOptions& options);

}  // namespace mobula::bench
