// Shapes that rays hit: a sphere, or a box that turns with its entity.
#pragma once

#include <mobula/hierarchy/world_transform.hpp>
#include <optional>

namespace mobula::server {

/// A ray of some length. The direction has length 1.
struct Ray {
  engine::Vec3 origin{};
  engine::Vec3 direction{};
  float length = 0;
};

/// Shape of an entity, in its own space.
struct HitShape {
  engine::Vec3 centre{};
  engine::Vec3 half{};  ///< Half of each side of a box; zeros for a sphere.
  float radius = 0;     ///< Radius of a sphere.

  /// Returns the distance from the entity's place within which all of it is.
  [[nodiscard]] float reach() const;
};

/// Returns whether a point has finite coordinates.
[[nodiscard]] bool is_finite(const engine::Vec3& point);
/// Returns whether a ray has finite numbers and a direction of length 1, within a thousandth.
[[nodiscard]] bool is_ray(const Ray& ray);

/// Returns the distance along a ray to a shape, 0 if the ray begins in it. Nothing if it misses, and if it is no ray.
[[nodiscard]] std::optional<float> hit(const Ray& ray, const HitShape& shape, const hierarchy::WorldTransform& at);
/// Returns the distance from a point to a shape; 0 if it is inside.
[[nodiscard]] float distance(const engine::Vec3& point, const HitShape& shape, const hierarchy::WorldTransform& at);

}  // namespace mobula::server
