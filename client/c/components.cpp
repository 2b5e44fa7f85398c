// Components by number, their values and their columns.
#include <c/handles.hpp>
#include <c/mirror.hpp>
#include <c/written.hpp>
#include <mobula/core/format.hpp>

using namespace mobula;
using namespace mobula::c;

namespace {

// Names are compared as texts too: another name may have the same hash.
ecs::PoolId find_pool(const ecs::Registry& registry, std::string_view type, std::string_view instance) {
  const ecs::PoolId found = registry.find_pool(core::StringId32(type), core::StringId32(instance));
  if (found == ecs::no_pool) return found;
  const ecs::Pool& pool = registry.pool(found);
  return pool.type().name == type && pool.instance_name() == instance ? found : ecs::no_pool;
}

// Copies values of consecutive positions, array by array.
void copy_values(const ecs::Pool& pool, std::uint32_t count, std::byte* to, std::size_t stride) {
  const std::size_t size = pool.type().size;
  for (std::uint32_t first = 0; first < count;) {
    const std::uint32_t end = pool.slab_end(first, count);
    const std::byte* from = pool.at(first);
    if (stride == size) {
      std::memcpy(to, from, (end - first) * size);
      to += (end - first) * size;
    } else {
      for (std::uint32_t i = first; i < end; ++i, from += size, to += stride) std::memcpy(to, from, size);
    }
    first = end;
  }
}

}  // namespace

mobula_result mobula_client_find_component(mobula_client client, const char* type, const char* instance,
                                           uint32_t* component) {
  return with_mirror(client, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    if (type == nullptr) return refuse_null("the type");
    if (component == nullptr) return refuse_null("the component");
    const ecs::PoolId found = find_pool(mirror.registry(), type, instance == nullptr ? type : instance);
    if (found == ecs::no_pool)
      return fail(MOBULA_ERROR_NO_COMPONENT,
                  core::format("there is no component '{}' named '{}'", type, instance == nullptr ? type : instance));
    *component = found;
    return MOBULA_OK;
  });
}

mobula_result mobula_client_component_count(mobula_client client, uint32_t* count) {
  return with_mirror(client, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    if (count == nullptr) return refuse_null("the count");
    *count = mirror.registry().pool_count();
    return MOBULA_OK;
  });
}

mobula_result mobula_client_component(mobula_client client, uint32_t component, mobula_component_info* info) {
  return with_mirror(client, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    if (const mobula_result checked = check_component(mirror, component); checked != MOBULA_OK) return checked;
    const ecs::Pool& pool = mirror.registry().pool(component);
    const reflect::Component* const type = mirror.schema().find(pool.type().id);
    mobula_component_info known{};
    known.type = static_cast<std::uint32_t>(type - mirror.schema().components().data());
    known.instance = pool.instance_name().c_str();
    known.size = pool.type().size;
    known.entities = pool.size();
    return write_struct(known, info);
  });
}

mobula_result mobula_client_read(mobula_client client, mobula_entity entity, uint32_t component, void* value,
                                 uint32_t capacity) {
  return with_mirror(client, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    if (const mobula_result checked = check_room(mirror, component, value, capacity); checked != MOBULA_OK)
      return checked;
    const std::byte* const found = mirror.registry().try_read(to_entity(entity), component);
    if (found == nullptr) return no_component(mirror, entity, component);
    std::memcpy(value, found, mirror.registry().pool(component).type().size);
    return MOBULA_OK;
  });
}

mobula_result mobula_client_read_column(mobula_client client, uint32_t component, mobula_entity* entities, void* values,
                                        uint32_t stride, uint32_t capacity, uint32_t* count) {
  return with_mirror(client, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    std::uint32_t bytes = stride;
    if (const mobula_result checked = check_column(mirror, component, bytes, count); checked != MOBULA_OK)
      return checked;
    const ecs::Pool& pool = mirror.registry().pool(component);
    const std::uint32_t written = std::min(pool.size(), capacity);
    if (entities != nullptr)
      for (std::uint32_t i = 0; i < written; ++i)
        entities[i] = to_c(mirror.registry().entities().at(pool.indices()[i]));
    if (values != nullptr) copy_values(pool, written, static_cast<std::byte*>(values), bytes);
    return end_array(pool.size(), capacity, count);
  });
}

mobula_result mobula_client_map_column(mobula_client client, uint32_t component, uint32_t first, const void** values,
                                       uint32_t* count) {
  return with_mirror(client, [&](const Client&, const client::Mirror& mirror) -> mobula_result {
    if (values == nullptr) return refuse_null("the values");
    if (count == nullptr) return refuse_null("the count");
    if (const mobula_result checked = check_component(mirror, component); checked != MOBULA_OK) return checked;
    const ecs::Pool& pool = mirror.registry().pool(component);
    if (first >= pool.size()) return MOBULA_NOTHING;
    *values = pool.at(first);
    *count = pool.slab_end(first, pool.size()) - first;
    return MOBULA_OK;
  });
}
