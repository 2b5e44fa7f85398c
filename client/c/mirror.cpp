#include <c/mirror.hpp>
#include <mobula/core/format.hpp>

namespace mobula::c {

mobula_result no_entity(mobula_entity entity) {
  return fail(MOBULA_ERROR_NO_ENTITY, core::format("entity {} is not in the mirror", to_string(to_entity(entity))));
}

mobula_result no_component(const client::Mirror& mirror, mobula_entity entity, std::uint32_t component) {
  if (!mirror.registry().valid(to_entity(entity))) return no_entity(entity);
  return fail(MOBULA_ERROR_NO_COMPONENT, core::format("entity {} has no component {}", to_string(to_entity(entity)),
                                                      mirror.registry().pool(component).instance_name()));
}

mobula_result check_component(const client::Mirror& mirror, std::uint32_t component) {
  const std::uint32_t count = mirror.registry().pool_count();
  if (component < count) return MOBULA_OK;
  return fail(MOBULA_ERROR_NO_COMPONENT, core::format("component {} is not below {}, their number", component, count));
}

mobula_result check_room(const client::Mirror& mirror, std::uint32_t component, const void* value,
                         std::uint32_t capacity) {
  if (const mobula_result checked = check_component(mirror, component); checked != MOBULA_OK) return checked;
  if (value == nullptr) return refuse_null("the value");
  const std::uint32_t size = mirror.registry().pool(component).type().size;
  if (capacity >= size) return MOBULA_OK;
  return fail(MOBULA_ERROR_BUFFER_TOO_SMALL, core::format("the buffer holds {}; {} are needed", capacity, size));
}

mobula_result check_column(const client::Mirror& mirror, std::uint32_t component, std::uint32_t& stride,
                           const std::uint32_t* count) {
  if (count == nullptr) return refuse_null("the count");
  if (const mobula_result checked = check_component(mirror, component); checked != MOBULA_OK) return checked;
  const std::uint32_t size = mirror.registry().pool(component).type().size;
  if (stride == 0) stride = size;
  if (stride >= size) return MOBULA_OK;
  return fail(MOBULA_ERROR_INVALID_ARGUMENT,
              core::format("a stride of {} is less than the component's size, {}", stride, size));
}

}  // namespace mobula::c
