#include <algorithm>
#include <cmath>
#include <examples/demo/rules/avatar_step.hpp>
#include <examples/demo/rules/rules.hpp>
#include <examples/demo/rules/stone_step.hpp>
#include <limits>
#include <mobula/schema/components.hpp>

namespace demo {
namespace {

using mobula::ecs::Entity;
using mobula::engine::Vec3;
using mobula::prediction::Command;
using mobula::prediction::PredictedWorld;

constexpr float throw_speed = 15;  // metres per second
constexpr float gravity = 9.81f;   // metres per second squared
constexpr float kept = 0.4f;       // share of the speed that a bounce leaves
constexpr float rests_below = 1;   // metres per second after a bounce on the ground
constexpr float backoff = 0.01f;   // metres to a surface that was hit
constexpr std::uint32_t life = 3;  // seconds
constexpr std::uint32_t rests_per_second = 2;

template <class Number>
Number ticks(std::uint32_t count) {
  return static_cast<Number>(std::clamp<std::uint32_t>(count, 1, std::numeric_limits<Number>::max()));
}

Vec3 along(const Vec3& from, const Vec3& direction, float distance) {
  return {from.x + direction.x * distance, from.y + direction.y * distance, from.z + direction.z * distance};
}

bool is_zero(const Vec3& v) { return v.x == 0 && v.y == 0 && v.z == 0; }

// Returns the first surface in the way, the ground among them.
std::optional<SurfaceHit> first_hit(const Obstacles& obstacles, const Vec3& from, const Vec3& direction, float way) {
  std::optional<SurfaceHit> hit = obstacles.ray(from, direction, way);
  if (!(direction.y < 0)) return hit;
  const float to_ground = std::max(0.0f, from.y / -direction.y);
  if (to_ground <= way && (!hit || to_ground < hit->distance)) hit = SurfaceHit{to_ground, {0, 1, 0}};
  return hit;
}

Vec3 reflected(const Vec3& velocity, const Vec3& normal) {
  const float into = velocity.x * normal.x + velocity.y * normal.y + velocity.z * normal.z;
  const Vec3 mirrored = along(velocity, normal, -2 * into);
  return {mirrored.x * kept, mirrored.y * kept, mirrored.z * kept};
}

void hit_surface(PredictedWorld& world, Entity entity, const SurfaceHit& hit, Vec3& velocity, const Vec3& place) {
  velocity = reflected(velocity, hit.normal);
  if (hit.normal.y > 0 && velocity.y < rests_below) velocity = {};
  auto& stone = world.get<Stone>(entity);
  if (stone.has_hit) return;
  stone.has_hit = true;
  const Impact impact{place, entity};
  world.effect(impact_effect, effect_key(stone.by, stone.command), mobula::core::as_bytes(&impact, 1));
}

// Keeps a place in the world. Returns whether it was outside.
bool is_kept_inside(Vec3& place) {
  const Vec3 given = place;
  place.x = std::clamp(place.x, -world_edge, world_edge);
  place.y = std::clamp(place.y, 0.0f, world_edge);
  place.z = std::clamp(place.z, -world_edge, world_edge);
  return given.x != place.x || given.z != place.z;
}

void fly(PredictedWorld& world, Entity entity, const Obstacles& obstacles) {
  Vec3 velocity = world.get<const Velocity>(entity).linear;
  if (is_zero(velocity)) return;
  const float dt = world.seconds_per_tick();
  velocity.y -= gravity * dt;
  const float speed = std::sqrt(velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z);
  if (!(speed > 0 && std::isfinite(speed))) return;
  const Vec3 direction{velocity.x / speed, velocity.y / speed, velocity.z / speed};
  const Vec3 from = world.get<const Pose>(entity).position;
  const std::optional<SurfaceHit> hit = first_hit(obstacles, from, direction, speed * dt);
  Vec3 place = along(from, direction, hit ? hit->distance : speed * dt);
  if (hit) {
    place = along(place, hit->normal, backoff);
    hit_surface(world, entity, *hit, velocity, place);
  }
  if (is_kept_inside(place)) velocity = {};
  world.get<Pose>(entity).position = place;
  world.get<Velocity>(entity).linear = velocity;
}

}  // namespace

void throw_stone(PredictedWorld& world, const Command& command, const Vec3& direction) {
  const auto* const walker = world.try_get<const Walker>(command.entity);
  if (walker == nullptr || walker->rest > 0 || !is_direction_to_aim(direction)) return;
  if (!world.steps(command.entity) || world.try_get<const Pose>(command.entity) == nullptr) return;
  const Vec3 from = aiming_place(world, command.entity).position;
  const Vec3 aim = unit(direction);
  const Entity stone = world.spawn(command, Pose{.position = from, .rotation = {.x = 0, .y = 0, .z = 0, .w = 1}},
                                   Velocity{.linear = {aim.x * throw_speed, aim.y * throw_speed, aim.z * throw_speed}},
                                   Stone{.left = ticks<std::uint16_t>(life * world.ticks_per_second()),
                                         .by = {command.entity.index, command.entity.generation},
                                         .command = command.number});
  if (!stone) return;
  world.get<Walker>(command.entity).rest = ticks<std::uint8_t>(world.ticks_per_second() / rests_per_second);
  world.effect(throw_effect, effect_key(command.entity, command.number), mobula::core::as_bytes(&command.entity, 1));
}

void step_stones(PredictedWorld& world, const Obstacles& obstacles) {
  world.each<Stone, const Velocity, const Pose>(
      [&](Entity entity, Stone& stone, const Velocity& /*velocity*/, const Pose& /*transform*/) {
        if (stone.left <= 1) return world.destroy(entity);
        --stone.left;
        fly(world, entity, obstacles);
      });
}

}  // namespace demo
