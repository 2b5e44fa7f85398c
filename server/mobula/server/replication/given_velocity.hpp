// Reads the velocities that a game gives for units with courses, by the attribute `velocity`.
#pragma once

#include <mobula/ecs/registry.hpp>
#include <mobula/reflect/schema.hpp>
#include <mobula/server/replication/course_keeper.hpp>
#include <mobula/wire/row_codec.hpp>
#include <optional>
#include <span>

namespace mobula::server {

/// Place of a unit's velocity.
class GivenVelocity {
 public:
  /// `fields` are those of the unit's component. Checks that the length of a tick is known if there is a velocity.
  GivenVelocity(const ecs::Registry& registry, const wire::RowCodec& codec, const wire::CourseUnit& unit,
                std::span<const reflect::Field> fields, double tick_seconds);

  /// Returns whether the unit has the attribute.
  [[nodiscard]] bool is_known() const { return count_ > 0; }
  /// Returns the velocity of an entity. None if the unit has none, if the entity lacks the component, or if a number is
  /// not finite.
  [[nodiscard]] std::optional<CourseSpeed> read(const ecs::Registry& registry, std::uint32_t index) const;

 private:
  // A float of the component.
  struct Place {
    ecs::PoolId pool = ecs::no_pool;
    std::uint32_t offset = 0;
    bool is_double = false;
    double per_tick = 0;  // steps, or radians, per tick and unit of the velocity
  };

  bool turns_ = false;
  std::uint32_t count_ = 0;  // 0 without a velocity
  std::array<Place, 4> places_{};
};

}  // namespace mobula::server
