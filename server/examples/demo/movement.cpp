#include <algorithm>
#include <cmath>
#include <examples/demo/line.hpp>
#include <examples/demo/movement.hpp>
#include <examples/demo/rules/rules.hpp>
#include <mobula/schema/components.hpp>
#include <vector>

namespace demo {
namespace {

using mobula::ecs::Entity;
using mobula::engine::Transform;
using mobula::engine::Vec3;
using mobula::hierarchy::WorldTransform;
using mobula::server::World;

constexpr float sight = 15.0f;
constexpr float reach = 1.5f;
constexpr float still_squared = 1e-6f;  // slower, squared, counts as standing still, without a direction

Vec3 on_ground(float x, float z) {
  Vec3 result;
  result.x = x;
  result.z = z;
  return result;
}

float ground_distance_squared(const Vec3& a, const Vec3& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.z - b.z) * (a.z - b.z);
}

// Returns a velocity with a uniformly random direction: a point in the disc, scaled.
Vec3 any_direction(mobula::core::Random& random, float speed) {
  for (;;) {
    const Vec3 point{random.uniform(-1, 1), 0, random.uniform(-1, 1)};
    const float length_squared = point.x * point.x + point.z * point.z;
    if (length_squared > 0.01f && length_squared <= 1) return towards({}, point, speed);
  }
}

// Comparisons are written so that a place or velocity that is no number is far from everything and stands still: it
// must not spread to others.

// Returns a place of the world relative to the walker's parent, as the walker's Transform and Velocity are.
Vec3 relative_to_parent(const mobula::ecs::Registry& registry, Entity walker, const Vec3& place) {
  const auto* const parent = registry.try_get<const mobula::engine::Parent>(walker);
  const auto* const frame = parent != nullptr ? registry.try_get<const WorldTransform>(parent->entity) : nullptr;
  return frame != nullptr ? mobula::hierarchy::relative_to(*frame, {.position = place}).position : place;
}

struct Prey {
  Entity entity;
  Vec3 position;
};

Entity nearest(const std::vector<Prey>& prey, const Vec3& from) {
  Entity best;
  float best_distance = sight * sight;
  for (const Prey& candidate : prey) {
    const float distance = ground_distance_squared(candidate.position, from);
    if (!(distance < best_distance)) continue;
    best_distance = distance;
    best = candidate.entity;
  }
  return best;
}

// A view that lists a component as mutable marks it as changed. Components that are written only sometimes are
// therefore fetched.

void wander(World& world, Entity mob, const Wander& wander, const Transform& transform) {
  mobula::core::Random& random = world.random();
  const std::uint32_t average_ticks = 3 * world.ticks_per_second();
  const bool astray = ground_distance_squared(transform.position, wander.home) > wander.radius * wander.radius;
  if (!random.chance(1, astray ? average_ticks / 4 + 1 : average_ticks)) return;
  auto* velocity = world.registry().try_get<Velocity>(mob);
  if (velocity == nullptr) return;
  if (astray) {
    velocity->linear = towards(transform.position, wander.home, wander.speed);
  } else {
    velocity->linear = random.chance(1, 3) ? Vec3{} : any_direction(random, wander.speed);
  }
}

using Hunters = mobula::ecs::View<const Target, const Wander, const Transform>;

void hunt(World& world, const Hunters& hunters) {
  mobula::ecs::Registry& registry = world.registry();
  const bool look_around = world.tick() % world.ticks_per_second() == 0;
  std::vector<Prey> prey;
  world.hierarchy().update();
  if (look_around) {
    registry.view<const Avatar, const WorldTransform>().each(
        [&](Entity avatar, const Avatar&, const WorldTransform& at) { prey.push_back({avatar, at.position}); });
  }
  hunters.each([&](Entity mob, const Target& target, const Wander& wander, const Transform& transform) {
    const Entity chosen = look_around ? nearest(prey, registry.get<const WorldTransform>(mob).position)
                          : registry.valid(target.entity) ? target.entity
                                                          : Entity{};
    if (chosen != target.entity) registry.get<Target>(mob).entity = chosen;
    const auto* goal = registry.try_get<const WorldTransform>(chosen);
    auto* velocity = registry.try_get<Velocity>(mob);
    if (goal == nullptr || velocity == nullptr) return;
    const Vec3 place = relative_to_parent(registry, mob, goal->position);
    const bool arrived = ground_distance_squared(transform.position, place) < reach * reach;
    velocity->linear = arrived ? Vec3{} : towards(transform.position, place, wander.speed * 1.5f);
  });
}

void walk(World& world, Entity mover, const Velocity& velocity) {
  const float speed_squared = ground_distance_squared({}, velocity.linear);
  if (!(speed_squared >= still_squared && std::isfinite(speed_squared))) return;
  auto* transform = world.registry().try_get<Transform>(mover);
  if (transform == nullptr) return;
  const float dt = world.seconds_per_tick();
  transform->position.x = std::clamp(transform->position.x + velocity.linear.x * dt, -world_edge, world_edge);
  transform->position.z = std::clamp(transform->position.z + velocity.linear.z * dt, -world_edge, world_edge);
  transform->rotation = facing(velocity.linear);
}

// Looks up the line every time, because a reload of the level replaces resources.
void patrol(World& world, Patrol& patrol, Transform& transform) {
  const mobula::resource::Resource* level = world.level();
  const mobula::resource::Static* found = level == nullptr ? nullptr : level->find_static(patrol.line);
  if (found == nullptr || found->type != line_type) return;
  const Line line(found->data);
  patrol.walked = std::fmod(patrol.walked + patrol.speed * world.seconds_per_tick(), line.length());
  const Vec3 ahead = line.at(patrol.walked + 0.1f);
  transform.position = line.at(patrol.walked);
  const Vec3 direction = on_ground(ahead.x - transform.position.x, ahead.z - transform.position.z);
  if (ground_distance_squared({}, direction) > still_squared) transform.rotation = facing(direction);
}

}  // namespace

void add_movement(mobula::ecs::Schedule& schedule, World& world) {
  const mobula::ecs::PhaseId phase = schedule.add_phase("movement");
  schedule.declare<Velocity>(schedule.add_each<const Wander, const Transform>(
      "wander", phase, [&world](Entity mob, const Wander& mobs_wander, const Transform& transform) {
        wander(world, mob, mobs_wander, transform);
      }));
  schedule.declare<const Avatar, WorldTransform, Target, Velocity>(
      schedule.add<const Target, const Wander, const Transform>(
          "hunt", phase,
          [&world](const mobula::ecs::SystemContext&, const Hunters& hunters) { hunt(world, hunters); }));
  schedule.add_each<Patrol, Transform>(
      "patrol", phase, [&world](Patrol& on_duty, Transform& transform) { patrol(world, on_duty, transform); });
  schedule.declare<Transform>(schedule.add_each<const Velocity>(
      "walk", phase, mobula::ecs::exclude<Walker, Stone>,
      [&world](Entity mover, const Velocity& velocity) { walk(world, mover, velocity); }));
}

}  // namespace demo
