// Values of a moment between two states.
#include <algorithm>
#include <c/handles.hpp>
#include <c/mirror.hpp>
#include <c/written.hpp>
#include <cmath>
#include <mobula/client/mirror/interpolation.hpp>
#include <mobula/client/mirror/world_pose.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

constexpr double view_tick_max = 4e9;

// Calls function(mirror, tick) for a moment that is a number.
template <class Function>
mobula_result with_moment(mobula_client handle, double view_tick, Function&& function) {
  return with_mirror(handle, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    if (std::isnan(view_tick)) return fail(MOBULA_ERROR_INVALID_ARGUMENT, "the view tick is not a number");
    return function(mirror, std::clamp(view_tick, 0.0, view_tick_max));
  });
}

bool sample(const client::Mirror& mirror, ecs::Entity entity, ecs::PoolId pool, double tick, std::byte* to) {
  const client::Interpolation interpolation(mirror);
  return interpolation.is_there(entity, tick) && interpolation.sample(entity, pool, tick, to);
}

}  // namespace

mobula_result mobula_client_clock(mobula_client client, int64_t now, mobula_clock* clock) {
  return with_client(client, [&](Client& c) -> mobula_result {
    const mobula_result there = check_struct(clock == nullptr ? nullptr : &clock->struct_size);
    if (there != MOBULA_OK) return there;
    if (const mobula_result checked = check_time(c, now); checked != MOBULA_OK) return checked;
    note_time(c, now);
    mobula_clock known{};
    if (client::ServerClock* const server = c.connection->clock(); server != nullptr && server->known()) {
      known.known = 1;
      known.server_tick = server->server_tick(c.now);
      known.target_tick = server->target_tick(c.now);
      known.view_tick = server->view_tick(c.now);
      if (client::Mirror* const mirror = c.connection->mirror()) mirror->set_view_tick(known.view_tick);
    }
    return write_struct(known, clock);
  });
}

mobula_result mobula_client_sample(mobula_client client, mobula_entity entity, uint32_t component, double view_tick,
                                   void* value, uint32_t capacity) {
  return with_moment(client, view_tick, [&](const client::Mirror& mirror, double tick) -> mobula_result {
    if (const mobula_result checked = check_room(mirror, component, value, capacity); checked != MOBULA_OK)
      return checked;
    if (!sample(mirror, to_entity(entity), component, tick, static_cast<std::byte*>(value)))
      return no_component(mirror, entity, component);
    return MOBULA_OK;
  });
}

mobula_result mobula_client_sample_column(mobula_client client, uint32_t component, double view_tick,
                                          mobula_entity* entities, void* values, uint32_t stride, uint32_t capacity,
                                          uint32_t* count) {
  return with_moment(client, view_tick, [&](const client::Mirror& mirror, double tick) -> mobula_result {
    std::uint32_t bytes = stride;
    if (const mobula_result checked = check_column(mirror, component, bytes, count); checked != MOBULA_OK)
      return checked;
    const ecs::Registry& registry = mirror.registry();
    alignas(std::max_align_t) std::byte unwritten[reflect::Limits::component_bytes];
    std::size_t found = 0;
    for (const std::uint32_t index : registry.pool(component).indices()) {
      const ecs::Entity entity = registry.entities().at(index);
      const bool fits = found < capacity;
      std::byte* const to = fits && values != nullptr ? static_cast<std::byte*>(values) + found * bytes : unwritten;
      if (!sample(mirror, entity, component, tick, to)) continue;
      if (fits && entities != nullptr) entities[found] = to_c(entity);
      ++found;
    }
    return end_array(found, capacity, count);
  });
}

mobula_result mobula_client_sample_pose(mobula_client client, mobula_entity entity, double view_tick,
                                        mobula_pose* pose) {
  return with_moment(client, view_tick, [&](const client::Mirror& mirror, double tick) -> mobula_result {
    if (pose == nullptr) return refuse_null("the pose");
    if (!mirror.registry().valid(to_entity(entity))) return no_entity(entity);
    const std::optional<hierarchy::WorldTransform> found = client::sample_world(mirror, to_entity(entity), tick);
    if (!found) return fail(MOBULA_ERROR_NO_COMPONENT, "the entity had no Transform then");
    const auto& [position, rotation] = *found;
    *pose = {{position.x, position.y, position.z}, {rotation.x, rotation.y, rotation.z, rotation.w}};
    return MOBULA_OK;
  });
}
