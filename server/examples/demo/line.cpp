#include <algorithm>
#include <cmath>
#include <examples/demo/line.hpp>
#include <vector>

namespace demo {
namespace {

using mobula::engine::Vec3;

constexpr std::size_t header_bytes = 8;
constexpr double step_wanted = 0.5;  // metres
constexpr float step_min = 0.001f;
constexpr int samples_per_segment = 32;

struct Point {
  double x, y, z;
};

Point operator*(double factor, const Point& p) { return {factor * p.x, factor * p.y, factor * p.z}; }
Point operator+(const Point& a, const Point& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }

double distance(const Point& a, const Point& b) {
  const Point d = a + -1.0 * b;
  return std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

// Returns the point between b and c at t from 0 to 1.
Point catmull_rom(const Point& a, const Point& b, const Point& c, const Point& d, double t) {
  const Point linear = -1.0 * a + c;
  const Point square = 2.0 * a + -5.0 * b + 4.0 * c + -1.0 * d;
  const Point cube = -1.0 * a + 3.0 * b + -3.0 * c + d;
  return 0.5 * (2.0 * b + t * linear + t * t * square + t * t * t * cube);
}

// Returns the closed line as many short segments.
std::vector<Point> trace(std::span<const Vec3> through) {
  const std::size_t count = through.size();
  const auto corner = [&](std::size_t i) {
    const Vec3& p = through[i % count];
    return Point{static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
  };
  std::vector<Point> traced;
  for (std::size_t i = 0; i < count; ++i)
    for (int k = 0; k < samples_per_segment; ++k)
      traced.push_back(catmull_rom(corner(i + count - 1), corner(i), corner(i + 1), corner(i + 2),
                                   static_cast<double>(k) / samples_per_segment));
  traced.push_back(traced.front());
  return traced;
}

bool is_finite(const Vec3& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }

}  // namespace

mobula::core::Bytes Line::make(std::span<const Vec3> through) {
  const std::vector<Point> traced = trace(through);
  double length = 0;
  for (std::size_t i = 1; i < traced.size(); ++i) length += distance(traced[i - 1], traced[i]);
  const auto count = static_cast<std::uint32_t>(std::max(1.0, length / step_wanted));
  const double step = std::max(length, step_wanted) / count;

  mobula::core::Bytes bytes(header_bytes + count * sizeof(Vec3));
  mobula::core::store(bytes.data(), count);
  mobula::core::store(bytes.data() + 4, static_cast<float>(step));
  std::size_t piece = 1;
  double before = 0;  // length up to the segment
  for (std::uint32_t i = 0; i < count; ++i) {
    const double wanted = i * step;
    double size = distance(traced[piece - 1], traced[piece]);
    for (; piece + 1 < traced.size() && before + size < wanted; size = distance(traced[piece - 1], traced[piece])) {
      before += size;
      ++piece;
    }
    const double t = size > 0 ? std::min(1.0, (wanted - before) / size) : 0;
    const Point p = (1 - t) * traced[piece - 1] + t * traced[piece];
    mobula::core::store(bytes.data() + header_bytes + i * sizeof(Vec3),
                        Vec3{static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
  }
  return bytes;
}

bool Line::check(mobula::core::ByteView bytes) {
  if (bytes.size() < header_bytes + sizeof(Vec3)) return false;
  const Line line(bytes);
  const bool fits = bytes.size() == header_bytes + std::size_t{line.count_} * sizeof(Vec3);
  if (!fits || !(line.step_ >= step_min) || !std::isfinite(line.length())) return false;
  for (std::uint32_t i = 0; i < line.count_; ++i)
    if (!is_finite(line.point(i))) return false;
  return true;
}

Line::Line(mobula::core::ByteView bytes)
    : bytes_(bytes),
      count_(mobula::core::load<std::uint32_t>(bytes.data())),
      step_(mobula::core::load<float>(bytes.data() + 4)) {}

Vec3 Line::point(std::uint32_t i) const {
  return mobula::core::load<Vec3>(bytes_.data() + header_bytes + std::size_t{i % count_} * sizeof(Vec3));
}

Vec3 Line::at(float distance) const {
  const float rounds = std::floor(distance / length());
  const float along = std::max(0.0f, (distance - rounds * length()) / step_);
  const auto i = std::min(static_cast<std::uint32_t>(along), count_ - 1);  // rounding may exceed the end
  const float t = along - static_cast<float>(i);
  const Vec3 a = point(i);
  const Vec3 b = point(i + 1);
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

}  // namespace demo
