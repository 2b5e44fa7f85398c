// One JSON value into the bytes of one field, checked against what the schema says of it.
#pragma once

#include <mobula/reflect/schema.hpp>
#include <mobula/resource/component_compiler.hpp>

namespace mobula::resource {

// Writes field.size bytes to `to`, or tells an error. `offset`: where `to` lies in the component.
void write_field(const reflect::Field& field, const JsonValue& value, std::byte* to, std::uint32_t offset,
                 ComponentContext& context);

}  // namespace mobula::resource
