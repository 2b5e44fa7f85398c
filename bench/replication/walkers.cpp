#include "replication/walkers.hpp"

#include <algorithm>
#include <cmath>
#include <mobula/schema/engine.hpp>

namespace mobula::bench {
namespace {

constexpr float half_width = 511;
constexpr float half_height = 64;
constexpr std::size_t observers_max = 500;  // observers that the average is taken from

float squared_distance(const engine::Vec3& a, const engine::Vec3& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
}

void walk(float& position, float& step, float half) {
  if (std::abs(position + step) > half) step = -step;
  position += step;
}

}  // namespace

Walkers::Walkers(const WalkersConfig& config) : config_(config), random_(config.seed) {
  for (std::uint32_t i = 0; i < config.entities; ++i) {
    positions_.push_back({random_.uniform(-half_width, half_width), random_.uniform(-half_height, half_height),
                          random_.uniform(-half_width, half_width)});
    steps_.push_back({speed(), speed(), speed()});
  }
  radius_ = config.view >= config.entities ? 0 : fitting_radius();
}

float Walkers::speed() {
  const float speed = random_.uniform(1, 10) / static_cast<float>(config_.ticks_per_second);
  return random_.chance(1, 2) ? speed : -speed;
}

// Average number of entities in range of an entity, itself included.
double Walkers::seen_within(float radius) const {
  const std::size_t observers = std::min(observers_max, positions_.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < observers; ++i)
    for (const engine::Vec3& position : positions_)
      count += squared_distance(positions_[i], position) <= radius * radius ? 1 : 0;
  return static_cast<double>(count) / static_cast<double>(observers);
}

// Visible entities stay until the leave radius: the truth is about half way between the two radii.
float Walkers::fitting_radius() const {
  constexpr float seen_ratio = (1 + server::Layer::usual_leave_ratio) / 2;
  float low = 0;
  float high = 4 * half_width;
  for (int i = 0; i < 20; ++i) {
    const float radius = (low + high) / 2;
    (seen_within(radius * seen_ratio) < config_.view ? low : high) = radius;
  }
  return high;
}

std::vector<server::Layer> Walkers::layers() const {
  if (radius_ == 0) return {};
  return {{.name = "walkers", .radius = radius_}};
}

core::Status Walkers::start(server::World& world) {
  entities_.resize(config_.entities);
  if (!world.registry().create(std::span(entities_), engine::Transform{}))
    return core::Error{"too many entities", "more than a registry holds"};
  for (std::size_t i = 0; i < entities_.size(); ++i)
    world.registry().get<engine::Transform>(entities_[i]).position = positions_[i];
  return core::Done{};
}

core::Result<ecs::Entity> Walkers::join(server::World& /*world*/, const server::Player& /*player*/) {
  return entities_[joined_++ % entities_.size()];
}

void Walkers::leave(server::World& /*world*/, const server::Player& /*player*/) {}

void Walkers::tick(server::World& world) {
  for (std::uint32_t i = 0; i < config_.moving; ++i) {
    if (random_.chance(1, config_.ticks_per_second)) steps_[i] = {speed(), speed(), speed()};
    walk(positions_[i].x, steps_[i].x, half_width);
    walk(positions_[i].y, steps_[i].y, half_height);
    walk(positions_[i].z, steps_[i].z, half_width);
    world.registry().get<engine::Transform>(entities_[i]).position = positions_[i];
  }
}

}  // namespace mobula::bench
