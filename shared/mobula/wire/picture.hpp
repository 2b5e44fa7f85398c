// Picture of an entity at a moment between ticks, from the states that a client has. The client draws it, and the
// server computes it again to judge what the client was aiming at. So both use this code, and the bits are the same.
//
// The rules are those of client/mirror/interpolation.hpp. A picture depends on the states before and after the moment,
// and on their owner. It also depends on the tick of the newest delta, beyond which courses are not followed.
#pragma once

#include <cstdint>
#include <mobula/reflect/schema.hpp>
#include <mobula/wire/entity_layout.hpp>

namespace mobula::wire {

/// Motion towards a state takes at most this number of ticks before it. An entity at rest sends no states.
inline constexpr double picture_motion_ticks_max = 4;

/// A received state.
struct PictureState {
  const EntityLayout* layout = nullptr;
  const std::uint32_t* words = nullptr;  ///< Those that the client does not receive are not read.
  bool owner = false;                    ///< As the owner receives it.
  ecs::Tick tick = 0;                    ///< 0 if there is no such state.
};

/// The states around a moment. The earlier one exists. If none is before the moment it is the first after it.
struct Picture {
  PictureState earlier;
  PictureState later;
  double view = 0;       ///< The moment, in ticks.
  ecs::Tick newest = 0;  ///< Tick of the newest delta.
};

/// Writes a component as it is to be shown. `row` is its row in the layout of the earlier state. `component` holds the
/// values of fields that the state does not have. If the state has an impossible value, it is partly written.
void draw_component(const Picture& picture, const reflect::Component& type, const EntityLayout::Row& row,
                    std::byte* component);

/// Writes the value of a course at a moment, by write(tick, component). Between two ticks the values of both are
/// interpolated: a new course of the later tick begins smoothly.
template <class Write>
void draw_course(const CourseUnit& unit, double moment, Write&& write, std::byte* component);

/// Interpolates the value of a unit in a component with that in another one.
void blend_course(const CourseUnit& unit, const std::byte* to, double part, std::byte* component);

template <class Write>
inline void draw_course(const CourseUnit& unit, double moment, Write&& write, std::byte* component) {
  const auto tick = static_cast<ecs::Tick>(moment);
  const double part = moment - static_cast<double>(tick);
  write(tick, component);
  if (part == 0) return;
  // Uninitialised: only the places of the unit are used.
  std::array<std::byte, reflect::Limits::component_bytes> to;
  write(tick + 1, to.data());
  blend_course(unit, to.data(), part, component);
}

}  // namespace mobula::wire
