#include <c/handles.hpp>
#include <c/mirror.hpp>
#include <c/written.hpp>
#include <mobula/core/format.hpp>

using namespace mobula;
using namespace mobula::c;

mobula_result mobula_client_read_entities(mobula_client client, mobula_entity* entities, uint32_t capacity,
                                          uint32_t* count) {
  return with_mirror(client, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    ArrayOut<mobula_entity> out(entities, capacity, count);
    if (const mobula_result checked = out.check(); checked != MOBULA_OK) return checked;
    mirror.registry().entities().each([&](ecs::Entity entity) { out.add(to_c(entity)); });
    return out.end();
  });
}

mobula_result mobula_client_entity(mobula_client client, mobula_entity entity, mobula_entity_info* info) {
  return with_mirror(client, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    const ecs::Entity found = to_entity(entity);
    if (!mirror.registry().valid(found)) return no_entity(entity);
    mobula_entity_info known{};
    known.stale = mirror.is_stale(found);
    known.owned = mirror.is_owner(found);
    known.tick = mirror.tick_of(found);
    known.prototype = mirror.registry().prototype(found);
    return write_struct(known, info);
  });
}

mobula_result mobula_client_components_of(mobula_client client, mobula_entity entity, uint32_t* components,
                                          uint32_t capacity, uint32_t* count) {
  return with_mirror(client, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    ArrayOut<std::uint32_t> out(components, capacity, count);
    if (const mobula_result checked = out.check(); checked != MOBULA_OK) return checked;
    const ecs::Registry& registry = mirror.registry();
    if (!registry.valid(to_entity(entity))) return no_entity(entity);
    for (const ecs::PoolId pool : registry.prototypes().pools(registry.prototype(to_entity(entity)))) out.add(pool);
    return out.end();
  });
}
