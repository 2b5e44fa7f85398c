// One component of a file as its author would write it: what compile_fields reads, from the bytes that it makes.
// Structs of x, y, z are lists, and a bounded array's list says how many elements count.
#pragma once

#include <mobula/reflect/field_tree.hpp>
#include <mobula/reflect/json_value.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mobula::resource {

// What the bytes of a component do not say themselves.
class FieldTexts {
 public:
  virtual ~FieldTexts() = default;
  // The text of a hashed name. Nothing if it is not known, or not to everyone whom the field is for.
  virtual std::optional<std::string_view> name(core::StringId32 id, const reflect::Field& field) = 0;
  // The path to the entity whose handle belongs at `offset` of the component. Nothing: no entity's does.
  virtual std::optional<std::string> path(std::uint32_t offset) = 0;
};

// An object. `tree`: the component's field_tree(). Fields that cannot be said, and counts, are left out.
reflect::JsonValue component_json(const reflect::Component& component, const reflect::FieldNode& tree,
                                  const std::byte* row, FieldTexts& texts);

// Whether compile_fields makes just these bytes of the JSON, padding and all, and so many references to entities.
bool makes_again(const reflect::Component& component, const reflect::FieldNode& tree, const reflect::JsonValue& json,
                 const std::byte* row, std::size_t references);

}  // namespace mobula::resource
