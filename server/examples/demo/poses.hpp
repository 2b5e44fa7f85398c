// Poses and Transforms. The rules move the Pose of an avatar or a stone, and the game writes its Transform from it,
// which other players see. Whatever else moves the Transform, such as a teleport or another parent, moves the Pose.
#pragma once

#include <mobula/server/game/world.hpp>

namespace demo {

/// Server-only component: Transform as the Pose gave it last.
struct ShownPose {
  mobula::engine::Transform transform;
};

/// Writes the Transforms of entities whose Pose has changed, and the Poses of those that something else has moved.
/// Gives those with a Parent a Carrier.
void show_poses(mobula::server::World& world);
/// Gives an entity with a Transform that Pose.
void pose_as_placed(mobula::ecs::Registry& registry, mobula::ecs::Entity entity);

}  // namespace demo
