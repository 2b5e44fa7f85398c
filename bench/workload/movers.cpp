#include "workload/movers.hpp"

#include <algorithm>
#include <cmath>

namespace mobula::bench {
namespace {

using Vector = std::array<double, 3>;

constexpr double wander_radius = 5;  // objects outside turn back
constexpr std::uint32_t turn_percent = 5;
constexpr double speed_max = 3;
constexpr double mass = 15;

double length(const Vector& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }
Vector sum(const Vector& a, const Vector& b, double factor = 1) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
// Returns a zero vector for one that has no direction.
Vector unit(const Vector& a) {
  const double size = length(a);
  return size < 1e-9 ? Vector{} : sum({}, a, 1 / size);
}

engine::Vec3 floats(const Vector& a) {
  return {static_cast<float>(a[0]), static_cast<float>(a[1]), static_cast<float>(a[2])};
}

// Returns the rotation without roll that turns +z to a direction.
engine::Quat facing(const Vector& forward) {
  const double yaw = std::atan2(forward[0], forward[2]) / 2;
  const double pitch = -std::asin(std::clamp(forward[1], -1.0, 1.0)) / 2;
  return {static_cast<float>(std::sin(pitch) * std::cos(yaw)), static_cast<float>(std::cos(pitch) * std::sin(yaw)),
          static_cast<float>(-std::sin(pitch) * std::sin(yaw)), static_cast<float>(std::cos(pitch) * std::cos(yaw))};
}

}  // namespace

Movers::Movers(Motion motion, std::uint32_t count, std::uint32_t ticks_per_second, std::uint64_t seed)
    : random_(seed), tick_seconds_(1.0 / ticks_per_second), poses_(count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vector position = random_position();
    poses_[i].position = floats(position);
    if (motion == Motion::move_y) {
      const double speed = random_.uniform(0.5f, 1);
      swings_.push_back({position, speed, random_.uniform(0.5f, 1)});
      continue;
    }
    const Vector velocity = random_direction();
    wanderers_.push_back({position, velocity, random_wish(velocity)});
    poses_[i].rotation = facing(velocity);
  }
}

Movers::Vector Movers::random_position() {
  Vector position{};
  for (double& part : position) part = random_.uniform(-wander_radius, wander_radius);
  return position;
}

Movers::Vector Movers::random_direction() {
  for (;;) {
    const Vector vector{random_.uniform(-1, 1), random_.uniform(-1, 1), random_.uniform(-1, 1)};
    if (length(vector) <= 1 && length(vector) > 0.01) return unit(vector);
  }
}

// Returns a point of a circle of radius 1, which lies at distance 1 ahead and faces the object.
Movers::Vector Movers::random_wish(const Vector& velocity) {
  const Vector ahead = unit(velocity);
  const Vector right = unit(cross({0, 1, 0}, ahead));
  const Vector up = cross(ahead, right);
  for (;;) {
    const double x = random_.uniform(-1, 1);
    const double y = random_.uniform(-1, 1);
    if (x * x + y * y <= 1) return sum(sum(ahead, right, x), up, y);
  }
}

void Movers::wander(Wanderer& wanderer) {
  Vector& velocity = wanderer.velocity;
  if (length(wanderer.position) > wander_radius) {
    wanderer.wish = sum(unit(velocity), unit(wanderer.position), -1);
  } else if (random_.chance(turn_percent, 100)) {
    wanderer.wish = random_wish(velocity);
  }
  const Vector steering = sum(sum({}, unit(wanderer.wish), speed_max), velocity, -1);
  velocity = sum(velocity, steering, 1 / mass);
  if (length(velocity) > speed_max) velocity = sum({}, unit(velocity), speed_max);
  wanderer.position = sum(wanderer.position, velocity, tick_seconds_);
}

void Movers::step() {
  seconds_ += tick_seconds_;
  for (std::size_t i = 0; i < wanderers_.size(); ++i) {
    wander(wanderers_[i]);
    poses_[i] = {floats(wanderers_[i].position), facing(unit(wanderers_[i].velocity))};
  }
  for (std::size_t i = 0; i < swings_.size(); ++i) {
    const Swing& swing = swings_[i];
    poses_[i].position = floats(sum(swing.middle, {0, std::sin(seconds_ * swing.speed) * swing.amplitude, 0}));
  }
}

}  // namespace mobula::bench
