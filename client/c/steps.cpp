// Components in a step: which entities have them, and their values.
#include <c/mirror.hpp>
#include <c/step.hpp>
#include <c/written.hpp>
#include <mobula/core/format.hpp>

using namespace mobula;
using namespace mobula::c;

namespace mobula::c {

mobula_result check_access(const Step& step, std::uint32_t component, Access access, ecs::PoolId& own) {
  if (const mobula_result checked = check_component(step.mirror, component); checked != MOBULA_OK) return checked;
  const ecs::Pool& pool = step.mirror.registry().pool(component);
  const prediction::StepContext& context = step.own.due->context;
  own = context.registry->find_pool(pool.type().id, pool.instance());  // a named instance has none
  const bool writes = access == Access::write;
  if (own != ecs::no_pool && (writes ? context.types->is_writable(own) : context.types->is_readable(own)))
    return MOBULA_OK;
  return fail(MOBULA_ERROR_NO_ACCESS,
              writes
                  ? core::format("the step writes {}, which has no predicted fields", pool.instance_name())
                  : core::format("the step reads {}, which its options do not list in `reads`", pool.instance_name()));
}

mobula_result check_all_access(const Step& step, const std::uint32_t* components, std::uint32_t count, Access access) {
  step.own.pools.clear();
  if (count > components_max)
    return fail(MOBULA_ERROR_INVALID_ARGUMENT,
                core::format("{} components are given; at most {} are allowed", count, components_max));
  if (components == nullptr && count > 0) return refuse_null("the list of components");
  for (std::uint32_t i = 0; i < count; ++i) {
    ecs::PoolId own = ecs::no_pool;
    if (const mobula_result checked = check_access(step, components[i], access, own); checked != MOBULA_OK)
      return checked;
    step.own.pools.push_back(own);
  }
  return MOBULA_OK;
}

mobula_result not_stepped(mobula_entity entity) {
  return fail(MOBULA_ERROR_NO_ENTITY, core::format("entity {} is not stepped", to_string(to_entity(entity))));
}

}  // namespace mobula::c

namespace {

mobula_result lacks(const Step& step, mobula_entity entity, std::uint32_t component) {
  return fail(MOBULA_ERROR_NO_COMPONENT, core::format("entity {} has no component {}", to_string(to_entity(entity)),
                                                      step.mirror.registry().pool(component).instance_name()));
}

mobula_result no_source(const Step& step, mobula_entity entity, std::uint32_t component) {
  const ecs::Entity asked = to_entity(entity);
  const bool is_there = step.world.steps(asked) || step.mirror.registry().valid(asked);
  return is_there ? lacks(step, entity, component) : no_entity(entity);
}

mobula_result no_target(const Step& step, mobula_entity entity, std::uint32_t component) {
  return step.world.steps(to_entity(entity)) ? lacks(step, entity, component) : not_stepped(entity);
}

// Copies the entities that find(pools, found) finds.
template <class Find>
mobula_result find_entities(const Step& step, const std::uint32_t* components, std::uint32_t component_count,
                            ArrayOut<mobula_entity>& out, Find&& find) {
  if (const mobula_result checked = out.check(); checked != MOBULA_OK) return checked;
  if (component_count == 0) return fail(MOBULA_ERROR_INVALID_ARGUMENT, "a search names a component at least");
  const mobula_result checked = check_all_access(step, components, component_count, Access::read);
  if (checked != MOBULA_OK) return checked;
  find(step.own.pools, step.own.found);
  for (const ecs::Entity entity : step.own.found) out.add(to_c(entity));
  return out.end();
}

// Checks the arrays of a column, and its stride.
mobula_result check_arrays(const Step& step, std::uint32_t component, const mobula_entity* entities, const void* values,
                           std::uint32_t count, std::uint32_t& stride) {
  if (const mobula_result checked = check_column(step.mirror, component, stride, &count); checked != MOBULA_OK)
    return checked;
  if (count > 0 && entities == nullptr) return refuse_null("the array of entities");
  if (count > 0 && values == nullptr) return refuse_null("the array of values");
  return MOBULA_OK;
}

}  // namespace

mobula_result mobula_step_read_commands(mobula_client client, mobula_command* commands, uint32_t capacity,
                                        uint32_t* count) {
  return with_step(client, [&](const Step& step) -> mobula_result {
    ArrayOut<mobula_command> out(commands, capacity, count);
    if (const mobula_result checked = out.check(); checked != MOBULA_OK) return checked;
    for (const prediction::Command& command : step.own.due->commands)
      out.add({to_c(command.entity), command.bytes.data(), static_cast<std::uint32_t>(command.bytes.size()),
               command.number});
    return out.end();
  });
}

mobula_result mobula_step_read_stepped(mobula_client client, const uint32_t* components, uint32_t component_count,
                                       mobula_entity* entities, uint32_t capacity, uint32_t* count) {
  return with_step(client, [&](const Step& step) {
    ArrayOut<mobula_entity> out(entities, capacity, count);
    return find_entities(step, components, component_count, out,
                         [&](const auto& pools, auto& found) { step.world.find_stepped(pools, found); });
  });
}

mobula_result mobula_step_read_visible(mobula_client client, const uint32_t* components, uint32_t component_count,
                                       mobula_entity* entities, uint32_t capacity, uint32_t* count) {
  return with_step(client, [&](const Step& step) {
    ArrayOut<mobula_entity> out(entities, capacity, count);
    return find_entities(step, components, component_count, out,
                         [&](const auto& pools, auto& found) { step.world.find_visible(pools, found); });
  });
}

mobula_result mobula_step_read(mobula_client client, mobula_entity entity, uint32_t component, void* value,
                               uint32_t capacity) {
  return with_step(client, [&](const Step& step) -> mobula_result {
    ecs::PoolId own = ecs::no_pool;
    const mobula_result room = check_room(step.mirror, component, value, capacity);
    const mobula_result checked = room == MOBULA_OK ? check_access(step, component, Access::read, own) : room;
    if (checked != MOBULA_OK) return checked;
    const std::byte* const found = step.world.try_read(to_entity(entity), own);
    if (found == nullptr) return no_source(step, entity, component);
    std::memcpy(value, found, step.mirror.registry().pool(component).type().size);
    return MOBULA_OK;
  });
}

mobula_result mobula_step_write(mobula_client client, mobula_entity entity, uint32_t component, const void* value,
                                uint32_t size) {
  return with_step(client, [&](const Step& step) -> mobula_result {
    ecs::PoolId own = ecs::no_pool;
    if (const mobula_result checked = check_access(step, component, Access::write, own); checked != MOBULA_OK)
      return checked;
    if (value == nullptr) return refuse_null("the value");
    const std::uint32_t wanted = step.mirror.registry().pool(component).type().size;
    if (size != wanted)
      return fail(MOBULA_ERROR_INVALID_ARGUMENT,
                  core::format("the value has {} bytes; the component has {}", size, wanted));
    std::byte* const found = step.world.try_write(to_entity(entity), own);
    if (found == nullptr) return no_target(step, entity, component);
    std::memcpy(found, value, size);
    return MOBULA_OK;
  });
}

mobula_result mobula_step_read_column(mobula_client client, uint32_t component, const mobula_entity* entities,
                                      uint32_t count, void* values, uint32_t stride) {
  return with_step(client, [&](const Step& step) -> mobula_result {
    ecs::PoolId own = ecs::no_pool;
    std::uint32_t bytes = stride;
    if (const mobula_result checked = check_arrays(step, component, entities, values, count, bytes);
        checked != MOBULA_OK)
      return checked;
    if (const mobula_result checked = check_access(step, component, Access::read, own); checked != MOBULA_OK)
      return checked;
    std::vector<const std::byte*>& sources = step.own.sources;
    sources.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      sources.push_back(step.world.try_read(to_entity(entities[i]), own));
      if (sources.back() == nullptr) return no_source(step, entities[i], component);
    }
    const std::uint32_t size = step.mirror.registry().pool(component).type().size;
    for (std::uint32_t i = 0; i < count; ++i)
      std::memcpy(static_cast<std::byte*>(values) + std::size_t{i} * bytes, sources[i], size);
    return MOBULA_OK;
  });
}

mobula_result mobula_step_write_column(mobula_client client, uint32_t component, const mobula_entity* entities,
                                       uint32_t count, const void* values, uint32_t stride) {
  return with_step(client, [&](const Step& step) -> mobula_result {
    ecs::PoolId own = ecs::no_pool;
    std::uint32_t bytes = stride;
    if (const mobula_result checked = check_arrays(step, component, entities, values, count, bytes);
        checked != MOBULA_OK)
      return checked;
    if (const mobula_result checked = check_access(step, component, Access::write, own); checked != MOBULA_OK)
      return checked;
    std::vector<std::byte*>& targets = step.own.targets;
    targets.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      targets.push_back(step.world.try_write(to_entity(entities[i]), own));
      if (targets.back() == nullptr) return no_target(step, entities[i], component);
    }
    const std::uint32_t size = step.mirror.registry().pool(component).type().size;
    for (std::uint32_t i = 0; i < count; ++i)
      std::memcpy(targets[i], static_cast<const std::byte*>(values) + std::size_t{i} * bytes, size);
    return MOBULA_OK;
  });
}
