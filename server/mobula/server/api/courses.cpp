#include <cmath>
#include <mobula/index/property_text.hpp>
#include <mobula/server/api/courses.hpp>

namespace mobula::server::api {
namespace {

using reflect::Field;
using wire::CourseUnit;

// Returns which number of the unit a field is, or nothing if it is none.
std::optional<std::uint32_t> part_of(const CourseUnit& unit, const Field& field) {
  for (std::uint32_t part = 0; part < unit.fields(); ++part)
    if (unit.offsets[part] == field.offset) return part;
  return std::nullopt;
}

std::int64_t signed_word(std::uint32_t word) { return static_cast<std::int32_t>(word); }

}  // namespace

std::vector<FieldCourses> courses_of(Inspection& world, ecs::PoolId pool) {
  Published& published = world.server().published();
  const wire::RowCodec* const codec = published.codecs().row(pool);
  std::vector<FieldCourses> courses;
  if (codec == nullptr || codec->courses().empty()) return courses;
  const reflect::Component& component = *world.world().schema().find(world.registry().pool(pool).type().id);
  const std::span<const CourseStats> all = published.course_stats(pool);
  for (const wire::Unit& unit : codec->units())
    if (unit.course != wire::Unit::no_course)
      courses.push_back({.path = unit_path(component, unit),
                         .tolerance = component.fields[unit.field].tolerance,
                         .unit = unit.course,
                         .stats = all.empty() ? CourseStats{} : all[unit.course]});
  return courses;
}

json courses_json(Inspection& world, ecs::PoolId pool) {
  json courses = json::array();
  for (const FieldCourses& field : courses_of(world, pool)) {
    const CourseMeter::Interval interval = world.measure_courses(pool, field.unit);
    const double seconds = core::in_seconds(interval.length);
    const auto count = static_cast<double>(interval.new_courses);
    courses.push_back(
        {{"field", field.path},
         {"tolerance", field.tolerance},
         {"under_way", field.stats.under_way},
         {"new_courses", field.stats.new_courses},
         {"checks", field.stats.checks},
         {"seconds", seconds},
         {"new_courses_per_second", seconds > 0 ? json(count / seconds) : json(nullptr)},
         {"share", interval.checks > 0 ? json(count / static_cast<double>(interval.checks)) : json(nullptr)}});
  }
  return courses;
}

PublishedComponent::PublishedComponent(Inspection& world, ecs::Entity entity, ecs::PoolId pool)
    : world_(world), tick_(world.registry().tick() - 1), row_(world.server().published().row(entity, pool)) {
  if (row_.words == nullptr || row_.codec->courses().empty()) return;
  value_ = world.registry().pool(pool).type().default_value;
  if (!row_.codec->to_component(row_.words, false, tick_, value_.data())) value_.clear();
}

json PublishedComponent::course_of(const Field& field) const {
  if (value_.empty() || field.tolerance == 0) return nullptr;
  for (const CourseUnit& unit : row_.codec->courses()) {
    const std::optional<std::uint32_t> part = part_of(unit, field);
    if (!part) continue;
    std::string value;
    index::append_json(field, value_.data() + field.offset, world_.world().names(), value);
    const bool under_way = wire::is_under_way(unit, row_.words);
    return {{"tolerance", field.tolerance},
            {"value", json::parse(value, nullptr, false)},
            {"velocity", velocity(unit, *part)},
            {"age", under_way ? json(tick_ - row_.words[unit.tick_word()]) : json(nullptr)}};
  }
  return nullptr;
}

// Returns the velocity per second of a number, or the axis of a turn times its radians per second.
json PublishedComponent::velocity(const CourseUnit& unit, std::uint32_t part) const {
  const double ticks_per_second = world_.world().ticks_per_second();
  const auto word = [&](std::uint32_t i) { return static_cast<double>(signed_word(row_.words[unit.course + i])); };
  if (!unit.turns) {
    const double age = wire::course_age(unit, row_.words, tick_);
    const double steps = (word(part) + word(unit.parts + part) * age) / wire::course_fraction;
    return shortest(static_cast<float>(steps * unit.quantisers[part].step() * ticks_per_second));
  }
  const wire::Turn turn = wire::turn_of(unit, row_.words);
  const double sine = std::sqrt(turn.square);
  const double factor = sine > 0 ? 2 * std::atan2(sine, turn.one.cosine) / sine * ticks_per_second : 0;
  json axis = json::array();
  for (std::uint32_t i = 0; i < 3; ++i)
    axis.push_back(shortest(static_cast<float>(word(i) / wire::course_turn_one * factor)));
  return axis;
}

}  // namespace mobula::server::api
