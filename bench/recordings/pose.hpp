// Poses of bodies: how far one is from another, and a schema that sends them with dead reckoning.
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/schema/engine.hpp>
#include <string_view>

namespace mobula::bench {

struct PoseError {
  double position = 0;  // greatest difference of a coordinate, in metres
  double rotation = 0;  // greatest difference of a part of the quaternions, after the nearer sign is taken
};

// Returns how far a pose is from the true one. Not finite if the pose is not.
PoseError pose_error(const engine::Vec3& position, const engine::Quat& rotation, const engine::Vec3& true_position,
                     const engine::Quat& true_rotation);

// The same for two components with a position and a rotation.
template <class Component>
PoseError pose_error(const Component& pose, const Component& true_pose) {
  return pose_error(pose.position, pose.rotation, true_pose.position, true_pose.rotation);
}

// Errors that dead reckoning may make, in metres and of a part of a quaternion. Without them each state is sent.
struct PoseTolerance {
  double position = 0;
  double rotation = 0;

  [[nodiscard]] bool reckons() const { return position > 0; }
};

// Returns the schema of a component with a position and a rotation with dead reckoning, in the binary form of
// FlatBuffers. `range` bounds coordinates. A step is at most 2/5 of the tolerance. Both tolerances are above 0.
core::Bytes reckoned_schema(std::string_view component, int range, const PoseTolerance& tolerance);

}  // namespace mobula::bench
