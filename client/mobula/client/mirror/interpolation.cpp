#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <mobula/client/mirror/component_blend.hpp>
#include <mobula/client/mirror/interpolation.hpp>

namespace mobula::client {
namespace {

using reflect::Component;

// A component's row in the states around a moment.
struct Rows {
  const Component& type;
  const wire::RowCodec& codec;
  const std::uint32_t* from;
  const std::uint32_t* to;
  bool from_owner;  // as the owner receives it
  bool to_owner;
  ecs::Tick tick;  // tick of the later state
};

// Interpolates rotations in smallest-three form, as words, onto those of the earlier state.
void turn_row(const Rows& rows, double part, std::uint32_t* onto) {
  for (const wire::Unit& unit : rows.codec.units()) {
    const bool in_both =
        wire::receives(unit.receivers, rows.from_owner) && wire::receives(unit.receivers, rows.to_owner);
    if (!is_turning(rows.type, unit) || !in_both) continue;
    turn_words(unit, rows.to + unit.first, part, onto + unit.first);
  }
}

// Returns the fraction of the way from the earlier state (0) to the later one (1).
double fraction_at(ecs::Tick earlier, ecs::Tick later, double tick) {
  const double begin =
      std::max(static_cast<double>(earlier), static_cast<double>(later) - Interpolation::motion_ticks_max);
  return std::max(0.0, (tick - begin) / (static_cast<double>(later) - begin));
}

// A received state with what it was then.
struct State {
  ecs::PrototypeId prototype = ecs::empty_prototype;
  bool owner = false;
  ecs::Tick tick = 0;  // 0 if there is none
  const std::uint32_t* words = nullptr;
};
struct Around {
  State earlier;
  State later;
};

template <class Known>
State state_of(const Known& known, const EntityVersions::Version& version) {
  return {known.prototype, known.owner, version.tick, version.words};
}

// Returns the states before and after a moment, of whatever components. The earlier one is the first if there is none
// before.
Around states_around(const MirroredEntity& known, double tick) {
  const EntityVersions::Around present = known.versions.around(tick);
  Around found{state_of(known, present.earlier), state_of(known, present.later)};
  for (std::size_t i = known.former_states.size(); found.earlier.tick == 0 && i-- > 0;) {
    const FormerStates& former = known.former_states[i];
    const EntityVersions::Around before = former.versions.around(tick);
    if (before.later.tick != 0) found.later = state_of(former, before.later);
    found.earlier = state_of(former, before.earlier);
  }
  if (found.earlier.tick == 0) found.earlier = std::exchange(found.later, {});
  return found;
}

// Interpolates a component that holds the earlier state.
void blend_rows(const Rows& rows, double part, std::byte* component) {
  // Uninitialised: only as much as the component has is used.
  std::array<std::byte, reflect::Limits::component_bytes> to;
  std::memcpy(to.data(), component, rows.type.size);
  if (!rows.codec.to_component(rows.to, rows.to_owner, rows.tick, to.data())) return;
  // A field that only one of the states has is not blended.
  if (rows.from_owner != rows.to_owner) rows.codec.reset_owner_only(component, to.data());
  const auto turns = [&](const wire::Unit& unit) { return is_turning(rows.type, unit); };
  if (std::ranges::any_of(rows.codec.units(), turns)) {
    std::array<std::uint32_t, 2 + reflect::Limits::component_bytes> words;
    std::copy_n(rows.from, rows.codec.words(), words.data());
    turn_row(rows, part, words.data());
    rows.codec.to_component(words.data(), rows.from_owner, rows.tick, component);
  }
  blend_fields(rows.type, to.data(), part, component);
}

// Writes the value of a unit at a moment, by write(tick, component). Between two ticks the values of both are
// interpolated: a new course of the later tick begins smoothly.
template <class Write>
void write_moment(const wire::CourseUnit& unit, double moment, Write&& write, std::byte* component) {
  const auto tick = static_cast<ecs::Tick>(moment);
  const double part = moment - static_cast<double>(tick);
  write(tick, component);
  if (part == 0) return;
  std::array<std::byte, reflect::Limits::component_bytes> to;
  write(tick + 1, to.data());
  const BlendField way = blend_of(unit.turns                         ? reflect::FieldKind::unit_quaternion
                                  : unit.part_bytes == sizeof(float) ? reflect::FieldKind::float32
                                                                     : reflect::FieldKind::float64);
  for (std::uint32_t i = 0; i < unit.fields(); ++i)
    way(component + unit.offsets[i], to.data() + unit.offsets[i], part, component + unit.offsets[i]);
}

// Writes the exact value that an owner's state has of a unit.
void write_exact(const Rows& rows, const wire::CourseUnit& unit, const std::uint32_t* words, std::byte* component) {
  std::array<std::byte, reflect::Limits::component_bytes> exact;
  std::memcpy(exact.data(), rows.type.default_value.data(), rows.type.size);
  rows.codec.to_component(words, true, rows.tick, exact.data());
  const std::size_t size = unit.turns ? sizeof(reflect::Quaternion) : unit.part_bytes;
  for (std::uint32_t i = 0; i < unit.fields(); ++i)
    std::memcpy(component + unit.offsets[i], exact.data() + unit.offsets[i], size);
}

// Writes the values of courses at a moment.
void follow_courses(const Rows& rows, double moment, std::byte* component) {
  for (const wire::CourseUnit& unit : rows.codec.courses()) {
    // An owner's exact values are blended like those of other fields.
    if (unit.for_others && rows.from_owner && rows.to_owner) continue;
    const auto write = [&](ecs::Tick tick, std::byte* at) {
      // A state that arrived late has courses that began before its tick.
      const ecs::Tick began = rows.to == nullptr ? ~0u : rows.to[unit.tick_word()];
      const bool later = rows.to != nullptr && tick >= (began == 0 ? rows.tick : began);
      const std::uint32_t* const words = later ? rows.to : rows.from;
      if (unit.for_others && (later ? rows.to_owner : rows.from_owner)) return write_exact(rows, unit, words, at);
      wire::write_course_value(unit, words, tick, at);
    };
    write_moment(unit, moment, write, component);
  }
}

}  // namespace

bool Interpolation::is_there(ecs::Entity entity, double view_tick) const {
  if (!mirror_.registry().valid(entity)) return false;
  const MirroredEntity* known = mirror_.state().find(entity);
  return known == nullptr || static_cast<double>(known->first_tick) <= view_tick;
}

ecs::Tick Interpolation::next_state(ecs::Entity entity, double view_tick) const {
  const MirroredEntity* known = mirror_.registry().valid(entity) ? mirror_.state().find(entity) : nullptr;
  return known == nullptr ? 0 : states_around(*known, view_tick).later.tick;
}

bool Interpolation::sample(ecs::Entity entity, ecs::PoolId pool, double view_tick, std::byte* component) const {
  const ecs::Registry& registry = mirror_.registry();
  if (!registry.valid(entity)) return false;
  const MirrorState& state = mirror_.state();
  const ecs::ComponentType& type = registry.pool(pool).type();
  const std::byte* const newest = registry.try_read(entity, pool);
  const MirroredEntity* const known = state.find(entity);
  const wire::RowCodec* const codec = state.codecs.row(pool);
  const auto show_newest = [&] {
    if (newest != nullptr) std::memcpy(component, newest, type.size);
    return newest != nullptr;
  };
  if (known == nullptr || codec == nullptr) {
    if (!show_newest()) return false;
    const double last = static_cast<double>(mirror_.tick());
    const StaleCourses* const courses = mirror_.stale().courses(entity);
    if (courses == nullptr) return true;
    for (const StaleCourse& course : courses->all) {
      if (course.pool != pool) continue;
      const auto write = [&](ecs::Tick tick, std::byte* at) { courses->write(course, tick, at); };
      write_moment(*course.unit, std::clamp(view_tick, 0.0, last), write, component);
    }
    return true;
  }

  const auto [earlier, later] = states_around(*known, view_tick);
  const wire::EntityLayout& layout = state.codecs.entity(earlier.prototype);
  const wire::EntityLayout::Row* const row = layout.find(codec);
  // A component that the server did not send is the client's own.
  if (row == nullptr) return !registry.prototypes().contains(known->prototype, pool) && show_newest();
  std::memcpy(component, newest != nullptr ? newest : type.default_value.data(), type.size);
  if (!codec->to_component(earlier.words + row->first, earlier.owner, earlier.tick, component)) return true;

  const wire::EntityLayout& layout_after = later.tick == 0 ? layout : state.codecs.entity(later.prototype);
  const wire::EntityLayout::Row* const row_after = &layout_after == &layout ? row : layout_after.find(codec);
  const bool moves_on =
      later.tick != 0 && row_after != nullptr && !wire::is_cut({&layout, earlier.words}, {&layout_after, later.words});
  const Rows rows{.type = *mirror_.schema().find(type.id),
                  .codec = *codec,
                  .from = earlier.words + row->first,
                  .to = moves_on ? later.words + row_after->first : nullptr,
                  .from_owner = earlier.owner,
                  .to_owner = moves_on ? later.owner : earlier.owner,
                  .tick = later.tick};
  const double part = moves_on ? fraction_at(earlier.tick, later.tick, view_tick) : 0;
  if (part > 0) blend_rows(rows, part, component);
  const double last = static_cast<double>(std::max(mirror_.tick(), earlier.tick));
  if (!codec->courses().empty())
    follow_courses(rows, std::clamp(view_tick, static_cast<double>(earlier.tick), last), component);
  return true;
}

}  // namespace mobula::client
