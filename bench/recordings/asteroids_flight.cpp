#include "recordings/asteroids_flight.hpp"

#include <array>
#include <cmath>
#include <mobula/core/random.hpp>
#include <numbers>
#include <vector>

#include "recordings/asteroids.hpp"

namespace mobula::bench {
namespace {

constexpr double frame_seconds = 1.0 / 30;
constexpr float sphere_radius = 32;
constexpr float spin_max = std::numbers::pi_v<float> / 4;  // radians per second

using Vector = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // x, y, z, w

struct Body {
  Vector position{};
  Vector velocity{};
  Quaternion rotation{};
  Quaternion turn{};  // rotation of one frame
};

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Returns a vector of length 1. Its direction is uniform.
Vector direction(core::Random& random) {
  for (;;) {
    Vector vector{};
    for (double& part : vector) part = random.uniform(-1, 1);
    const double square = dot(vector, vector);
    if (square > 1 || square < 1e-4) continue;
    for (double& part : vector) part /= std::sqrt(square);
    return vector;
  }
}

Quaternion around(const Vector& axis, double angle) {
  const double sine = std::sin(angle / 2);
  return {axis[0] * sine, axis[1] * sine, axis[2] * sine, std::cos(angle / 2)};
}

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

void kick(Body& body, core::Random& random) {
  body.velocity = direction(random);
  const double speed = random.uniform(1, 4);
  for (double& part : body.velocity) part *= speed;
  const Vector axis = direction(random);
  body.turn = around(axis, random.uniform(0, spin_max) * frame_seconds);
}

Body launch(core::Random& random) {
  Body body;
  body.position = direction(random);
  const double distance = sphere_radius * std::cbrt(random.uniform(0, 1));
  for (double& part : body.position) part *= distance;
  const Vector axis = direction(random);
  body.rotation = around(axis, random.uniform(0, std::numbers::pi_v<float>));
  kick(body, random);
  return body;
}

void move(Body& body) {
  for (std::size_t i = 0; i < 3; ++i) body.position[i] += body.velocity[i] * frame_seconds;
  body.rotation = product(body.turn, body.rotation);
  const double outward = dot(body.position, body.velocity);
  const double square = dot(body.position, body.position);
  if (square <= double{sphere_radius} * sphere_radius || outward <= 0) return;
  for (std::size_t i = 0; i < 3; ++i) body.velocity[i] -= 2 * outward / square * body.position[i];
}

std::array<float, floats_per_asteroid> floats_of(const Body& body) {
  std::array<float, floats_per_asteroid> floats{};
  for (std::size_t i = 0; i < 3; ++i) floats[i] = static_cast<float>(body.position[i]);
  for (std::size_t i = 0; i < 4; ++i) floats[3 + i] = static_cast<float>(body.rotation[i]);
  return floats;
}

}  // namespace

core::Bytes make_flight(const FlightOptions& options) {
  core::Random random(options.seed);
  std::vector<Body> bodies;
  for (std::size_t i = 0; i < asteroids_per_frame; ++i) bodies.push_back(launch(random));
  core::Bytes bytes;
  for (std::uint32_t frame = 0; frame < options.frames; ++frame) {
    for (Body& body : bodies) {
      const auto floats = floats_of(body);
      const core::ByteView values = core::as_bytes(floats.data(), floats.size());
      bytes.insert(bytes.end(), values.begin(), values.end());
      move(body);
      if (random.chance(options.kicks_permille, 1000)) kick(body, random);
    }
  }
  return bytes;
}

}  // namespace mobula::bench
