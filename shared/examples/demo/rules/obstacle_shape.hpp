// One obstacle: an upright box or cylinder, and what it does to a disc on the ground and to a ray.
#pragma once

#include <mobula/schema/engine.hpp>
#include <optional>
#include <type_traits>

namespace demo {

/// An upright box, turned about the vertical; or an upright cylinder, whose `half` are 0.
struct ObstacleShape {
  float x = 0;  // its middle
  float z = 0;
  float half_x = 0;
  float half_z = 0;
  float radius = 0;  // 0 for a box
  float sine = 0;    // its turn
  float cosine = 1;
  float bottom = 0;
  float top = 0;

  bool operator==(const ObstacleShape&) const = default;
};
static_assert(sizeof(ObstacleShape) == 36 && std::is_trivially_copyable_v<ObstacleShape>);

/// Where a ray meets a surface.
struct SurfaceHit {
  float distance = 0;
  mobula::engine::Vec3 normal{};
};

/// Way out of an obstacle on the ground.
struct Overlap {
  float depth = 0;  // metres
  float x = 0;      // direction, of length 1
  float z = 0;
};

/// Returns whether an obstacle has finite numbers, some extent, and the form of a box or a cylinder.
[[nodiscard]] bool is_obstacle(const ObstacleShape& shape);
/// Returns half of the sides of the upright square that contains an obstacle.
[[nodiscard]] float reach(const ObstacleShape& shape);
/// Returns how deep a disc is in an obstacle seen from above. Nothing if it is outside.
[[nodiscard]] std::optional<Overlap> overlap(const ObstacleShape& shape, float x, float z, float radius);
/// Returns where a ray enters an obstacle within a distance; at 0, with a normal against the ray, if it begins inside.
/// The direction has length 1.
[[nodiscard]] std::optional<SurfaceHit> ray_hit(const ObstacleShape& shape, const mobula::engine::Vec3& from,
                                                const mobula::engine::Vec3& direction, float length);

}  // namespace demo
