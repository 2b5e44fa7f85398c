// A course that a shown entity follows, with the rotation of the last tick, from which the next one takes one product.
#pragma once

#include <array>
#include <mobula/ecs/pool.hpp>
#include <mobula/wire/course.hpp>

namespace mobula::client {

class RunningCourse {
 public:
  /// `row`: first word of the component in the entity's words.
  RunningCourse(ecs::PoolId pool, const wire::CourseUnit& unit, std::uint32_t row, const std::uint32_t* words);

  /// Returns whether it is the course of a unit in a state with these words.
  [[nodiscard]] bool is_of(const wire::CourseUnit& unit, std::uint32_t row, const std::uint32_t* words) const;
  /// Writes the value at a tick. `words` are those of the entity.
  void write(const std::uint32_t* words, ecs::Tick tick, std::byte* component);

  [[nodiscard]] ecs::PoolId pool() const { return pool_; }

 private:
  using RotationWords = std::array<std::uint32_t, 8>;  // value, turn and tick of a rotation; zeros for a vector
  static RotationWords rotation_words(const wire::CourseUnit& unit, const std::uint32_t* of_row);

  ecs::PoolId pool_;
  const wire::CourseUnit* unit_;
  std::uint32_t row_;
  RotationWords words_{};
  wire::Rotation turn_{};
  wire::Rotation rotation_{};  // at age_
  ecs::Tick age_ = 0;
};

}  // namespace mobula::client
