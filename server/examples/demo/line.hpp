// Closed line that entities follow: a static resource of type "Line".
//
//   0   u32   count, at least 1
//   4   f32   step in metres, at least 0.001
//   8   Vec3  count points, each one step along the line from the last; the first follows the last
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/string_id.hpp>
#include <mobula/schema/engine.hpp>
#include <span>

namespace demo {

inline constexpr mobula::core::StringId32 line_type("Line");

class Line {
 public:
  /// Makes a smooth line (Catmull-Rom) through the points and back to the first, at least one step long.
  static mobula::core::Bytes make(std::span<const mobula::engine::Vec3> through);
  /// Checks that the bytes are a line of finite points.
  static bool check(mobula::core::ByteView bytes);

  /// Refers to checked bytes, which must outlive this.
  explicit Line(mobula::core::ByteView bytes);

  [[nodiscard]] float length() const { return step_ * static_cast<float>(count_); }
  /// Returns the point at `distance` metres from the start; distances wrap around.
  [[nodiscard]] mobula::engine::Vec3 at(float distance) const;

 private:
  [[nodiscard]] mobula::engine::Vec3 point(std::uint32_t i) const;

  mobula::core::ByteView bytes_;
  std::uint32_t count_;
  float step_;
};

}  // namespace demo
