// A part of the world over x and z, such as the one that a zone has. y is up, and does not count.
#pragma once

#include <cstdint>
#include <limits>
#include <mobula/schema/engine.hpp>

namespace mobula::server {

/// Metres. Sides may be infinite.
struct Region {
  float x_min = 0;
  float z_min = 0;
  float x_max = 0;
  float z_max = 0;

  bool operator==(const Region&) const = default;
  /// Returns a region without any place.
  static Region nowhere() {
    constexpr float far = std::numeric_limits<float>::infinity();
    return {far, far, -far, -far};
  }
  /// Returns whether a position is in the region. Those at the least sides are, those at the greatest are not.
  [[nodiscard]] bool contains(const engine::Vec3& position) const {
    return position.x >= x_min && position.x < x_max && position.z >= z_min && position.z < z_max;
  }
  /// Returns the squared distance to the nearest place of the region: 0 within it, NaN for a position that is no
  /// number.
  [[nodiscard]] float distance_squared(const engine::Vec3& position) const {
    const float x = beyond(position.x, x_min, x_max);
    const float z = beyond(position.z, z_min, z_max);
    return x * x + z * z;
  }

 private:
  static float beyond(float at, float least, float most) {
    if (at < least) return least - at;
    return at > most ? at - most : at - at;
  }
};

/// A zone of the world and its region.
struct ZoneRegion {
  std::uint32_t zone = 0;  // its number in the map
  Region region{};
};

}  // namespace mobula::server
