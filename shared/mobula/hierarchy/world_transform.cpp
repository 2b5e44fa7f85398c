#include <mobula/hierarchy/rigid.hpp>
#include <mobula/hierarchy/world_transform.hpp>

namespace mobula::hierarchy {

WorldTransform compose(const WorldTransform& parent, const engine::Transform& local) {
  return detail::compose(parent, local);
}

engine::Transform relative_to(const WorldTransform& parent, const WorldTransform& world) {
  const engine::Quat& q = parent.rotation;
  const engine::Quat back{.x = -q.x, .y = -q.y, .z = -q.z, .w = q.w};
  const engine::Vec3 offset{.x = world.position.x - parent.position.x,
                            .y = world.position.y - parent.position.y,
                            .z = world.position.z - parent.position.z};
  return {.position = detail::rotate(back, offset), .rotation = detail::multiply(back, world.rotation)};
}

}  // namespace mobula::hierarchy
