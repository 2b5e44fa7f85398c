#include <algorithm>
#include <cstring>
#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/wire/picture.hpp>
#include <utility>

namespace mobula::client {
namespace {

using wire::PictureState;

template <class Known>
PictureState state_of(const MirrorState& mirror, const Known& known, const EntityVersions::Version& version) {
  return {version.tick == 0 ? nullptr : &mirror.codecs.entity(known.prototype), version.words, known.owner,
          version.tick};
}

// Returns the states before and after a moment, of whatever components. The earlier one is the first if there is none
// before.
wire::Picture picture_at(const MirrorState& mirror, const MirroredEntity& known, double tick) {
  const EntityVersions::Around present = known.versions.around(tick);
  wire::Picture found{state_of(mirror, known, present.earlier), state_of(mirror, known, present.later), tick,
                      mirror.tick};
  for (std::size_t i = known.former_states.size(); found.earlier.tick == 0 && i-- > 0;) {
    const FormerStates& former = known.former_states[i];
    const EntityVersions::Around before = former.versions.around(tick);
    if (before.later.tick != 0) found.later = state_of(mirror, former, before.later);
    found.earlier = state_of(mirror, former, before.earlier);
  }
  if (found.earlier.tick == 0) found.earlier = std::exchange(found.later, {});
  return found;
}

}  // namespace

bool Interpolation::is_there(ecs::Entity entity, double view_tick) const {
  if (!mirror_.registry().valid(entity)) return false;
  const MirroredEntity* known = mirror_.state().find(entity);
  return known == nullptr || static_cast<double>(known->first_tick) <= view_tick;
}

ecs::Tick Interpolation::next_state(ecs::Entity entity, double view_tick) const {
  const MirroredEntity* known = mirror_.registry().valid(entity) ? mirror_.state().find(entity) : nullptr;
  return known == nullptr ? 0 : picture_at(mirror_.state(), *known, view_tick).later.tick;
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
      wire::draw_course(*course.unit, std::clamp(view_tick, 0.0, last), write, component);
    }
    return true;
  }

  const wire::Picture picture = picture_at(state, *known, view_tick);
  const wire::EntityLayout::Row* const row = picture.earlier.layout->find(codec);
  // A component that the server did not send is the client's own.
  if (row == nullptr) return !registry.prototypes().contains(known->prototype, pool) && show_newest();
  std::memcpy(component, newest != nullptr ? newest : type.default_value.data(), type.size);
  wire::draw_component(picture, *mirror_.schema().find(type.id), *row, component);
  return true;
}

}  // namespace mobula::client
