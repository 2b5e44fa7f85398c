// Avatars: entities with a Walker. They walk with their Velocity, slide along obstacles, and end at their goal or where
// they are blocked. An avatar with a Carrier meets no obstacles.
#pragma once

#include <examples/demo/rules/obstacles.hpp>
#include <mobula/hierarchy/world_transform.hpp>
#include <mobula/prediction/predicted_world.hpp>

namespace demo {

/// Gives an avatar a direction until its next command. Ignored unless it can be one.
void move_avatar(mobula::prediction::PredictedWorld& world, mobula::ecs::Entity avatar, float x, float z);
/// Gives an avatar a place of the world as goal. Ignored outside of the world.
void walk_avatar_to(mobula::prediction::PredictedWorld& world, mobula::ecs::Entity avatar, float x, float z);
/// Moves all avatars by a tick.
void step_avatars(mobula::prediction::PredictedWorld& world, const Obstacles& obstacles);

/// Returns the place of an avatar in the world, at the height from which it throws and aims. It has a Pose.
[[nodiscard]] mobula::hierarchy::WorldTransform aiming_place(mobula::prediction::PredictedWorld& world,
                                                             mobula::ecs::Entity avatar);

}  // namespace demo
