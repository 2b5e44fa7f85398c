// A closed line that is walked along: a static resource of type "Line".
//
//   0   u32   count, at least 1
//   4   f32   step in metres, at least 0.001
//   8   Vec3  count points, each one step along the line from the last; after the last comes the first
#pragma once

#include <mobula/core/bytes.hpp>
#include <mobula/core/string_id.hpp>
#include <mobula/schema/engine.hpp>
#include <span>

namespace demo {

inline constexpr mobula::core::StringId32 line_type("Line");

class Line {
 public:
  // A smooth line (Catmull-Rom) through the points and back to the first; no shorter than one step.
  static mobula::core::Bytes make(std::span<const mobula::engine::Vec3> through);
  // Whether the bytes are a line of finite points.
  static bool check(mobula::core::ByteView bytes);

  // Looks into bytes that have been checked and live as long.
  explicit Line(mobula::core::ByteView bytes);

  [[nodiscard]] float length() const { return step_ * static_cast<float>(count_); }
  // `distance` metres from the beginning, round and round.
  [[nodiscard]] mobula::engine::Vec3 at(float distance) const;

 private:
  [[nodiscard]] mobula::engine::Vec3 point(std::uint32_t i) const;

  mobula::core::ByteView bytes_;
  std::uint32_t count_;
  float step_;
};

}  // namespace demo
