#include <algorithm>
#include <cmath>
#include <examples/demo/rules/avatar_step.hpp>
#include <examples/demo/rules/rules.hpp>
#include <mobula/schema/components.hpp>
#include <optional>

namespace demo {
namespace {

using mobula::ecs::Entity;
using mobula::engine::Transform;
using mobula::engine::Vec3;
using mobula::hierarchy::WorldTransform;
using mobula::prediction::PredictedWorld;

constexpr float near_squared = 1e-4f;    // nearer counts as arrived
constexpr float still_squared = 1e-6f;   // slower, squared, counts as standing still, without a direction
constexpr float astray_squared = 0.01f;  // further beside the goal, squared, the avatar turns to it
constexpr float blocked_below = 0.02f;   // share of the way of a tick: less towards the goal ends the walk

// Comparisons are written so that a place or velocity that is no number stands still.

float ground_squared(float x, float z) { return x * x + z * z; }

// Returns the place of what an avatar is on. Nothing if it is on the ground.
std::optional<WorldTransform> carrier_of(PredictedWorld& world, Entity avatar) {
  const auto* const carrier = world.try_get<const Carrier>(avatar);
  if (carrier == nullptr) return std::nullopt;
  return WorldTransform{carrier->position, carrier->rotation};
}

void end_walk(PredictedWorld& world, Entity avatar) {
  if (world.get<const Walker>(avatar).has_goal) world.get<Walker>(avatar).has_goal = false;
}

// Turns the velocity to the goal, if it leads past it.
void aim_at_goal(const Walker& walker, const Vec3& from, Vec3& velocity) {
  const float x = walker.goal_x - from.x;
  const float z = walker.goal_z - from.z;
  const float beside = x * velocity.z - z * velocity.x;
  const float speed_squared = ground_squared(velocity.x, velocity.z);
  if (beside * beside > astray_squared * speed_squared)
    velocity = towards(from, {walker.goal_x, 0, walker.goal_z}, avatar_speed);
}

struct Stride {
  Vec3 to;
  bool arrives = false;
};

// Returns where a tick leads without obstacles.
Stride stride_of(const Walker& walker, const Vec3& from, const Vec3& velocity, float dt) {
  const float x = walker.goal_x - from.x;
  const float z = walker.goal_z - from.z;
  const float way_squared = ground_squared(velocity.x, velocity.z) * dt * dt;
  Stride stride{from};
  stride.arrives = walker.has_goal && ground_squared(x, z) <= std::max(way_squared, near_squared);
  stride.to.x = std::clamp(stride.arrives ? walker.goal_x : from.x + velocity.x * dt, -world_edge, world_edge);
  stride.to.z = std::clamp(stride.arrives ? walker.goal_z : from.z + velocity.z * dt, -world_edge, world_edge);
  return stride;
}

// Returns whether a tick has brought the avatar so little nearer to its goal that it will not come further.
bool is_blocked(const Walker& walker, const Vec3& from, const Vec3& to, float way) {
  const float before = std::sqrt(ground_squared(walker.goal_x - from.x, walker.goal_z - from.z));
  const float after = std::sqrt(ground_squared(walker.goal_x - to.x, walker.goal_z - to.z));
  return !(before - after >= way * blocked_below);
}

void stop(PredictedWorld& world, Entity avatar) {
  world.get<Velocity>(avatar).linear = {};
  end_walk(world, avatar);
}

void walk(PredictedWorld& world, Entity avatar, const Walker& walker, const Obstacles& obstacles) {
  Vec3 velocity = world.get<const Velocity>(avatar).linear;
  const Vec3 from = world.get<const Pose>(avatar).position;
  if (walker.has_goal) aim_at_goal(walker, from, velocity);
  const float speed_squared = ground_squared(velocity.x, velocity.z);
  if (!(speed_squared >= still_squared && std::isfinite(speed_squared))) return end_walk(world, avatar);
  const Stride stride = stride_of(walker, from, velocity, world.seconds_per_tick());
  const bool meets = world.try_get<const Carrier>(avatar) == nullptr;
  const Vec3 to = meets ? obstacles.slide(from, stride.to, avatar_radius, avatar_height) : stride.to;
  auto& pose = world.get<Pose>(avatar);
  pose.position = to;
  pose.rotation = facing(velocity);
  const float way = std::sqrt(speed_squared) * world.seconds_per_tick();
  if (walker.has_goal && (stride.arrives || is_blocked(walker, from, to, way))) return stop(world, avatar);
  if (walker.has_goal && world.get<const Velocity>(avatar).linear != velocity)
    world.get<Velocity>(avatar).linear = velocity;
}

bool is_avatar(PredictedWorld& world, Entity entity) {
  return world.steps(entity) && world.try_get<const Walker>(entity) != nullptr &&
         world.try_get<const Velocity>(entity) != nullptr && world.try_get<const Pose>(entity) != nullptr;
}

}  // namespace

void move_avatar(PredictedWorld& world, Entity avatar, float x, float z) {
  if (!is_avatar(world, avatar) || !is_direction_to_move(x, z)) return;
  world.get<Velocity>(avatar).linear = {x * avatar_speed, 0, z * avatar_speed};
  end_walk(world, avatar);
}

void walk_avatar_to(PredictedWorld& world, Entity avatar, float x, float z) {
  if (!is_avatar(world, avatar) || !is_in_world(x, z)) return;
  Vec3 goal{x, 0, z};
  if (const std::optional<WorldTransform> carrier = carrier_of(world, avatar))
    goal = mobula::hierarchy::relative_to(*carrier, {.position = goal}).position;
  const Vec3& from = world.get<const Pose>(avatar).position;
  world.get<Velocity>(avatar).linear = towards(from, goal, avatar_speed);
  auto& walker = world.get<Walker>(avatar);
  walker.goal_x = goal.x;
  walker.goal_z = goal.z;
  walker.has_goal = true;
}

void step_avatars(PredictedWorld& world, const Obstacles& obstacles) {
  world.each<const Walker, const Velocity, const Pose>(
      [&](Entity avatar, const Walker& walker, const Velocity& /*velocity*/, const Pose& /*pose*/) {
        if (walker.rest > 0) --world.get<Walker>(avatar).rest;
        walk(world, avatar, walker, obstacles);
      });
}

WorldTransform aiming_place(PredictedWorld& world, Entity avatar) {
  const Pose& pose = world.get<const Pose>(avatar);
  Transform raised{pose.position, pose.rotation};
  raised.position.y += aim_height;
  const std::optional<WorldTransform> carrier = carrier_of(world, avatar);
  return carrier ? mobula::hierarchy::compose(*carrier, raised) : WorldTransform{raised.position, raised.rotation};
}

}  // namespace demo
