// Checks that functions share which read a mirror. A component's number is that of its pool.
#pragma once

#include <c/client.hpp>

namespace mobula::c {

mobula_result no_entity(mobula_entity entity);
/// Returns the error of an entity without a component. `component` is a pool.
mobula_result no_component(const client::Mirror& mirror, mobula_entity entity, std::uint32_t component);
/// Returns MOBULA_OK if there is a component with this number.
mobula_result check_component(const client::Mirror& mirror, std::uint32_t component);
/// Returns MOBULA_OK if `capacity` bytes at `value` have room for the component.
mobula_result check_room(const client::Mirror& mirror, std::uint32_t component, const void* value,
                         std::uint32_t capacity);
/// Returns MOBULA_OK if a column can be written with a stride, which becomes the component's size if it is 0.
mobula_result check_column(const client::Mirror& mirror, std::uint32_t component, std::uint32_t& stride,
                           const std::uint32_t* count);

}  // namespace mobula::c
