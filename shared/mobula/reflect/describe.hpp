// Makes components of declared structs: flattens leaves, interprets attributes, writes the default value. Wrong use of
// an attribute is refused with the names of component and field.
#pragma once

#include <mobula/reflect/declarations.hpp>
#include <mobula/reflect/schema.hpp>

namespace mobula::reflect {

inline constexpr std::string_view entity_struct_name = "mobula.engine.EntityRef";

// Name of the struct of an entity handle, whose layout is fixed.
[[nodiscard]] bool is_entity(const DeclaredStruct& type);

/// Describes a struct, with or without the attribute `component`. Errors: "bad schema".
core::Result<Component> describe(const Declarations& declarations, const DeclaredStruct& type);

}  // namespace mobula::reflect
