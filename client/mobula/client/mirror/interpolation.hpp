// Values of a mirror at a moment between ticks. The registry holds the newest values; interpolated ones move smoothly
// although deltas arrive unevenly. A program that shows pictures calls Mirror::set_view_tick with each picture: without
// it the mirror keeps the newest states only. ServerClock::view_tick gives the moment to show.
//
// Between two states floats are interpolated linearly, and rotations, also those stored as four integers, along the
// shortest path. All other fields, arrays, and values that are not finite are those of the earlier state. Before the
// first and after the last state the values are those of that state. At the tick of a state they are exactly its own.
// An entity has the components that it had at that moment.
//
// A change of a field that the schema marks `cut` is no motion. Until the tick of the later state all values are
// exactly those of the earlier one. The presence of a component with such a field counts as a field. So a new Parent is
// a cut, as are jumps that Cuts counts.
//
// Fields with dead_reckoning follow their courses, up to the mirror's tick. Between two ticks their values at both are
// interpolated.
//
// An entity at rest sends no states, so motion towards a state takes at most the last `motion_ticks_max` ticks before
// it.
//
// A destroyed entity leaves the registry at once. A stale one keeps its last values, or continues its courses.
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <mobula/wire/picture.hpp>
#include <optional>

namespace mobula::client {

class Interpolation {
 public:
  static constexpr double motion_ticks_max = wire::picture_motion_ticks_max;

  explicit Interpolation(const Mirror& mirror) : mirror_(mirror) {}

  /// Returns whether an entity had been spawned by `view_tick`. Before that it has the values of its first state.
  [[nodiscard]] bool is_there(ecs::Entity entity, double view_tick) const;
  /// Returns the tick of the first received state after `view_tick`; 0 if there is none.
  [[nodiscard]] ecs::Tick next_state(ecs::Entity entity, double view_tick) const;
  /// Writes a component as it is to be shown into `component`, which has the size of its type. Returns false if the
  /// entity did not have it then.
  bool sample(ecs::Entity entity, ecs::PoolId pool, double view_tick, std::byte* component) const;

 private:
  const Mirror& mirror_;
};

/// Returns a component as a struct generated from the server's schema. Nothing if the entity did not have it.
template <ecs::SchemaComponent T>
std::optional<T> sample(const Mirror& mirror, ecs::Entity entity, double view_tick,
                        std::string_view instance = T::component_name) {
  const ecs::Registry& registry = mirror.registry();
  const ecs::PoolId pool = registry.find_pool(core::StringId32(T::component_name), core::StringId32(instance));
  T component{};
  if (pool == ecs::no_pool || registry.pool(pool).type().size != sizeof(T)) return std::nullopt;
  if (!Interpolation(mirror).sample(entity, pool, view_tick, reinterpret_cast<std::byte*>(&component)))
    return std::nullopt;
  return component;
}

}  // namespace mobula::client
