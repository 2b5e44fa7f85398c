// Inline arithmetic of compose() and relative_to(), for the sources of this folder. Other code calls those functions:
// another compiler may fuse products and sums, which gives other bits.
#pragma once

#include <mobula/hierarchy/world_transform.hpp>

namespace mobula::hierarchy::detail {

inline engine::Vec3 cross(const engine::Quat& q, const engine::Vec3& v) {
  return {.x = q.y * v.z - q.z * v.y, .y = q.z * v.x - q.x * v.z, .z = q.x * v.y - q.y * v.x};
}

// Rotates v by q: v + 2 w (q × v) + 2 q × (q × v), for a unit quaternion q.
inline engine::Vec3 rotate(const engine::Quat& q, const engine::Vec3& v) {
  const engine::Vec3 half = cross(q, v);
  const engine::Vec3 t{.x = half.x + half.x, .y = half.y + half.y, .z = half.z + half.z};
  const engine::Vec3 u = cross(q, t);
  return {.x = v.x + q.w * t.x + u.x, .y = v.y + q.w * t.y + u.y, .z = v.z + q.w * t.z + u.z};
}

inline engine::Quat multiply(const engine::Quat& a, const engine::Quat& b) {
  return {.x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          .y = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          .z = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
          .w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

inline WorldTransform compose(const WorldTransform& parent, const engine::Transform& local) {
  const engine::Vec3 offset = rotate(parent.rotation, local.position);
  return {.position = {.x = parent.position.x + offset.x,
                       .y = parent.position.y + offset.y,
                       .z = parent.position.z + offset.z},
          .rotation = multiply(parent.rotation, local.rotation)};
}

}  // namespace mobula::hierarchy::detail
