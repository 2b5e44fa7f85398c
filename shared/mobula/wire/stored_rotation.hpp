// A rotation in a component: a unit quaternion, or four integers that are smallest_three.
#pragma once

#include <array>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/course.hpp>
#include <vector>

namespace mobula::wire {

/// Place of a rotation in the components of a type.
class StoredRotation {
 public:
  /// Returns the rotations of a type that are sent, by offset. Those in arrays are left out.
  static std::vector<StoredRotation> all_of(const reflect::Component& type);

  /// Reads the rotation, of length 1. Returns false if all parts are 0, or if one is not finite.
  bool load(const std::byte* component, Rotation& rotation) const;
  /// Writes a rotation of any length but 0. Integers become the nearest ones.
  void store(const Rotation& rotation, std::byte* component) const;

 private:
  struct Place {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };

  std::array<Place, 4> places_{};  // the first alone, of a unit quaternion
  std::uint32_t code_max_ = 0;     // 0 of a unit quaternion
};

}  // namespace mobula::wire
