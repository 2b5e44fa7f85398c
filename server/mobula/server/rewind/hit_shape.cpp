#include <algorithm>
#include <array>
#include <cmath>
#include <mobula/server/rewind/hit_shape.hpp>

namespace mobula::server {
namespace {

using engine::Vec3;

float dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec3 minus(const Vec3& a, const Vec3& b) { return {.x = a.x - b.x, .y = a.y - b.y, .z = a.z - b.z}; }

bool is_sphere(const HitShape& shape) { return shape.half.x == 0 && shape.half.y == 0 && shape.half.z == 0; }

// Returns a point in the space of an entity.
Vec3 local(const Vec3& point, const hierarchy::WorldTransform& at) {
  return hierarchy::relative_to(at, {.position = point}).position;
}

std::optional<float> hit_sphere(const Ray& ray, const Vec3& centre, float radius) {
  const Vec3 to = minus(centre, ray.origin);
  const float along = dot(to, ray.direction);
  const float gap = dot(to, to) - along * along;
  const float inside = radius * radius - gap;
  if (inside < 0) return std::nullopt;
  const float half = std::sqrt(inside);
  const float first = along - half;
  if (along + half < 0 || first > ray.length) return std::nullopt;
  return std::max(first, 0.0f);
}

// The box is at the origin, along the axes.
std::optional<float> hit_box(const Vec3& origin, const Vec3& direction, float length, const Vec3& half) {
  float first = 0;
  float last = length;
  const std::array<std::array<float, 3>, 3> axes{
      {{origin.x, direction.x, half.x}, {origin.y, direction.y, half.y}, {origin.z, direction.z, half.z}}};
  for (const auto& [from, speed, side] : axes) {
    if (std::abs(speed) < 1e-12f) {
      if (std::abs(from) > side) return std::nullopt;
      continue;
    }
    const float a = (-side - from) / speed;
    const float b = (side - from) / speed;
    first = std::max(first, std::min(a, b));
    last = std::min(last, std::max(a, b));
  }
  return first <= last ? std::optional(first) : std::nullopt;
}

}  // namespace

float HitShape::reach() const { return std::sqrt(dot(centre, centre)) + std::sqrt(dot(half, half)) + radius; }

bool is_finite(const Vec3& point) { return std::isfinite(point.x) && std::isfinite(point.y) && std::isfinite(point.z); }

bool is_ray(const Ray& ray) {
  constexpr float tolerance = 2e-3f;  // allows for rounding, squared
  return is_finite(ray.origin) && std::isfinite(ray.length) &&
         std::abs(dot(ray.direction, ray.direction) - 1) <= tolerance;
}

std::optional<float> hit(const Ray& ray, const HitShape& shape, const hierarchy::WorldTransform& at) {
  if (!is_ray(ray)) return std::nullopt;
  const Vec3 origin = minus(local(ray.origin, at), shape.centre);
  const Vec3 direction = local(ray.direction, {.rotation = at.rotation});
  if (is_sphere(shape)) return hit_sphere({origin, direction, ray.length}, {}, shape.radius);
  return hit_box(origin, direction, ray.length, shape.half);
}

float distance(const Vec3& point, const HitShape& shape, const hierarchy::WorldTransform& at) {
  const Vec3 from = minus(local(point, at), shape.centre);
  if (is_sphere(shape)) return std::max(0.0f, std::sqrt(dot(from, from)) - shape.radius);
  const Vec3 out{.x = std::max(0.0f, std::abs(from.x) - shape.half.x),
                 .y = std::max(0.0f, std::abs(from.y) - shape.half.y),
                 .z = std::max(0.0f, std::abs(from.z) - shape.half.z)};
  return std::sqrt(dot(out, out));
}

}  // namespace mobula::server
