// From a declared struct to a component: leaves flattened, attributes understood, the
// default value written. Wrong use of an attribute is refused, naming component and field.
#pragma once

#include <mobula/reflect/declarations.hpp>
#include <mobula/reflect/schema.hpp>

namespace mobula::reflect {

inline constexpr std::string_view entity_struct_name = "mobula.engine.EntityRef";

// A handle, to which a struct of this name must be laid out.
[[nodiscard]] bool is_entity(const DeclaredStruct& type);

// Any struct will do, with the attribute `component` or without. Reason: "bad schema".
core::Result<Component> describe(const Declarations& declarations, const DeclaredStruct& type);

}  // namespace mobula::reflect
