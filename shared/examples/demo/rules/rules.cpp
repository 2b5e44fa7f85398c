#include <mobula/schema/demo_commands_generated.h>

#include <algorithm>
#include <cmath>
#include <examples/demo/rules/avatar_step.hpp>
#include <examples/demo/rules/rules.hpp>
#include <examples/demo/rules/step.hpp>
#include <examples/demo/rules/stone_step.hpp>
#include <mobula/prediction/predicted_world.hpp>

namespace demo {
namespace {

using mobula::engine::Vec3;
using mobula::prediction::Command;
using mobula::prediction::PredictedWorld;

constexpr float length_max_squared = 1.001f;
constexpr float aim_min_squared = 1e-6f;

float length_squared(const Vec3& v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

// The server has verified the bytes, and a client has made them itself.
void run_command(PredictedWorld& world, const Command& command) {
  const auto* const root = flatbuffers::GetRoot<commands::Command>(command.bytes.data());
  if (const auto* const given = root->body_as_Move()) {
    move_avatar(world, command.entity, given->x(), given->z());
  } else if (const auto* const place = root->body_as_WalkTo()) {
    walk_avatar_to(world, command.entity, place->x(), place->z());
  } else if (const auto* const aim = root->body_as_Throw()) {
    throw_stone(world, command, {aim->x(), aim->y(), aim->z()});
  }
}

void step(PredictedWorld& world, mobula::ecs::Tick /*tick*/, std::span<const Command> commands) {
  const mobula::resource::Static* const found = world.find_static_of(obstacles_type);
  step_among(found == nullptr ? Obstacles() : Obstacles(found->data), world, commands);
}

}  // namespace

void step_among(const Obstacles& obstacles, PredictedWorld& world, std::span<const Command> commands) {
  for (const Command& command : commands) run_command(world, command);
  step_avatars(world, obstacles);
  step_stones(world, obstacles);
}

const mobula::prediction::Rules rules{.step = step, .reads = {"Carrier"}, .effects = {"throw", "impact"}};

bool is_direction_to_move(float x, float z) { return x * x + z * z <= length_max_squared; }

bool is_direction_to_aim(const Vec3& direction) {
  const float squared = length_squared(direction);
  return squared >= aim_min_squared && squared <= length_max_squared;
}

bool is_in_world(float x, float z) { return std::abs(x) <= world_edge && std::abs(z) <= world_edge; }

Vec3 unit(const Vec3& direction) {
  const float length = std::sqrt(length_squared(direction));
  return {direction.x / length, direction.y / length, direction.z / length};
}

Vec3 towards(const Vec3& from, const Vec3& to, float speed) {
  const float x = to.x - from.x;
  const float z = to.z - from.z;
  const float distance = std::sqrt(x * x + z * z);
  if (!(distance >= 0.01f && std::isfinite(distance))) return {};
  return {x / distance * speed, 0, z / distance * speed};
}

// By half-angle formulas.
mobula::engine::Quat facing(const Vec3& direction) {
  const float length = std::sqrt(direction.x * direction.x + direction.z * direction.z);
  const float cosine = direction.z / length;
  mobula::engine::Quat turn;
  turn.w = std::sqrt(std::max(0.0f, (1 + cosine) / 2));
  turn.y = std::copysign(std::sqrt(std::max(0.0f, (1 - cosine) / 2)), direction.x);
  return turn;
}

}  // namespace demo
