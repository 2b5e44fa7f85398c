// Obstacles of a level, sorted into square cells on the ground: a static resource of type "Obstacles".
//
//   0   u32    count of obstacles
//   4   u32    columns of cells, along x
//   8   u32    rows of cells, along z
//   12  u32    count of entries
//   16  f32    least x of the cells
//   20  f32    least z of the cells
//   24  u32    columns * rows + 1 numbers: the first entry of each cell, ascending
//       u32    entries: numbers of obstacles, those of a cell ascending
//       count obstacles, as ObstacleShape
//
// An obstacle is listed in each cell that it reaches. Numbers of a file are checked as they are used: a damaged one has
// other obstacles, but is never read beyond its end.
#pragma once

#include <examples/demo/rules/obstacle_shape.hpp>
#include <mobula/core/bytes.hpp>
#include <mobula/core/string_id.hpp>
#include <span>

namespace demo {

inline constexpr mobula::core::StringId32 obstacles_type("Obstacles");

class Obstacles {
 public:
  static constexpr float cell = 8;  // metres

  /// Makes the bytes of obstacles. Checks that each is_obstacle().
  static mobula::core::Bytes make(std::span<const ObstacleShape> shapes);
  /// Checks that bytes are what make() makes.
  [[nodiscard]] static bool check(mobula::core::ByteView bytes);

  /// No obstacles.
  Obstacles() = default;
  /// Refers to bytes, which must outlive this. Bytes of another size than they name are no obstacles.
  explicit Obstacles(mobula::core::ByteView bytes);

  [[nodiscard]] std::uint32_t size() const { return count_; }
  [[nodiscard]] ObstacleShape at(std::uint32_t number) const;

  /// Returns where an upright cylinder gets that moves on the ground: it slides along what is in its way. It is in no
  /// obstacle then, unless it was in one before.
  [[nodiscard]] mobula::engine::Vec3 slide(const mobula::engine::Vec3& from, const mobula::engine::Vec3& to,
                                           float radius, float height) const;
  /// Returns where a ray first meets an obstacle. The direction has length 1.
  [[nodiscard]] std::optional<SurfaceHit> ray(const mobula::engine::Vec3& from, const mobula::engine::Vec3& direction,
                                              float length) const;
  /// Returns the obstacle that an upright cylinder is deepest in, seen from above.
  [[nodiscard]] std::optional<Overlap> deepest(const mobula::engine::Vec3& place, float radius, float height) const;

 private:
  struct Area {
    float min_x;
    float min_z;
    float max_x;
    float max_z;
  };
  // Calls function(shape) for each obstacle that may reach into an area; for some several times.
  template <class Function>
  void each_near(const Area& area, Function&& function) const;
  [[nodiscard]] std::uint32_t word(std::size_t number) const;
  [[nodiscard]] mobula::engine::Vec3 slide_once(const mobula::engine::Vec3& from, const mobula::engine::Vec3& to,
                                                float radius, float height) const;

  mobula::core::ByteView bytes_;
  std::uint32_t count_ = 0;
  std::uint32_t columns_ = 0;
  std::uint32_t rows_ = 0;
  std::uint32_t entries_ = 0;
  float min_x_ = 0;
  float min_z_ = 0;
};

}  // namespace demo
