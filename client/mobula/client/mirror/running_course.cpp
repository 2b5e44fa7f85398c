#include <algorithm>
#include <mobula/client/mirror/running_course.hpp>

namespace mobula::client {

RunningCourse::RunningCourse(ecs::PoolId pool, const wire::CourseUnit& unit, std::uint32_t row,
                             const std::uint32_t* words)
    : pool_(pool), unit_(&unit), row_(row) {
  if (!unit.turns) return;
  words_ = rotation_words(unit, words + row);
  turn_ = wire::turn_of(unit, words + row);
  rotation_ = wire::rotation_at(unit, words + row, 0);
}

RunningCourse::RotationWords RunningCourse::rotation_words(const wire::CourseUnit& unit, const std::uint32_t* of_row) {
  RotationWords words{};
  std::copy_n(of_row + unit.first, 4, words.begin());
  std::copy_n(of_row + unit.course, 4, words.begin() + 4);
  return words;
}

bool RunningCourse::is_of(const wire::CourseUnit& unit, std::uint32_t row, const std::uint32_t* words) const {
  return unit_ == &unit && row_ == row && (!unit.turns || words_ == rotation_words(unit, words + row));
}

void RunningCourse::write(const std::uint32_t* words, ecs::Tick tick, std::byte* component) {
  if (!unit_->turns) return wire::write_course_value(*unit_, words + row_, tick, component);
  const ecs::Tick age = wire::course_age(*unit_, words + row_, tick);
  if (age < age_) {  // a late delta shows an earlier course again
    age_ = 0;
    rotation_ = wire::rotation_at(*unit_, words + row_, 0);
  }
  for (; age_ < age; ++age_) rotation_ = wire::multiply(turn_, rotation_);
  wire::write_rotation(*unit_, rotation_, component);
}

}  // namespace mobula::client
