#include <algorithm>
#include <array>
#include <cmath>
#include <examples/demo/rules/obstacle_shape.hpp>
#include <limits>

namespace demo {
namespace {

using mobula::engine::Vec3;

constexpr float extent_max = 100;  // metres
constexpr float parallel = 1e-6f;  // smaller components of a direction count as none

struct Flat {
  float x;
  float z;
};

// A turn about +y takes x to (cosine, -sine) and z to (sine, cosine).
Flat to_local(const ObstacleShape& shape, float x, float z) {
  return {shape.cosine * x - shape.sine * z, shape.sine * x + shape.cosine * z};
}
Flat to_world(const ObstacleShape& shape, float x, float z) {
  return {shape.cosine * x + shape.sine * z, shape.cosine * z - shape.sine * x};
}

// Part of a ray that is within an obstacle, or within its planes of one direction.
struct Span {
  float begin = -std::numeric_limits<float>::infinity();
  float end = std::numeric_limits<float>::infinity();
  Vec3 normal{};  // where it begins
  bool empty = false;

  void cut(const Span& other) {
    if (other.begin > begin) {
      begin = other.begin;
      normal = other.normal;
    }
    end = std::min(end, other.end);
    empty = empty || other.empty || !(begin <= end);
  }
};

// Returns the part between two planes. `axis` is their common normal.
Span between(float from, float direction, float low, float high, const Vec3& axis) {
  Span span;
  if (std::abs(direction) < parallel) {
    span.empty = !(from >= low && from <= high);
    return span;
  }
  const float a = (low - from) / direction;
  const float b = (high - from) / direction;
  const float sign = direction > 0 ? -1.0f : 1.0f;
  span.begin = std::min(a, b);
  span.end = std::max(a, b);
  span.normal = {axis.x * sign, axis.y * sign, axis.z * sign};
  return span;
}

Span within_box(const ObstacleShape& shape, const Vec3& from, const Vec3& direction) {
  const Flat start = to_local(shape, from.x - shape.x, from.z - shape.z);
  const Flat way = to_local(shape, direction.x, direction.z);
  const Flat x = to_world(shape, 1, 0);
  const Flat z = to_world(shape, 0, 1);
  Span span = between(start.x, way.x, -shape.half_x, shape.half_x, {x.x, 0, x.z});
  span.cut(between(start.z, way.z, -shape.half_z, shape.half_z, {z.x, 0, z.z}));
  return span;
}

Span within_cylinder(const ObstacleShape& shape, const Vec3& from, const Vec3& direction) {
  const Flat start{from.x - shape.x, from.z - shape.z};
  const float a = direction.x * direction.x + direction.z * direction.z;
  const float c = start.x * start.x + start.z * start.z - shape.radius * shape.radius;
  Span span;
  if (a < parallel * parallel) {
    span.empty = !(c <= 0);
    return span;
  }
  const float b = start.x * direction.x + start.z * direction.z;
  const float root = b * b - a * c;
  if (!(root >= 0)) {
    span.empty = true;
    return span;
  }
  span.begin = (-b - std::sqrt(root)) / a;
  span.end = (-b + std::sqrt(root)) / a;
  span.normal = {(start.x + direction.x * span.begin) / shape.radius, 0,
                 (start.z + direction.z * span.begin) / shape.radius};
  return span;
}

// Returns the shortest way out of a box from a place inside.
Overlap out_of_box(const ObstacleShape& shape, const Flat& local, float radius) {
  const float right = shape.half_x - std::abs(local.x);
  const float ahead = shape.half_z - std::abs(local.z);
  const bool along_x = right <= ahead;
  const Flat out =
      along_x ? to_world(shape, local.x < 0 ? -1.0f : 1.0f, 0) : to_world(shape, 0, local.z < 0 ? -1.0f : 1.0f);
  return {(along_x ? right : ahead) + radius, out.x, out.z};
}

}  // namespace

bool is_obstacle(const ObstacleShape& shape) {
  const std::array<float, 4> extents{shape.half_x, shape.half_z, shape.radius, shape.top - shape.bottom};
  const bool bounded = std::ranges::all_of(extents, [](float each) { return each >= 0 && each <= extent_max; });
  const bool box = shape.radius == 0 && shape.half_x > 0 && shape.half_z > 0;
  const bool cylinder = shape.radius > 0 && shape.half_x == 0 && shape.half_z == 0;
  const float turn = shape.sine * shape.sine + shape.cosine * shape.cosine;
  return bounded && (box || cylinder) && shape.top > shape.bottom && std::abs(shape.bottom) <= 512 &&
         std::abs(shape.x) <= 512 && std::abs(shape.z) <= 512 && turn > 0.999f && turn < 1.001f;
}

float reach(const ObstacleShape& shape) {
  return shape.radius + std::sqrt(shape.half_x * shape.half_x + shape.half_z * shape.half_z);
}

std::optional<Overlap> overlap(const ObstacleShape& shape, float x, float z, float radius) {
  const Flat local = to_local(shape, x - shape.x, z - shape.z);
  const float away_x = local.x - std::clamp(local.x, -shape.half_x, shape.half_x);
  const float away_z = local.z - std::clamp(local.z, -shape.half_z, shape.half_z);
  const float square = away_x * away_x + away_z * away_z;
  const float apart = shape.radius + radius;
  if (!(square < apart * apart)) return std::nullopt;
  const float distance = std::sqrt(square);
  if (!(distance > parallel)) return out_of_box(shape, local, apart);
  const Flat out = to_world(shape, away_x / distance, away_z / distance);
  return Overlap{apart - distance, out.x, out.z};
}

std::optional<SurfaceHit> ray_hit(const ObstacleShape& shape, const Vec3& from, const Vec3& direction, float length) {
  Span span = shape.radius > 0 ? within_cylinder(shape, from, direction) : within_box(shape, from, direction);
  span.cut(between(from.y, direction.y, shape.bottom, shape.top, {0, 1, 0}));
  if (span.empty || !(span.end >= 0 && span.begin <= length)) return std::nullopt;
  if (span.begin < 0) return SurfaceHit{0, {-direction.x, -direction.y, -direction.z}};
  return SurfaceHit{span.begin, span.normal};
}

}  // namespace demo
