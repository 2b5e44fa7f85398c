// Rules of the demo that clients predict: avatars walk along obstacles, and throw stones. Commands Move, WalkTo and
// Throw of schema/demo_commands.fbs run in the step.
//
// Effects, whose key is effect_key() of the avatar and the command:
//   throw    an avatar has thrown a stone. Payload: the avatar, an ecs::Entity
//   impact   a stone has hit the ground or an obstacle for the first time. Payload: an Impact
//
// Floats are computed by sums, products, quotients and square roots alone, which are the same on every machine.
#pragma once

#include <mobula/prediction/effect.hpp>
#include <mobula/prediction/rules.hpp>
#include <mobula/schema/engine.hpp>

namespace demo {

extern const mobula::prediction::Rules rules;

using mobula::prediction::effect_key;

inline constexpr mobula::core::StringId32 throw_effect("throw");
inline constexpr mobula::core::StringId32 impact_effect("impact");

/// Where a stone has hit something.
struct Impact {
  mobula::engine::Vec3 place;
  mobula::ecs::Entity stone;
};

inline constexpr float avatar_speed = 4.0f;   // metres per second
inline constexpr float avatar_radius = 0.4f;  // metres
inline constexpr float avatar_height = 1.8f;
inline constexpr float aim_height = 1.5f;    // from which stones are thrown and tags are aimed
inline constexpr float world_edge = 500.0f;  // largest distance from the middle of the world; the schema's is 512

/// Returns whether a Move may have this direction: its length is at most 1.
[[nodiscard]] bool is_direction_to_move(float x, float z);
/// Returns whether a Throw or a Tag may have this direction: its length is from 0.001 to 1.
[[nodiscard]] bool is_direction_to_aim(const mobula::engine::Vec3& direction);
/// Returns whether a place is in the world.
[[nodiscard]] bool is_in_world(float x, float z);
/// Returns a direction that can be aimed in with length 1.
[[nodiscard]] mobula::engine::Vec3 unit(const mobula::engine::Vec3& direction);
/// Returns the velocity on the ground that leads from one place to another; none if they are nearer than 1 cm.
[[nodiscard]] mobula::engine::Vec3 towards(const mobula::engine::Vec3& from, const mobula::engine::Vec3& to,
                                           float speed);
/// Returns the rotation about the vertical that faces a direction on the ground, whose length is not 0.
[[nodiscard]] mobula::engine::Quat facing(const mobula::engine::Vec3& direction);

}  // namespace demo
