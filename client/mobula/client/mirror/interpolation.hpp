// What a mirror shows of a moment between ticks, where the registry has the newest values: pictures move evenly
// although deltas come unevenly. Whoever shows pictures tells the mirror with each, by Mirror::set_view_tick, or else
// it has nothing to show but the newest; ServerClock::view_tick says which moment.
//
// Between two states floats move evenly and rotations, also those of four integers, turn the shortest way; all other
// fields, arrays, and what is not finite are those of the earlier state. Before the first and after the last state they
// are of that one, and at the very tick of a state exactly its values. What has stood still sends no states: so from
// one to the next it moves no longer than the last `motion_ticks_max` ticks.
//
// What is destroyed is gone from the registry at once, and what is stale stands as it was last seen.
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <optional>

namespace mobula::client {

class Interpolation {
 public:
  static constexpr double motion_ticks_max = 4;

  explicit Interpolation(const Mirror& mirror) : mirror_(mirror) {}

  // Whether it had appeared by then. Until then it has the values of its first state.
  [[nodiscard]] bool is_there(ecs::Entity entity, double view_tick) const;
  // One component as it is to be shown, of as many bytes as its type has. False: the entity does not have it.
  bool sample(ecs::Entity entity, ecs::PoolId pool, double view_tick, std::byte* component) const;

 private:
  const Mirror& mirror_;
};

// By a struct that was generated from the server's schema, or one like it. Nothing if the entity does not have it.
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
