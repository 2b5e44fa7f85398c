#include <algorithm>
#include <array>
#include <cstring>
#include <mobula/wire/component_blend.hpp>
#include <mobula/wire/picture.hpp>

namespace mobula::wire {
namespace {

using reflect::Component;

// A component's row in the states around a moment.
struct Rows {
  const Component& type;
  const RowCodec& codec;
  const std::uint32_t* from;
  const std::uint32_t* to;
  bool from_owner;  // as the owner receives it
  bool to_owner;
  ecs::Tick tick;  // tick of the later state
};

// Interpolates rotations in smallest-three form, as words, onto those of the earlier state.
void turn_row(const Rows& rows, double part, std::uint32_t* onto) {
  for (const Unit& unit : rows.codec.units()) {
    const bool in_both = receives(unit.receivers, rows.from_owner) && receives(unit.receivers, rows.to_owner);
    if (is_turning(rows.type, unit) && in_both) turn_words(unit, rows.to + unit.first, part, onto + unit.first);
  }
}

// Returns the fraction of the way from the earlier state (0) to the later one (1).
double fraction_at(ecs::Tick earlier, ecs::Tick later, double tick) {
  const double begin = std::max(static_cast<double>(earlier), static_cast<double>(later) - picture_motion_ticks_max);
  return std::max(0.0, (tick - begin) / (static_cast<double>(later) - begin));
}

// Interpolates a component that holds the earlier state.
void blend_rows(const Rows& rows, double part, std::byte* component) {
  // Uninitialised: only as much as the component has is used.
  std::array<std::byte, reflect::Limits::component_bytes> to;
  std::memcpy(to.data(), component, rows.type.size);
  if (!rows.codec.to_component(rows.to, rows.to_owner, rows.tick, to.data())) return;
  // A field that only one of the states has is not blended.
  if (rows.from_owner != rows.to_owner) rows.codec.reset_owner_only(component, to.data());
  const auto turns = [&](const Unit& unit) { return is_turning(rows.type, unit); };
  if (std::ranges::any_of(rows.codec.units(), turns)) {
    std::array<std::uint32_t, 2 + reflect::Limits::component_bytes> words;
    std::copy_n(rows.from, rows.codec.words(), words.data());
    turn_row(rows, part, words.data());
    rows.codec.to_component(words.data(), rows.from_owner, rows.tick, component);
  }
  blend_fields(rows.type, to.data(), part, component);
}

// Writes the exact value that an owner's state has of a unit.
void write_exact(const Rows& rows, const CourseUnit& unit, const std::uint32_t* words, std::byte* component) {
  std::array<std::byte, reflect::Limits::component_bytes> exact;
  std::memcpy(exact.data(), rows.type.default_value.data(), rows.type.size);
  rows.codec.to_component(words, true, rows.tick, exact.data());
  const std::size_t size = unit.turns ? sizeof(reflect::Quaternion) : unit.part_bytes;
  for (std::uint32_t i = 0; i < unit.fields(); ++i)
    std::memcpy(component + unit.offsets[i], exact.data() + unit.offsets[i], size);
}

// Writes the values of courses at a moment.
void follow_courses(const Rows& rows, double moment, std::byte* component) {
  for (const CourseUnit& unit : rows.codec.courses()) {
    // An owner's exact values are blended like those of other fields.
    if (unit.for_others && rows.from_owner && rows.to_owner) continue;
    const auto write = [&](ecs::Tick tick, std::byte* at) {
      // A state that arrived late has courses that began before its tick. An owner's state may have none.
      const bool has_course = rows.to != nullptr && !(unit.for_others && rows.to_owner);
      const ecs::Tick began = has_course ? rows.to[unit.tick_word()] : 0;
      const bool later = rows.to != nullptr && tick >= (began == 0 ? rows.tick : began);
      const std::uint32_t* const words = later ? rows.to : rows.from;
      if (unit.for_others && (later ? rows.to_owner : rows.from_owner)) return write_exact(rows, unit, words, at);
      write_course_value(unit, words, tick, at);
    };
    draw_course(unit, moment, write, component);
  }
}

}  // namespace

void blend_course(const CourseUnit& unit, const std::byte* to, double part, std::byte* component) {
  const BlendField way = blend_of(unit.turns                         ? reflect::FieldKind::unit_quaternion
                                  : unit.part_bytes == sizeof(float) ? reflect::FieldKind::float32
                                                                     : reflect::FieldKind::float64);
  for (std::uint32_t i = 0; i < unit.fields(); ++i)
    way(component + unit.offsets[i], to + unit.offsets[i], part, component + unit.offsets[i]);
}

void draw_component(const Picture& picture, const Component& type, const EntityLayout::Row& row, std::byte* component) {
  const PictureState& earlier = picture.earlier;
  const PictureState& later = picture.later;
  const RowCodec& codec = *row.codec;
  if (!codec.to_component(earlier.words + row.first, earlier.owner, earlier.tick, component)) return;
  const EntityLayout::Row* const after =
      later.tick == 0 || later.layout == earlier.layout ? &row : later.layout->find(&codec);
  const bool moves_on =
      later.tick != 0 && after != nullptr && !is_cut({earlier.layout, earlier.words}, {later.layout, later.words});
  const Rows rows{.type = type,
                  .codec = codec,
                  .from = earlier.words + row.first,
                  .to = moves_on ? later.words + after->first : nullptr,
                  .from_owner = earlier.owner,
                  .to_owner = moves_on ? later.owner : earlier.owner,
                  .tick = later.tick};
  const double part = moves_on ? fraction_at(earlier.tick, later.tick, picture.view) : 0;
  if (part > 0) blend_rows(rows, part, component);
  const double last = static_cast<double>(std::max(picture.newest, earlier.tick));
  if (!codec.courses().empty())
    follow_courses(rows, std::clamp(picture.view, static_cast<double>(earlier.tick), last), component);
}

}  // namespace mobula::wire
