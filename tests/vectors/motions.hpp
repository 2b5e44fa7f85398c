// How bodies of the session vectors move and turn.
#pragma once

#include <cmath>
#include <numbers>
#include <session_vectors/components.hpp>

namespace mobula::test {

/// Returns the rotation about an axis of any length.
inline engine::Quat turned(const engine::Vec3& axis, float degrees) {
  const float half = degrees * std::numbers::pi_v<float> / 360;
  const float scale = std::sin(half) / std::sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
  return {.x = axis.x * scale, .y = axis.y * scale, .z = axis.z * scale, .w = std::cos(half)};
}

inline void advance(engine::Vec3& position, const engine::Vec3& by) {
  position.x += by.x;
  position.y += by.y;
  position.z += by.z;
}

}  // namespace mobula::test
